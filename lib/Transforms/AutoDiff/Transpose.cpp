//===- Transpose.cpp - Transposes linear functions ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a linear function in reverse order, each replaced by its
// transpose; what is not linear is copied first. The extents of linear values,
// which do not exist in the transposed function, are found in the linear one
// first: from those of the operands, op by op.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "symshape/IR/OneOpFacts.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/AutoDiff.h"
#include "symshape/Transforms/ExprEmitter.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

namespace {
/// The extents of linear values, as values that are not linear.
class LinearExtents {
public:
  LinearExtents(const DenseSet<Value> &linear) : linear(linear) {}

  void setArgument(BlockArgument argument) {
    known[argument] = residualExtents(argument);
  }
  /// Finds the extents of the results of a linear op.
  LogicalResult visit(Operation *op);
  ArrayRef<OpFoldResult> of(Value value) const {
    return known.find(value)->second;
  }

private:
  SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Value value);
  LogicalResult reify(Operation *op);
  bool askRule(Operation *op);
  void visitChoice(arith::SelectOp op);

  const DenseSet<Value> &linear;
  DenseMap<Value, SmallVector<OpFoldResult>> known;
};
} // namespace

/// What says the dims of a tangent is no linear op: its extents are known.
static void replaceDims(BlockArgument tangent) {
  SmallVector<OpFoldResult> extents = residualExtents(tangent);
  for (Operation *user : llvm::make_early_inc_range(tangent.getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    if (!dim || !dim.getConstantIndex())
      continue;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
        builder, dim.getLoc(), extents[*dim.getConstantIndex()]));
    dim.erase();
  }
}

SmallVector<OpFoldResult> LinearExtents::sizesOf(OpBuilder &builder,
                                                 Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  return tensor::getMixedSizes(builder, value.getLoc(), value);
}

namespace {
/// What the rule of one op says, over the extents and values of its operands.
class RuleExtents final : public OneOpFacts {
public:
  explicit RuleExtents(Operation *op) : op(op) {
    cast<ShapeFactsOpInterface>(op).populateShapeFacts(*this);
  }
  using Source = std::pair<Value, std::optional<int64_t>>;
  /// An operand and a dimension of it; nullopt for any other symbol.
  std::optional<Source> sourceOf(Expr symbol) const {
    auto it = sources.find(symbol);
    return it == sources.end() ? std::nullopt : std::optional(it->second);
  }
  symshape::Range rangeOf(Expr symbol) const { return set.info(symbol).range; }

private:
  Expr makeSymbol(Value value, std::optional<int64_t> d,
                  symshape::Range range) override {
    Expr symbol = OneOpFacts::makeSymbol(value, d, range);
    if (llvm::is_contained(op->getOperands(), value))
      sources[symbol] = {value, d};
    return symbol;
  }

  Operation *op;
  DenseMap<Expr, Source> sources;
};
} // namespace

/// Computes the extents of the results as the rule of the op says them. False,
/// and nothing is built, where it does not say all of them.
bool LinearExtents::askRule(Operation *op) {
  if (!isa<ShapeFactsOpInterface>(op) || op->getNumRegions())
    return false;
  RuleExtents facts(op);
  SmallVector<SmallVector<Expr>> said;
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      return false;
    said.push_back(facts.dims(result));
    for (Expr extent : said.back())
      for (Expr symbol : extent.symbols())
        if (auto source = facts.sourceOf(symbol);
            !source || (!source->second && linear.contains(source->first)))
          return false;
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  ExprEmitter emitter(
      builder, loc,
      [&](Expr symbol) {
        auto [value, d] = *facts.sourceOf(symbol);
        if (!d)
          return value;
        return getValueOrCreateConstantIndexOp(builder, loc,
                                               sizesOf(builder, value)[*d]);
      },
      [&](Expr symbol) { return facts.rangeOf(symbol); });
  for (auto [result, extents] : llvm::zip_equal(op->getResults(), said))
    for (Expr extent : extents) {
      std::optional<int64_t> size = extent.asInt64();
      known[result].push_back(size ? OpFoldResult(builder.getIndexAttr(*size))
                                   : emitter.emitIndex(extent));
    }
  return true;
}

LogicalResult LinearExtents::reify(Operation *op) {
  if (!isa<ReifyRankedShapedTypeOpInterface>(op) && askRule(op))
    return success();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *next = op->getNextNode();
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, op, shapes)))
    return emitFieldError(op, "result.shape",
                          "of a tangent to be known: implement "
                          "ReifyRankedShapedTypeOpInterface for the op, or say "
                          "it in its shape rule",
                          "unknown");
  // Reification asks for dims of operands, or of sources of casts; for linear
  // ones these are known.
  for (Operation &made : llvm::make_early_inc_range(llvm::make_range(
           std::next(op->getIterator()),
           next ? next->getIterator() : op->getBlock()->end()))) {
    auto dim = dyn_cast<tensor::DimOp>(made);
    if (!dim || !linear.contains(dim.getSource()))
      continue;
    OpFoldResult extent = known[dim.getSource()][*dim.getConstantIndex()];
    for (SmallVector<OpFoldResult> &shape : shapes)
      llvm::replace(shape, OpFoldResult(dim.getResult()), extent);
    builder.setInsertionPoint(dim);
    dim.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, dim.getLoc(), extent));
    dim.erase();
  }
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes))
    known[result] = shape;
  return success();
}

/// One of two tensors, whose extents may differ.
void LinearExtents::visitChoice(arith::SelectOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> extents = sizesOf(builder, op.getTrueValue());
  for (auto [extent, other] :
       llvm::zip(extents, sizesOf(builder, op.getFalseValue())))
    if (extent != other)
      extent = arith::SelectOp::create(
                   builder, loc, op.getCondition(),
                   getValueOrCreateConstantIndexOp(builder, loc, extent),
                   getValueOrCreateConstantIndexOp(builder, loc, other))
                   .getResult();
  known[op.getResult()] = extents;
}

LogicalResult LinearExtents::visit(Operation *op) {
  OpBuilder builder(op);
  if (auto extents = dyn_cast<WithExtentsOp>(op)) {
    known[extents.getSource()] = extents.getMixedExtents();
    known[extents.getResult()] = extents.getMixedExtents();
    return success();
  }
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect())) {
    for (Region &region : op->getRegions())
      for (Operation &inner : llvm::make_early_inc_range(region.getOps()))
        if (usesAny(&inner, linear) && failed(visit(&inner)))
          return failure();
    return success(); // of the results, with_extents says the extents
  }
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  if (llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      })) {
    for (OpResult result : op->getResults())
      known[result] = getAsIndexOpFoldResult(
          op->getContext(),
          cast<RankedTensorType>(result.getType()).getShape());
    return success();
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (auto [result, init] :
         llvm::zip(op->getResults(), destination.getDpsInits()))
      known[result] = sizesOf(builder, init);
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && !isa<ShapedType>(select.getCondition().getType())) {
    visitChoice(select);
    return success();
  }
  bool isCast = isa<tensor::CastOp>(op);
  if (!isCast && !OpTrait::hasElementwiseMappableTraits(op))
    return reify(op);
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType())) {
      known[op->getResult(0)] = sizesOf(builder, operand);
      break;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Cotangents
//===----------------------------------------------------------------------===//

namespace {
class FunctionCotangents final : public Cotangents {
public:
  FunctionCotangents(OpBuilder &builder, const DenseSet<Value> &linear,
                     const LinearExtents &known)
      : b(builder), linear(linear), known(known) {}

  OpBuilder &builder() override { return b; }
  Value of(Value result) override { return cotangents.lookup(result); }
  void add(Value operand, Value cotangent) override;
  void replace(Value operand, Value sum) override { cotangents[operand] = sum; }
  bool isLinear(Value value) override { return linear.contains(value); }
  Value residual(Value value) override { return mapping.lookup(value); }
  SmallVector<OpFoldResult> extents(Value value) override;
  FailureOr<SmallVector<Value>>
  transposeBody(Block &body, ArrayRef<Value> arguments, ArrayRef<Value> results,
                ArrayRef<Value> captured, ArrayRef<Value> sums) override;

  /// Copies what is not linear, then transposes the rest; the cotangents of
  /// what the terminator returns are known.
  LogicalResult transpose(Block &block);

  IRMapping mapping; ///< of values that are not linear

private:
  OpBuilder &b;
  DenseSet<Value> linear;
  const LinearExtents &known;
  DenseMap<Value, Value> cotangents;
};
} // namespace

void FunctionCotangents::add(Value operand, Value cotangent) {
  Location loc = operand.getLoc();
  if (cotangent.getType() != operand.getType())
    cotangent = tensor::CastOp::create(b, loc, operand.getType(), cotangent);
  Value &sum = cotangents[operand];
  sum = sum ? makeSum(b, loc, sum, cotangent) : cotangent;
}

/// An extent that is known better than by its type is a value too: ops built
/// from extents and types need the two to agree.
SmallVector<OpFoldResult> FunctionCotangents::extents(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  Location loc = value.getLoc();
  SmallVector<OpFoldResult> result =
      isLinear(value) ? SmallVector<OpFoldResult>(known.of(value))
                      : tensor::getMixedSizes(b, loc, residual(value));
  for (auto [extent, dim] : llvm::zip(result, type.getShape())) {
    if (!ShapedType::isDynamic(dim))
      extent = b.getIndexAttr(dim);
    else if (isa<Attribute>(extent))
      extent = getValueOrCreateConstantIndexOp(b, loc, extent);
    else if (isLinear(value))
      extent = residual(cast<Value>(extent));
  }
  return result;
}

LogicalResult FunctionCotangents::transpose(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    if (usesAny(&op, linear))
      ops.push_back(&op);
    else
      b.clone(op, mapping);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(), [&](Value v) { return of(v); }))
      continue;
    auto rule = dyn_cast<LinearTransposeOpInterface>(op);
    if (!rule)
      return emitMissingRule(op);
    if (failed(rule.buildTranspose(*this)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>> FunctionCotangents::transposeBody(
    Block &body, ArrayRef<Value> arguments, ArrayRef<Value> results,
    ArrayRef<Value> captured, ArrayRef<Value> sums) {
  SmallVector<Value> roots(captured);
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (!value)
      roots.push_back(argument);
  FunctionCotangents inner(b, dependentsOf(roots, body), known);
  inner.mapping = mapping;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      inner.mapping.map(argument, value);
  for (auto [value, sum] : llvm::zip_equal(captured, sums))
    if (sum)
      inner.replace(value, sum);
  for (auto [yielded, cotangent] :
       llvm::zip(body.getTerminator()->getOperands(), results))
    if (cotangent && inner.isLinear(yielded))
      inner.add(yielded, cotangent);
  if (failed(inner.transpose(body)))
    return failure();
  SmallVector<Value> cotangentsOfRoots(arguments.size());
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (!arguments[i])
      cotangentsOfRoots[i] = inner.sumOf(argument);
  for (Value value : captured)
    cotangentsOfRoots.push_back(inner.sumOf(value));
  return cotangentsOfRoots;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Builds the body of `transposed` from that of `linear`, which it may change.
static LogicalResult transposeBlock(func::FuncOp linear,
                                    func::FuncOp transposed) {
  Block &source = linear.getBody().front();
  SmallVector<Value> tangents;
  for (BlockArgument argument : source.getArguments())
    if (linear.getArgAttr(argument.getArgNumber(), kExtentResiduals)) {
      replaceDims(argument);
      tangents.push_back(argument);
    }
  DenseSet<Value> dependents = dependentsOf(tangents, source);
  LinearExtents extents(dependents);
  for (Value tangent : tangents)
    extents.setArgument(cast<BlockArgument>(tangent));
  for (Operation &op : llvm::make_early_inc_range(source.without_terminator()))
    if (usesAny(&op, dependents) && failed(extents.visit(&op)))
      return failure();
  Block *body = transposed.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  FunctionCotangents cotangents(builder, dependents, extents);
  size_t numResiduals = source.getNumArguments() - tangents.size();
  cotangents.mapping.map(source.getArguments().take_front(numResiduals),
                         body->getArguments().take_front(numResiduals));
  for (auto [result, cotangent] :
       llvm::zip(source.getTerminator()->getOperands(),
                 body->getArguments().drop_front(numResiduals)))
    if (cotangents.isLinear(result))
      cotangents.add(result, cotangent);
  if (failed(cotangents.transpose(source)))
    return failure();
  for (auto [result, cotangent] :
       llvm::zip(source.getTerminator()->getOperands(),
                 body->getArguments().drop_front(numResiduals)))
    if (cotangents.isLinear(result))
      requireExtents(builder, cotangent, cotangents.extents(result),
                     "cotangent");
  SmallVector<Value> results;
  for (Value tangent : tangents) {
    Value cotangent = cotangents.of(tangent);
    results.push_back(cotangent ? cotangent : cotangents.zeros(tangent));
  }
  func::ReturnOp::create(builder, linear.getLoc(), results);
  return success();
}

FailureOr<func::FuncOp> symshape::transposeLinear(func::FuncOp linear,
                                                  StringRef name) {
  loadDialectsOfRules(linear.getContext());
  SmallVector<Type> types, resultTypes;
  for (auto [i, type] : llvm::enumerate(linear.getArgumentTypes()))
    (linear.getArgAttr(i, kExtentResiduals) ? resultTypes : types)
        .push_back(type);
  llvm::append_range(types, linear.getResultTypes());
  OpBuilder builder(linear);
  builder.setInsertionPointAfter(linear);
  auto copy = cast<func::FuncOp>(builder.clone(*linear));
  auto transposed =
      func::FuncOp::create(builder, linear.getLoc(), name,
                           builder.getFunctionType(types, resultTypes));
  transposed.setVisibility(linear.getVisibility());
  LogicalResult result = transposeBlock(copy, transposed);
  copy.erase();
  if (succeeded(result)) {
    eraseDead(transposed);
    return transposed;
  }
  transposed.erase();
  return failure();
}
