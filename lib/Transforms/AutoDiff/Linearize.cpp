//===- Linearize.cpp - Splits a forward derivative ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward derivative of a function in two: what does not depend on
// tangents, and the linear rest. What the rest needs from the first part are
// residuals, except constants and zeros, which it makes itself: no tensor is
// kept alive for its extents.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Jvp.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/AutoDiff.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The split of a function with tangents as its last arguments and results.
class Splitter {
public:
  Splitter(func::FuncOp forward, unsigned numTangents, unsigned numResults)
      : forward(forward), block(forward.getBody().front()),
        builder(forward.getContext()), numResults(numResults) {
    ArrayRef<BlockArgument> arguments = forward.getArguments();
    for (BlockArgument tangent : arguments.take_back(numTangents))
      tangents.push_back(tangent);
    linear = dependentsOf(tangents, block);
  }
  func::FuncOp split(StringRef name, ArrayRef<int64_t> wrt);

private:
  void findRecomputed();
  void findResiduals();
  void addExtents(ArrayRef<int64_t> wrt);
  func::FuncOp buildLinear(StringRef name);
  void reduceToForward();

  bool isLinear(Operation &op) { return usesAny(&op, linear); }

  func::FuncOp forward;
  Block &block;
  OpBuilder builder;
  unsigned numResults;
  SmallVector<Value> tangents;
  DenseSet<Value> linear;
  DenseSet<Operation *> recomputed;
  DenseSet<Value> needed; ///< by the linear part
  llvm::SetVector<Value> residuals;
  SmallVector<DenseI64ArrayAttr> extentResiduals; ///< per tangent
};
} // namespace

/// Constants, and tensors that are filled with them.
void Splitter::findRecomputed() {
  for (Operation &op : block) {
    bool isCheap = op.hasTrait<OpTrait::ConstantLike>() ||
                   isa<tensor::EmptyOp, tensor::CastOp, linalg::FillOp>(op);
    if (isCheap && llvm::all_of(op.getOperands(), [&](Value operand) {
          return operand.getType().isIndex() ||
                 recomputed.contains(operand.getDefiningOp());
        }))
      recomputed.insert(&op);
  }
}

void Splitter::findResiduals() {
  auto need = [&](Operation &op) {
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block && !linear.contains(operand))
          needed.insert(operand);
    });
  };
  for (Value result :
       block.getTerminator()->getOperands().drop_front(numResults))
    if (!linear.contains(result))
      needed.insert(result);
  for (Operation &op : llvm::reverse(block)) {
    if (&op == block.getTerminator())
      continue;
    bool isUsed = llvm::any_of(op.getResults(),
                               [&](Value v) { return needed.contains(v); });
    if (isLinear(op) || (isUsed && recomputed.contains(&op)))
      need(op);
  }
  auto keep = [&](Value value) {
    if (needed.contains(value) && !recomputed.contains(value.getDefiningOp()))
      residuals.insert(value);
  };
  for (Value argument : block.getArguments())
    keep(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      keep(result);
}

/// The extents of tangents are those of the arguments.
void Splitter::addExtents(ArrayRef<int64_t> wrt) {
  builder.setInsertionPoint(block.getTerminator());
  for (int64_t number : wrt) {
    Value primal = forward.getArgument(number);
    SmallVector<int64_t> numbers;
    if (auto type = dyn_cast<RankedTensorType>(primal.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d) {
        numbers.push_back(-1);
        if (!type.isDynamicDim(d))
          continue;
        numbers.back() = residuals.size();
        residuals.insert(
            tensor::DimOp::create(builder, primal.getLoc(), primal, d));
      }
    extentResiduals.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
}

func::FuncOp Splitter::buildLinear(StringRef name) {
  builder.setInsertionPointAfter(forward);
  SmallVector<Type> types, resultTypes;
  for (Value value : residuals)
    types.push_back(value.getType());
  for (Value value : tangents)
    types.push_back(value.getType());
  SmallVector<Value> results(
      block.getTerminator()->getOperands().drop_front(numResults));
  for (Value value : results)
    resultTypes.push_back(value.getType());
  auto func = func::FuncOp::create(builder, forward.getLoc(), name,
                                   builder.getFunctionType(types, resultTypes));
  func.setVisibility(forward.getVisibility());
  Block *body = func.addEntryBlock();
  IRMapping mapping;
  mapping.map(residuals.getArrayRef(),
              body->getArguments().take_front(residuals.size()));
  mapping.map(tangents, body->getArguments().take_back(tangents.size()));
  for (auto [i, extents] : llvm::enumerate(extentResiduals))
    func.setArgAttr(residuals.size() + i, kExtentResiduals, extents);
  builder.setInsertionPointToStart(body);
  for (BlockArgument tangent : body->getArguments().take_back(tangents.size()))
    requireExtents(builder, tangent, residualExtents(tangent), "tangent");
  for (Operation &op : block.without_terminator()) {
    bool isNeeded = llvm::any_of(op.getResults(),
                                 [&](Value v) { return needed.contains(v); });
    if (isLinear(op) || (isNeeded && recomputed.contains(&op)))
      builder.clone(op, mapping);
  }
  for (Value &result : results)
    result = mapping.lookup(result);
  func::ReturnOp::create(builder, forward.getLoc(), results);
  return func;
}

/// Leaves the forward part, which returns the residuals.
void Splitter::reduceToForward() {
  Operation *terminator = block.getTerminator();
  SmallVector<Value> results(terminator->getOperands().take_front(numResults));
  llvm::append_range(results, residuals);
  terminator->setOperands(results);
  SmallVector<DictionaryAttr> attrs;
  forward.getAllResultAttrs(attrs);
  attrs.resize(numResults);
  attrs.resize(results.size(), builder.getDictionaryAttr({}));
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (isLinear(op))
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  llvm::BitVector dropped(forward.getNumArguments());
  dropped.set(forward.getNumArguments() - tangents.size(),
              forward.getNumArguments());
  (void)forward.eraseArguments(dropped); // they have no uses
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  forward.setAllResultAttrs(attrs);
}

func::FuncOp Splitter::split(StringRef name, ArrayRef<int64_t> wrt) {
  findRecomputed();
  findResiduals();
  addExtents(wrt);
  func::FuncOp func = buildLinear(name);
  reduceToForward();
  return func;
}

FailureOr<Linearization> symshape::linearize(func::FuncOp func,
                                             const Request &request) {
  loadDialectsOfRules(func.getContext());
  if (failed(verifyRequest(func, request, {".fwd", ".lin"})))
    return failure();
  FailureOr<func::FuncOp> forward = differentiateCopy(
      func, request, func.getName() + ".fwd", /*separate=*/true);
  if (failed(forward))
    return failure();
  Splitter splitter(*forward, request.wrt.size(), func.getNumResults());
  std::string name = (func.getName() + ".lin").str();
  func::FuncOp linear = splitter.split(name, request.wrt);
  eraseDead(*forward);
  return Linearization{*forward, linear};
}
