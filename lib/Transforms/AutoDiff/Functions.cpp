//===- Functions.cpp - What the AD passes share ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/SignatureOps.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;

Request::Request(func::FuncOp func, ArrayRef<int64_t> wrt,
                 ArrayRef<int64_t> results)
    : wrt(wrt), results(results) {
  auto addFloats = [](TypeRange types, SmallVector<int64_t> &numbers) {
    for (auto [number, type] : llvm::enumerate(types))
      if (hasTangent(type))
        numbers.push_back(number);
  };
  if (wrt.empty())
    addFloats(func.getArgumentTypes(), this->wrt);
  if (results.empty())
    addFloats(func.getResultTypes(), this->results);
}

// The passes name the same ones.
void symshape::loadDialectsOfRules(MLIRContext *context) {
  context
      ->loadDialect<affine::AffineDialect, arith::ArithDialect,
                    linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                    SymShapeDialect, tensor::TensorDialect>();
}

/// Checks that these are types of values, not of memory, and without an
/// encoding: what that says of a value need not hold for its derivatives.
static LogicalResult verifyTypes(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (isa<BaseMemRefType>(type))
      return emitFieldError(
          op, "type", "to be a tensor: differentiate before bufferisation",
          llvm::to_string(type));
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding())
      return emitFieldError(op, "type", "to be without an encoding",
                            llvm::to_string(type));
  }
  return success();
}

/// Checks that the numbers are distinct and those of floats among `types`.
static LogicalResult verifyNumbers(func::FuncOp func, StringRef option,
                                   StringRef kind, ArrayRef<int64_t> numbers,
                                   ArrayRef<Type> types) {
  DenseSet<int64_t> seen;
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(types.size()) ||
        !seen.insert(number).second)
      return func.emitOpError("expected '")
             << option << "' to number " << kind << "s, each once, but got "
             << number;
    if (!hasTangent(types[number]))
      return emitFieldError(
          func, "element_type",
          "of " + kind + " #" + Twine(number) +
              " to be a float to differentiate",
          llvm::to_string(getElementTypeOrSelf(types[number])));
  }
  return success();
}

LogicalResult symshape::verifyRequest(func::FuncOp func, const Request &request,
                                      ArrayRef<StringRef> suffixes) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block to differentiate");
  if (!isa<func::ReturnOp>(func.getBody().front().back()))
    return func.emitOpError(
        "expected a body that ends with func.return to differentiate");
  if (failed(verifyTypes(func, func.getArgumentTypes())) ||
      failed(verifyNumbers(func, "wrt", "argument", request.wrt,
                           func.getArgumentTypes())) ||
      failed(verifyNumbers(func, "results", "result", request.results,
                           func.getResultTypes())))
    return failure();
  auto module = func->getParentOfType<ModuleOp>();
  for (StringRef suffix : suffixes)
    if (module.lookupSymbol((func.getName() + suffix).str()))
      return func.emitOpError("expected no function @")
             << func.getName() << suffix << ", which is to be added";
  return success();
}

SmallVector<OpFoldResult> symshape::residualExtents(BlockArgument tangent) {
  auto type = dyn_cast<RankedTensorType>(tangent.getType());
  if (!type)
    return {};
  Block *entry = tangent.getOwner();
  auto numbers = cast<func::FuncOp>(entry->getParentOp())
                     .getArgAttrOfType<DenseI64ArrayAttr>(
                         tangent.getArgNumber(), kExtentResiduals);
  Builder builder(type.getContext());
  SmallVector<OpFoldResult> extents;
  for (auto [d, number] : llvm::enumerate(numbers.asArrayRef()))
    extents.push_back(
        number < 0 ? OpFoldResult(builder.getIndexAttr(type.getDimSize(d)))
                   : OpFoldResult(entry->getArgument(number)));
  return extents;
}

void symshape::requireExtents(OpBuilder &builder, Value tangent,
                              ArrayRef<OpFoldResult> extents, StringRef what) {
  auto type = dyn_cast<RankedTensorType>(tangent.getType());
  Location loc = tangent.getLoc();
  for (auto [d, extent] : llvm::enumerate(extents)) {
    if (!type.isDynamicDim(d))
      continue;
    Value own = tensor::DimOp::create(builder, loc, tangent, d);
    AssertOp::create(builder, loc, "a == b", {{"a", own}, {"b", extent}},
                     "a " + what + " has the extents of its value");
  }
}

/// An op of the function whose dialect does not say that it can be inlined;
/// null if all do.
static Operation *findBoundOp(func::FuncOp func) {
  Operation *found = nullptr;
  func.walk([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    if (dialect && dialect->getRegisteredInterface<DialectInlinerInterface>())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether a call has no part in a derivative and must stay, as that of a
/// guard.
static bool isOpaque(func::CallOp call, func::FuncOp callee) {
  auto isInteger = [](Type type) { return type.isIntOrIndex(); };
  return callee && callee.getNoInline() &&
         llvm::all_of(call->getOperandTypes(), isInteger) &&
         llvm::all_of(call->getResultTypes(), isInteger);
}

/// Inlines the calls of the function, and those that this brings in.
static LogicalResult inlineCalls(func::FuncOp func) {
  InlinerInterface interface(func.getContext());
  InlinerConfig config;
  // Without recursion no chain of calls is longer than the number of functions.
  auto module = func->getParentOfType<ModuleOp>();
  size_t rounds = llvm::range_size(module.getOps<func::FuncOp>());
  for (size_t round = 0; round <= rounds; ++round) {
    SmallVector<func::CallOp> calls;
    func.walk([&](func::CallOp call) {
      if (!isOpaque(call, module.lookupSymbol<func::FuncOp>(call.getCallee())))
        calls.push_back(call);
    });
    if (calls.empty())
      return success();
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee && llvm::hasNItemsOrMore(callee.getBody(), 2))
        return callee.emitOpError(
            "expected a body of one block to differentiate");
      if (Operation *op = callee ? findBoundOp(callee) : nullptr)
        return op->emitOpError("expected a dialect with "
                               "DialectInlinerInterface, to differentiate a "
                               "call of @")
               << callee.getName();
      if (!callee || callee.isDeclaration())
        return emitMissingRule(call);
      // What its signature declares is inlined with it.
      OwningOpRef<func::FuncOp> inlined = callee.clone();
      if (!assertSignature(*inlined) ||
          failed(inlineCall(interface, config.getCloneCallback(),
                            cast<CallOpInterface>(call.getOperation()),
                            cast<CallableOpInterface>(inlined->getOperation()),
                            &inlined->getBody(),
                            /*shouldCloneInlinedRegion=*/false)))
        return emitMissingRule(call);
      call.erase();
    }
  }
  return func.emitOpError("expected calls without recursion to differentiate");
}

LogicalResult symshape::verifyBodyTypes(func::FuncOp func) {
  WalkResult result = func.walk([](Operation *op) {
    return WalkResult(
        success(succeeded(verifyTypes(op, op->getOperandTypes())) &&
                succeeded(verifyTypes(op, op->getResultTypes()))));
  });
  return failure(result.wasInterrupted());
}

FailureOr<func::FuncOp> symshape::copyInlined(func::FuncOp func,
                                              const Twine &name) {
  OpBuilder builder(func);
  builder.setInsertionPointAfter(func);
  auto copy = cast<func::FuncOp>(builder.clone(*func));
  copy.setName(name.str());
  // What a derivative requires is more.
  for (StringRef attribute : kOfOneFunction)
    copy->removeAttr(attribute);
  if (succeeded(inlineCalls(copy)))
    return copy;
  copy.erase();
  return failure();
}

void symshape::eraseDead(func::FuncOp func) {
  eraseDeadOps(func.getBody().front());
}

bool symshape::usesAny(Operation *op, const DenseSet<Value> &values) {
  return usesAny(op, [&](Value v) { return values.contains(v); });
}

/// Adds the values of the block that depend on others to them. What a loop
/// carries is a tangent if one of its operands is.
static void addDependents(Block &block, DenseSet<Value> &dependents) {
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (hasTangent(value.getType()))
        dependents.insert(value);
  };
  for (Operation &op : block) {
    if (!usesAny(&op, dependents))
      continue;
    add(op.getResults());
    if (!isa_and_nonnull<scf::SCFDialect>(op.getDialect()))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        add(inner.getArguments());
        addDependents(inner, dependents);
      }
  }
}

DenseSet<Value> symshape::dependentsOf(ArrayRef<Value> roots, Block &block) {
  DenseSet<Value> dependents(roots.begin(), roots.end());
  addDependents(block, dependents);
  return dependents;
}
