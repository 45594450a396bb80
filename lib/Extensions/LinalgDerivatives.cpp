//===- LinalgDerivatives.cpp - Derivatives of linalg ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op on tensors is differentiated through its body. The tangent is
// a structured op of the same loops, which reads the inputs and their tangents.
// A linear one is transposed operand by operand: a structured op of the same
// loops reads the cotangent and writes, by the map of the operand, what the
// transposed body gives. Reductions are sums, or one of maximum, minimum and
// product.
//
//===----------------------------------------------------------------------===//

#include "DerivativeHelpers.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
//===----------------------------------------------------------------------===//
// What a body is
//===----------------------------------------------------------------------===//

enum class Kind { Elementwise, Sum, Extremum, Product, Other };

/// The value that a reduction combines with the accumulator; null where the
/// body is no reduction by one op.
Value combinedValue(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return Value();
  Value accumulator = op.getRegionOutputArgs().front();
  Operation *combiner = combiners.front();
  for (Value operand : combiner->getOperands())
    if (operand != accumulator)
      return operand;
  return Value();
}

Kind kindOf(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return Kind::Other;
  Block *body = op.getBlock();
  Value accumulator = body->getArguments().back();
  if (accumulator.use_empty())
    return Kind::Elementwise;
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!accumulator.hasOneUse() || !combiner ||
      *accumulator.user_begin() != combiner)
    return Kind::Other;
  if (isa<arith::AddFOp>(combiner))
    return Kind::Sum;
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(combiner))
    return Kind::Extremum;
  return isa<arith::MulFOp>(combiner) ? Kind::Product : Kind::Other;
}

LogicalResult refuse(linalg::LinalgOp op) {
  return emitFieldError(op, "rule",
                        "to exist for this body: elementwise, or a sum, "
                        "maximum, minimum or product",
                        "missing");
}

/// Whether the body uses a value with a tangent that is no operand of the op.
bool capturesActive(linalg::LinalgOp op, Tangents &tangents) {
  return op
      ->walk([&](Operation *inner) {
        if (inner == op.getOperation())
          return WalkResult::advance();
        for (Value operand : inner->getOperands())
          if (operand.getParentRegion()->isProperAncestor(
                  op.getBlock()->getParent()) &&
              tangents.of(operand))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void eraseDeadOps(Block &block) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Replaces the op by one without the inputs that its body does not use, as far
/// as others say how long each loop is; so they are no residuals.
linalg::GenericOp dropUnusedInputs(OpBuilder &b, linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Block &body = *op.getBlock();
  for (size_t i = inputs.size(); i-- > 0;) {
    SmallVector<AffineMap> others = maps;
    others.erase(others.begin() + i);
    if (!body.getArgument(i).use_empty() ||
        !inversePermutation(concatAffineMaps(others, b.getContext())))
      continue;
    inputs.erase(inputs.begin() + i);
    body.eraseArgument(i);
    maps = others;
  }
  if (inputs.size() == op.getInputs().size())
    return op;
  auto smaller = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(),
                                           inputs, op.getOutputs(), maps,
                                           op.getIteratorTypesArray());
  smaller.getRegion().takeBody(op.getRegion());
  op.erase();
  return smaller;
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

using YieldFn = function_ref<Value(OpBuilder &, Value yielded, Value tangent,
                                   ValueRange further, Value accumulator)>;

/// The tangent op: the loops of `op` over its inputs, their tangents and
/// further tensors, which are read by the map of the result. What it yields is
/// `finish` of what the body of `op` gives for what `source` says, its tangent,
/// and the elements of further tensors.
struct TangentOp {
  linalg::LinalgOp op;
  Tangents &tangents;
  Value source; ///< a value of the body
  SmallVector<Value> further;
  bool readsTangents = true;

  FailureOr<Value> build(Value init, YieldFn finish);
};

FailureOr<Value> TangentOp::build(Value init, YieldFn finish) {
  OpBuilder &b = tangents.builder();
  SmallVector<Value> inputs(op.getDpsInputs()), active;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  SmallVector<unsigned> numbers;
  for (auto [number, input] : llvm::enumerate(op.getDpsInputs()))
    if (Value tangent = tangents.of(input); tangent && readsTangents) {
      numbers.push_back(number);
      inputs.push_back(tangent);
      maps.push_back(maps[number]);
    }
  AffineMap resultMap = op.getIndexingMapsArray().back();
  for (Value tensor : further) {
    inputs.push_back(tensor);
    maps.push_back(resultMap);
  }
  maps.push_back(resultMap);
  unsigned numInputs = op.getNumDpsInputs();
  Tangents::Scope scope(tangents);
  bool ok = true;
  auto tangentOp = linalg::GenericOp::create(
      b, op.getLoc(), init.getType(), inputs, init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(op.getBlock()->getArguments().take_front(numInputs),
                    args.take_front(numInputs));
        mapping.map(op.getBlock()->getArguments().back(), args.back());
        for (Operation &primal : op.getBlock()->without_terminator())
          inner.clone(primal, mapping);
        for (auto [i, number] : llvm::enumerate(numbers))
          tangents.set(args[number], args[numInputs + i]);
        ok = succeeded(tangents.differentiate(*inner.getInsertionBlock()));
        Value primal = mapping.lookupOrDefault(source);
        inner.setInsertionPointToEnd(inner.getInsertionBlock());
        Value yielded =
            finish(inner, primal, tangents.of(primal),
                   args.drop_front(numInputs + numbers.size()).drop_back(),
                   args.back());
        linalg::YieldOp::create(inner, loc, yielded);
      });
  if (!ok) {
    tangentOp.erase();
    return failure();
  }
  eraseDeadOps(*tangentOp.getBlock());
  return dropUnusedInputs(b, tangentOp).getResult(0);
}

Value makeScalar(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// Elementwise, and sums: `combined` is what is yielded, or what is added.
LogicalResult sumJvp(linalg::LinalgOp op, Tangents &tangents, bool isSum) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  Value init = op.getDpsInits().front();
  Value source = op.getBlock()->getTerminator()->getOperand(0);
  Value start;
  if (isSum) {
    Value accumulator = op.getBlock()->getArguments().back();
    Operation *add = source.getDefiningOp();
    source = add->getOperand(add->getOperand(0) == accumulator ? 1 : 0);
    start =
        tangents.of(init) ? tangents.of(init) : makeConstant(b, loc, 0, result);
  } else {
    start =
        tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, result),
                                getElementTypeOrSelf(result));
  }
  auto finish = [&](OpBuilder &inner, Value, Value tangent, ValueRange,
                    Value accumulator) -> Value {
    if (!tangent && isSum)
      return accumulator;
    if (!tangent)
      return makeScalar(inner, loc, accumulator.getType(), 0);
    return isSum ? makeSum(inner, loc, accumulator, tangent) : tangent;
  };
  FailureOr<Value> tangent =
      TangentOp{op, tangents, source, {}}.build(start, finish);
  if (failed(tangent))
    return failure();
  tangents.set(result, *tangent);
  return success();
}

/// An empty axis has no extremum: the mean of its tangents is 0 by 0.
void assertNotEmpty(OpBuilder &b, linalg::LinalgOp op) {
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
  StringRef name = isMaximum ? "reduce_max" : "reduce_min";
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced) {
    Value extent;
    for (OpOperand *input : op.getDpsInputOperands())
      for (auto [d, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
        if (expr == b.getAffineDimExpr(loop))
          extent = tensor::DimOp::create(b, op.getLoc(), input->get(), d);
    if (!extent)
      continue;
    auto check =
        AssertOp::create(b, op.getLoc(), extent, b.getStringAttr("n >= 1"),
                         b.getStringAttr("the derivative of " + name +
                                         " over an axis needs an element"));
    check->setAttr(
        kTriple, b.getStringAttr(makeTriple(name, "operand.shape[axis]", "0")));
  }
}

/// The mean of the tangents of all candidates that reach the extremum.
LogicalResult extremumJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0), candidate = combinedValue(op);
  if (!candidate)
    return refuse(op);
  assertNotEmpty(b, op);
  auto sumWhereReached = [&](bool ofTangents) {
    auto finish = [&](OpBuilder &inner, Value primal, Value tangent,
                      ValueRange further, Value accumulator) -> Value {
      Value zero = makeScalar(inner, loc, accumulator.getType(), 0);
      Value part = ofTangents
                       ? tangent
                       : makeScalar(inner, loc, accumulator.getType(), 1);
      Value isReached = arith::CmpFOp::create(
          inner, loc, arith::CmpFPredicate::OEQ, primal, further.front());
      part = arith::SelectOp::create(inner, loc, isReached, part ? part : zero,
                                     zero);
      return makeSum(inner, loc, accumulator, part);
    };
    return TangentOp{op, tangents, candidate, {result}, ofTangents}.build(
        makeConstant(b, loc, 0, result), finish);
  };
  FailureOr<Value> sum = sumWhereReached(true);
  if (failed(sum))
    return failure();
  FailureOr<Value> count = sumWhereReached(false);
  tangents.set(result, arith::DivFOp::create(b, loc, *sum, *count));
  return success();
}

/// For each element of the input of a product, the product of the others: no
/// division, so that zeros need no cases. Cost: the square of the axis.
FailureOr<Value> makeProductOfOthers(OpBuilder &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  Value input = op.getDpsInputs().front();
  AffineMap map = op.getIndexingMapsArray().front();
  if (!map.isPermutation())
    return failure();
  unsigned numLoops = op.getNumLoops();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < numLoops; ++d)
    dims.push_back(b.getAffineDimExpr(d));
  for (auto [i, d] : llvm::enumerate(reduced))
    dims[d] = b.getAffineDimExpr(numLoops + i);
  unsigned all = numLoops + reduced.size();
  AffineMap others = map.replaceDimsAndSymbols(dims, {}, all, 0);
  AffineMap own = AffineMap::get(all, 0, map.getResults(), b.getContext());
  SmallVector<utils::IteratorType> loops(numLoops,
                                         utils::IteratorType::parallel);
  loops.resize(all, utils::IteratorType::reduction);
  Value ones = makeConstant(b, loc, 1, input);
  return linalg::GenericOp::create(
             b, loc, ones.getType(), input, ones, ArrayRef{others, own}, loops,
             [&](OpBuilder &inner, Location where, ValueRange args) {
               Value same =
                   arith::ConstantOp::create(inner, where, b.getBoolAttr(true));
               for (auto [i, d] : llvm::enumerate(reduced)) {
                 Value here = linalg::IndexOp::create(inner, where, d);
                 Value there =
                     linalg::IndexOp::create(inner, where, numLoops + i);
                 Value equal = arith::CmpIOp::create(
                     inner, where, arith::CmpIPredicate::eq, here, there);
                 same = arith::AndIOp::create(inner, where, same, equal);
               }
               Value one = makeScalar(inner, where, args[0].getType(), 1);
               Value factor =
                   arith::SelectOp::create(inner, where, same, one, args[0]);
               linalg::YieldOp::create(
                   inner, where,
                   arith::MulFOp::create(inner, where, args[1], factor)
                       .getResult());
             })
      .getResult(0);
}

LogicalResult productJvp(linalg::LinalgOp op, Tangents &tangents) {
  OpBuilder &b = tangents.builder();
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  if (op.getNumDpsInputs() != 1 ||
      combinedValue(op) != op.getBlock()->getArgument(0) ||
      tangents.of(op.getDpsInits().front()))
    return refuse(op);
  FailureOr<Value> others = makeProductOfOthers(b, op);
  if (failed(others))
    return refuse(op);
  AffineMap map = op.getIndexingMapsArray().front();
  Value tangent = tangents.of(op.getDpsInputs().front());
  auto sum = linalg::GenericOp::create(
      b, loc, result.getType(), ValueRange{*others, tangent},
      makeConstant(b, loc, 0, result),
      ArrayRef{map, map, op.getIndexingMapsArray().back()},
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location where, ValueRange args) {
        Value part = arith::MulFOp::create(inner, where, args[0], args[1]);
        linalg::YieldOp::create(inner, where,
                                makeSum(inner, where, args[2], part));
      });
  tangents.set(result, sum.getResult(0));
  return success();
}

LogicalResult structuredJvp(linalg::LinalgOp op, Tangents &tangents) {
  if (capturesActive(op, tangents))
    return refuse(op);
  switch (kindOf(op)) {
  case Kind::Elementwise:
    return sumJvp(op, tangents, /*isSum=*/false);
  case Kind::Sum:
    return sumJvp(op, tangents, /*isSum=*/true);
  case Kind::Extremum:
    return extremumJvp(op, tangents);
  case Kind::Product:
    return productJvp(op, tangents);
  case Kind::Other:
    return refuse(op);
  }
  llvm_unreachable("a kind of body");
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// The transpose of a structured op with respect to one linear input.
class OperandTranspose {
public:
  OperandTranspose(linalg::LinalgOp op, Cotangents &cotangents,
                   OpOperand &operand, bool isSum)
      : op(op), cotangents(cotangents), b(cotangents.builder()),
        loc(op.getLoc()), operand(operand), isSum(isSum) {}
  LogicalResult run();

private:
  void collectInputs();
  void coverLoops();
  LogicalResult buildBody(ValueRange args, Value &result);

  linalg::LinalgOp op;
  Cotangents &cotangents;
  OpBuilder &b;
  Location loc;
  OpOperand &operand;
  bool isSum, isOnce = false;
  SmallVector<Value> inputs; ///< residuals, the cotangent, extents of loops
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> argumentOfInput; ///< of the body; -1: none
};
} // namespace

void OperandTranspose::collectInputs() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (cotangents.isLinear(input->get()))
      continue;
    inputs.push_back(cotangents.residual(input->get()));
    maps.push_back(op.getMatchingIndexingMap(input));
    argumentOfInput.push_back(input->getOperandNumber());
  }
  inputs.push_back(cotangents.of(op->getResult(0)));
  maps.push_back(op.getIndexingMapsArray().back());
}

/// Gives each loop an operand that says how long it is.
void OperandTranspose::coverLoops() {
  llvm::SmallBitVector covered(op.getNumLoops());
  auto cover = [&](AffineMap map) {
    for (unsigned d = 0; d < op.getNumLoops(); ++d)
      if (map.isFunctionOfDim(d))
        covered.set(d);
  };
  for (AffineMap map : maps)
    cover(map);
  cover(op.getMatchingIndexingMap(&operand));
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isNeeded = false;
    for (unsigned d = 0; d < op.getNumLoops(); ++d)
      isNeeded |= map.isFunctionOfDim(d) && !covered[d];
    if (!isNeeded)
      continue;
    inputs.push_back(tensor::EmptyOp::create(
        b, loc, cotangents.extents(input->get()), b.getI1Type()));
    maps.push_back(map);
    cover(map);
  }
}

/// Builds the transposed body at the insertion point.
LogicalResult OperandTranspose::buildBody(ValueRange args, Value &result) {
  Block &body = *op.getBlock();
  SmallVector<Value> arguments(body.getNumArguments());
  for (auto [i, number] : llvm::enumerate(argumentOfInput))
    arguments[number] = args[i];
  // The accumulator of a sum is linear; another is not used.
  if (!isSum)
    arguments.back() = args.back();
  FailureOr<SmallVector<Value>> transposed =
      cotangents.transposeBody(body, arguments, {args[argumentOfInput.size()]});
  if (failed(transposed))
    return failure();
  result = (*transposed)[operand.getOperandNumber()];
  if (!isOnce)
    result = makeSum(b, loc, args.back(), result);
  return success();
}

LogicalResult OperandTranspose::run() {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return refuse(op);
  collectInputs();
  coverLoops();
  SmallVector<utils::IteratorType> loops(op.getNumLoops(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : map.getResults())
    loops[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  isOnce = map.isPermutation();
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  Type element = getElementTypeOrSelf(operand.get());
  SmallVector<OpFoldResult> extents;
  if (type)
    extents = cotangents.extents(operand.get());
  else
    type = RankedTensorType::get({}, element);
  Value init =
      isOnce ? tensor::EmptyOp::create(b, loc, extents, element).getResult()
             : makeZero(b, loc, type, extents);
  maps.push_back(map);
  LogicalResult result = success();
  auto transposed = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &inner, Location where, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        Value yielded = args.back();
        result = buildBody(args, yielded);
        linalg::YieldOp::create(b, where, yielded);
      });
  if (failed(result))
    return failure();
  eraseDeadOps(*transposed.getBlock());
  Value cotangent = transposed.getResult(0);
  if (!isa<RankedTensorType>(operand.get().getType()))
    cotangent = tensor::ExtractOp::create(b, loc, cotangent, ValueRange{});
  cotangents.add(operand.get(), cotangent);
  return success();
}

static LogicalResult structuredTranspose(linalg::LinalgOp op,
                                         Cotangents &cotangents) {
  Kind kind = kindOf(op);
  bool isSum = kind == Kind::Sum;
  if (!isSum && kind != Kind::Elementwise)
    return refuse(op);
  Value init = op.getDpsInits().front();
  if (isSum && cotangents.isLinear(init))
    cotangents.add(init, cotangents.of(op->getResult(0)));
  for (OpOperand *input : op.getDpsInputOperands())
    if (cotangents.isLinear(input->get()) &&
        failed(OperandTranspose(op, cotangents, *input, isSum).run()))
      return failure();
  return success();
}

template <typename OpTy>
static LogicalResult namedJvp(OpTy op, Tangents &tangents) {
  return structuredJvp(cast<linalg::LinalgOp>(op.getOperation()), tangents);
}

template <typename OpTy>
static LogicalResult namedTranspose(OpTy op, Cotangents &cotangents) {
  return structuredTranspose(cast<linalg::LinalgOp>(op.getOperation()),
                             cotangents);
}

template <typename... OpTys>
static void attachAll(MLIRContext *context) {
  (attachDerivatives<OpTys, namedJvp<OpTys>, namedTranspose<OpTys>>(context),
   ...);
}

void symshape::registerLinalgDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    using namespace mlir::linalg;
    attachAll<GenericOp, MapOp, ReduceOp, linalg::TransposeOp,
              linalg::BroadcastOp, FillOp, CopyOp, MatmulOp, BatchMatmulOp,
              MatvecOp, VecmatOp, DotOp, linalg::ContractOp, ElementwiseOp>(
        context);
  });
}
