//===- NodeCode.cpp - Code that ops have in common ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops, loops, and bodies of regions on scalars.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

SmallVector<OpFoldResult> Node::extents(Value tensor) {
  return tensor::getMixedSizes(b, loc, tensor);
}

OpFoldResult Node::extent(Value tensor, int64_t axis) {
  return tensor::getMixedSize(b, loc, tensor, axis);
}

Value Node::empty(ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value Node::fill(ArrayRef<OpFoldResult> sizes, Value element) {
  Value init = empty(sizes, element.getType());
  return linalg::FillOp::create(b, loc, element, init).getResult(0);
}

Value Node::zero(Type element) { return Scalars(b, loc).zero(element); }

Value Node::fromScalar(Value element) {
  return tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({}, element.getType()), element);
}

SmallVector<Value> Node::generic(ValueRange inputs, ValueRange inits,
                                 ArrayRef<AffineMap> maps,
                                 ArrayRef<bool> isReduction, Body body) {
  SmallVector<utils::IteratorType> iterators =
      llvm::map_to_vector(isReduction, [](bool is) {
        return is ? utils::IteratorType::reduction
                  : utils::IteratorType::parallel;
      });
  auto result = linalg::GenericOp::create(b, loc, TypeRange(inits), inputs,
                                          inits, maps, iterators);
  // The op stands before its body is made, so that the body can put what it
  // needs from outside before it.
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&result.getRegion());
  for (ValueRange values : {inputs, inits})
    for (Value value : values)
      block->addArgument(getElementTypeOrSelf(value), loc);
  SmallVector<Value> yielded = body(b, loc, block->getArguments());
  linalg::YieldOp::create(b, loc, yielded);
  return SmallVector<Value>(result.getResults());
}

Value Node::map(Value tensor, Type element,
                llvm::function_ref<Value(Scalars &, Value)> body) {
  int64_t rank = mlir::cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  return generic(tensor, empty(extents(tensor), element), maps,
                 SmallVector<bool>(rank, false),
                 [&](OpBuilder &b, Location loc, ValueRange x) {
                   Scalars scalars(b, loc);
                   return SmallVector<Value>{body(scalars, x[0])};
                 })
      .front();
}

Value Node::generate(
    ArrayRef<OpFoldResult> sizes, Type element,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  unsigned rank = sizes.size();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  return generic({}, empty(sizes, element), identity,
                 SmallVector<bool>(rank, false),
                 [&](OpBuilder &, Location, ValueRange) {
                   SmallVector<Value> at;
                   for (unsigned i = 0; i < rank; ++i)
                     at.push_back(linalg::IndexOp::create(b, loc, i));
                   return SmallVector<Value>{body(b, loc, at)};
                 })
      .front();
}

Value Node::cast(Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(b, loc, type, tensor);
}

/// The type of a tensor of these sizes.
static RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

Value Node::broadcast(Value tensor, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<int64_t> dims) {
  auto source = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> expanding, statics;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(sizes, dynamics, statics);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (source.getDimSize(i) == 1 && statics[dim] != 1)
      expanding.push_back(i);
  return b.createOrFold<BroadcastOp>(
      loc, typeOf(sizes, source.getElementType()), tensor, dynamics, statics,
      dims, expanding);
}

Value Node::reshape(Value tensor, ArrayRef<OpFoldResult> sizes) {
  return b.createOrFold<ReshapeOp>(loc, tensor, sizes);
}

Value Node::transpose(Value tensor, ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> from = extents(tensor), to;
  for (int64_t axis : permutation)
    to.push_back(from[axis]);
  Value init = empty(to, getElementTypeOrSelf(tensor));
  return linalg::TransposeOp::create(b, loc, tensor, init, permutation)
      ->getResult(0);
}

/// Nullopt if it is too large, or less than 0.
static std::optional<int64_t> paddedExtent(int64_t extent, int64_t low,
                                           int64_t high, int64_t interior) {
  int64_t base = 0, borders, sum;
  if (extent != 0 && (llvm::MulOverflow(extent - 1, interior, base) ||
                      llvm::AddOverflow(base, extent, base)))
    return std::nullopt;
  if (llvm::AddOverflow(low, high, borders) ||
      llvm::AddOverflow(base, borders, sum) || sum < 0)
    return std::nullopt;
  return sum;
}

Value Node::pad(Value tensor, Value element, ArrayRef<OpFoldResult> low,
                ArrayRef<OpFoldResult> high, ArrayRef<int64_t> interior) {
  auto source = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> lows, highs, shape;
  SmallVector<Value> lowValues, highValues;
  dispatchIndexOpFoldResults(low, lowValues, lows);
  dispatchIndexOpFoldResults(high, highValues, highs);
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t extent = source.getDimSize(i);
    bool isStatic = !ShapedType::isDynamic(extent) &&
                    !ShapedType::isDynamic(lows[i]) &&
                    !ShapedType::isDynamic(highs[i]);
    shape.push_back(ShapedType::kDynamic);
    if (!isStatic)
      continue;
    auto padded = paddedExtent(extent, lows[i], highs[i], interior[i]);
    if (!padded) {
      (void)fail("expected a border that leaves an extent of at least 0");
      return tensor;
    }
    shape.back() = *padded;
  }
  return b.createOrFold<PadOp>(loc, source.clone(shape), tensor, element,
                               lowValues, highValues, lows, highs, interior);
}

SmallVector<Value>
Node::loop(Value from, Value to, Value step, ValueRange inits,
           llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto result = scf::ForOp::create(b, loc, from, to, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(result.getBody());
  scf::YieldOp::create(
      b, loc, body(result.getInductionVar(), result.getRegionIterArgs()));
  return SmallVector<Value>(result.getResults());
}

SmallVector<Value> Node::loops(
    ArrayRef<OpFoldResult> sizes, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<scf::ForOp> nest;
  SmallVector<Value> at, carried(inits);
  for (OpFoldResult size : sizes) {
    auto loop =
        scf::ForOp::create(b, loc, index(b.getIndexAttr(0)), index(size),
                           index(b.getIndexAttr(1)), carried);
    nest.push_back(loop);
    at.push_back(loop.getInductionVar());
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }
  SmallVector<Value> results = body(at, carried);
  for (scf::ForOp loop : llvm::reverse(nest)) {
    b.setInsertionPointToEnd(loop.getBody());
    if (!loop.getInitArgs().empty())
      scf::YieldOp::create(b, loc, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return results;
}

namespace {
/// Ops of a region on scalars, one after the other.
class ScalarRegion {
public:
  ScalarRegion(Node &node) : node(node), b(node.b) {}
  FailureOr<SmallVector<Value>> inlineBlock(Block &block, ValueRange inputs);

private:
  Value lookup(Value value);
  Value importOp(Operation &op, StringRef name);
  Value call(Operation &op, ValueRange operands);

  Node &node;
  unsigned depth = 0; ///< of calls
  OpBuilder &b;
  DenseMap<Value, Value> values;
};
} // namespace

/// Of a value from outside, the scalar, which is read before the op around.
Value ScalarRegion::lookup(Value value) {
  if (Value known = values.lookup(value))
    return known;
  Operand *outer = node.importer.lookup(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!outer || !type || type.getRank() != 0)
    return Value();
  OpBuilder::InsertionGuard guard(b);
  Operation *around = b.getInsertionBlock()->getParentOp();
  if (isa<linalg::GenericOp>(around))
    b.setInsertionPoint(around);
  Value tensor = node.importer.tensorOf(*outer, type.getElementType());
  return tensor
             ? b.createOrFold<tensor::ExtractOp>(node.loc, tensor, ValueRange())
             : Value();
}

Value ScalarRegion::importOp(Operation &op, StringRef name) {
  auto elementOf = [](Value v) { return getElementTypeOrSelf(v.getType()); };
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || type.getRank() != 0)
    return Value();
  if (name == "constant") {
    auto value = op.getAttrOfType<DenseElementsAttr>("value");
    if (!value || value.getNumElements() != 1 ||
        value.getElementType() != type.getElementType())
      return Value();
    Value tensor = arith::ConstantOp::create(
        b, node.loc, value.bitcast(signless(value.getElementType())));
    return b.createOrFold<tensor::ExtractOp>(node.loc, tensor, ValueRange());
  }
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op.getOperands()) {
    operands.push_back(lookup(operand));
    types.push_back(elementOf(operand));
    if (!operands.back())
      return Value();
  }
  if (name == "call")
    return call(op, operands);
  if (name == "reshape" || name == "broadcast_in_dim")
    return operands.size() == 1 ? operands.front() : Value();
  Scalars scalars(b, node.loc);
  return scalars.compute(
      ScalarOp{name, types, type.getElementType(), op.getAttrDictionary()},
      operands);
}

Value ScalarRegion::call(Operation &op, ValueRange operands) {
  constexpr unsigned mostDepth = 16;
  auto callee = op.getAttrOfType<StringAttr>("callee");
  Operation *function =
      callee ? node.importer.findFunction(callee.getValue()) : nullptr;
  if (!function || depth == mostDepth)
    return Value();
  ++depth;
  auto results = inlineBlock(function->getRegion(0).front(), operands);
  --depth;
  return succeeded(results) && results->size() == 1 ? results->front()
                                                    : Value();
}

FailureOr<SmallVector<Value>> ScalarRegion::inlineBlock(Block &block,
                                                        ValueRange inputs) {
  if (block.getNumArguments() != inputs.size())
    return failure();
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs))
    values[argument] = input;
  for (Operation &op : block) {
    StringRef name = op.getName().stripDialect();
    name = name.take_front(name.rfind("_v"));
    if (name == "return") {
      SmallVector<Value> results;
      for (Value operand : op.getOperands()) {
        results.push_back(lookup(operand));
        if (!results.back())
          return failure();
      }
      return results;
    }
    Value result = op.getNumResults() == 1 ? importOp(op, name) : Value();
    if (!result)
      return node.fail("expected a body of elementwise ops on scalars, but "
                       "got '" +
                       name + "'");
    values[op.getResult(0)] = result;
  }
  return failure();
}

FailureOr<SmallVector<Value>> Node::inlineScalars(Region &region,
                                                  ValueRange inputs) {
  if (!region.hasOneBlock())
    return fail("expected a region of one block");
  auto results = ScalarRegion(*this).inlineBlock(region.front(), inputs);
  if (failed(results))
    return fail("expected a body on scalars");
  return results;
}
