//===- InsertTimers.cpp - When each kernel runs ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the runtime around what computes on buffers, with the places in the
// user's program that it comes from. Not for: what is timed, which is all that
// a call does between two of them.
//
//===----------------------------------------------------------------------===//

#include "TextGlobals.h"
#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/IR/Places.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_INSERTTIMERSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether it computes on buffers, more than an element.
static bool isKernel(Operation *op) {
  if (isa<LoopLikeOpInterface, linalg::LinalgOp, memref::CopyOp>(op))
    return true;
  // Checks are said to write, too, so that they stay where they are.
  return !isa<memref::StoreOp>(op) && !isa<CallOpInterface>(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>) &&
         hasEffect<MemoryEffects::Write>(op);
}

/// The kernels of a function, none within another one.
static SmallVector<Operation *> findKernels(func::FuncOp function) {
  SmallVector<Operation *> kernels;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isKernel(op))
      return WalkResult::advance();
    kernels.push_back(op);
    return WalkResult::skip();
  });
  return kernels;
}

/// All places in the user's program, a line each: of the op that is left of
/// several first. Without any, the name of the op.
static std::string placesOf(Operation *op) {
  SmallVector<std::string> places;
  auto add = [&](Location loc) {
    std::string place = describePlace(loc);
    if (!place.empty() && !llvm::is_contained(places, place))
      places.push_back(place);
  };
  add(op->getLoc());
  op->getLoc()->walk([&](Location loc) {
    if (isa<NameLoc, FileLineColLoc>(loc)) {
      add(loc);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  return places.empty() ? op->getName().getStringRef().str()
                        : llvm::join(places, "\n");
}

namespace {
struct InsertTimersPass
    : symshape::impl::InsertTimersPassBase<InsertTimersPass> {
  void runOnOperation() override {
    SmallVector<Operation *> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      llvm::append_range(kernels, findKernels(function));
    if (kernels.empty())
      return;
    SymbolTable symbols(getOperation());
    TextGlobals places(symbols);
    OpBuilder builder(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    LLVM::LLVMFuncOp enter = declare(symbols, "symshape_rt_enter", pointer);
    LLVM::LLVMFuncOp leave = declare(symbols, "symshape_rt_leave", {});
    if (!enter || !leave)
      return signalPassFailure();
    for (Operation *op : kernels) {
      builder.setInsertionPoint(op);
      Value place = places.get(builder, op->getLoc(), placesOf(op));
      LLVM::CallOp::create(builder, op->getLoc(), enter, place);
      builder.setInsertionPointAfter(op);
      LLVM::CallOp::create(builder, op->getLoc(), leave, ValueRange());
    }
  }

  /// Null, after an error, if the module has another one of the name.
  LLVM::LLVMFuncOp declare(SymbolTable &symbols, StringRef name,
                           ArrayRef<Type> arguments) {
    if (Operation *existing = symbols.lookup(name)) {
      existing->emitError() << "expected no definition of '" << name
                            << "', the name is the runtime's";
      return nullptr;
    }
    auto builder =
        OpBuilder::atBlockBegin(&getOperation()->getRegion(0).front());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(&getContext()), arguments);
    auto function =
        LLVM::LLVMFuncOp::create(builder, getOperation().getLoc(), name, type);
    symbols.insert(function);
    return function;
  }
};
} // namespace
