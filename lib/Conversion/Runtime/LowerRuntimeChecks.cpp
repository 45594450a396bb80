//===- LowerRuntimeChecks.cpp - Failures as calls of the runtime ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites symshape.fail, and each cf.assert that is left, as calls of
// symshape_rt_fail. Not for: deciding what is checked.
//
//===----------------------------------------------------------------------===//

#include "TextGlobals.h"
#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/FailMessage.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERRUNTIMECHECKSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

static constexpr StringLiteral failName = "symshape_rt_fail";
static constexpr StringLiteral tellName = "symshape_rt_tell";

namespace {
/// The checks of one symbol table: a name reaches no further.
class CheckLowering {
public:
  explicit CheckLowering(Operation *table)
      : table(table), builder(table->getContext()), symbols(table),
        messages(symbols) {}

  /// The declarations of the runtime's functions; fails if the table defines
  /// something else by that name.
  LogicalResult declare();
  void lower(Operation *op) {
    if (auto fail = dyn_cast<FailOp>(op))
      lowerFail(fail);
    else
      lowerAssert(cast<cf::AssertOp>(op));
  }

private:
  void lowerFail(FailOp op);
  void lowerAssert(cf::AssertOp op);
  LLVM::LLVMFuncOp declare(StringRef name, ArrayRef<StringRef> attributes);
  void emitCall(LLVM::LLVMFuncOp callee, Location loc, StringRef text,
                ValueRange values);

  Operation *table;
  OpBuilder builder;
  SymbolTable symbols;
  LLVM::LLVMFuncOp fail, tell;
  TextGlobals messages;
};
} // namespace

LLVM::LLVMFuncOp CheckLowering::declare(StringRef name,
                                        ArrayRef<StringRef> attributes) {
  if (auto existing = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return existing;
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context),
      {pointer, pointer, IntegerType::get(context, 64)});
  builder.setInsertionPointToStart(&table->getRegion(0).front());
  auto function =
      LLVM::LLVMFuncOp::create(builder, table->getLoc(), name, type);
  function.setPassthroughAttr(builder.getStrArrayAttr(attributes));
  symbols.insert(function);
  return function;
}

LogicalResult CheckLowering::declare() {
  for (StringRef name : {failName, tellName}) {
    Operation *existing = symbols.lookup(name);
    auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(existing);
    if (existing && !(function && function.isExternal()))
      return existing->emitError() << "expected no definition of '" << name
                                   << "', the name is the runtime's";
  }
  // The failing call does not return: what follows may rely on the check.
  fail = declare(failName, {"noreturn", "cold"});
  tell = declare(tellName, {"cold"});
  return success();
}

void CheckLowering::emitCall(LLVM::LLVMFuncOp callee, Location loc,
                             StringRef text, ValueRange values) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  Value count = LLVM::ConstantOp::create(builder, loc, i64, values.size());
  Value array = LLVM::ZeroOp::create(builder, loc, pointer);
  if (!values.empty())
    array = LLVM::AllocaOp::create(builder, loc, pointer, i64, count);
  for (auto [number, value] : llvm::enumerate(values)) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, pointer, i64, array,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    Value integer = arith::IndexCastOp::create(builder, loc, i64, value);
    LLVM::StoreOp::create(builder, loc, integer, slot);
  }
  LLVM::CallOp::create(
      builder, loc, callee,
      ValueRange{messages.get(builder, loc, text), array, count});
}

void CheckLowering::lowerFail(FailOp op) {
  builder.setInsertionPoint(op);
  emitCall(op.getContinues() ? tell : fail, op.getLoc(), op.getMessage(),
           op.getOperands());
  op.erase();
}

/// The message of a cf.assert is plain text: its braces are doubled.
void CheckLowering::lowerAssert(cf::AssertOp op) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  builder.restoreInsertionPoint(
      branchUnless(builder, loc, op.getArg()).saveInsertionPoint());
  emitCall(fail, loc, (FailMessage() << op.getMsg()).str(), {});
  op.erase();
}

namespace {
struct LowerRuntimeChecksPass
    : symshape::impl::LowerRuntimeChecksPassBase<LowerRuntimeChecksPass> {
  void runOnOperation() override {
    llvm::MapVector<Operation *, SmallVector<Operation *>> checks;
    getOperation().walk([&](Operation *op) {
      if (isa<FailOp, cf::AssertOp>(op))
        checks[SymbolTable::getNearestSymbolTable(op)].push_back(op);
    });
    if (!checks.empty())
      remark::passed(getOperation().getLoc(),
                     remark::RemarkOpts::name("facts").category(
                         "symshape-lower-runtime-checks"))
          << "what checks establish is not known any more";
    for (auto &[table, ops] : checks) {
      CheckLowering lowering(table);
      if (failed(lowering.declare()))
        return signalPassFailure();
      for (Operation *op : ops)
        lowering.lower(op);
    }
  }
};
} // namespace
