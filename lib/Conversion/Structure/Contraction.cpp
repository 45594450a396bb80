//===- Contraction.cpp - What a contraction is made of --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches contractions and gives their loops roles.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "symshape/IR/SumType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isContraction(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         succeeded(linalg::inferContractionDims(op));
}

bool mlir::symshape::forEachTerm(AffineExpr index,
                                 function_ref<void(unsigned, int64_t)> body) {
  if (auto dim = dyn_cast<AffineDimExpr>(index)) {
    body(dim.getPosition(), 1);
    return true;
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(index);
  if (!both)
    return false;
  if (both.getKind() == AffineExprKind::Add)
    return forEachTerm(both.getLHS(), body) && forEachTerm(both.getRHS(), body);
  auto dim = dyn_cast<AffineDimExpr>(both.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
  if (both.getKind() != AffineExprKind::Mul || !dim || !factor)
    return false;
  body(dim.getPosition(), factor.getValue());
  return true;
}

FailureOr<ContractionLoops>
mlir::symshape::assignLoops(AffineMap a, AffineMap b, AffineMap result) {
  // The result of a transposed convolution has sums of loops.
  if (!llvm::all_of(result.getResults(), llvm::IsaPred<AffineDimExpr>))
    return failure();
  ContractionLoops loops;
  loops.column = result.getDimPosition(result.getNumResults() - 1);
  if (!b.isFunctionOfDim(loops.column) || a.isFunctionOfDim(loops.column))
    return failure();
  for (AffineExpr expr : result.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (a.isFunctionOfDim(dim) && !b.isFunctionOfDim(dim))
      loops.row = dim; // the last one
  }
  for (AffineExpr expr : result.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == loops.column || dim == loops.row)
      continue;
    bool isInA = a.isFunctionOfDim(dim), isInB = b.isFunctionOfDim(dim);
    (!isInA   ? loops.blocks
     : !isInB ? loops.outerRows
              : loops.batch)
        .push_back(dim);
  }
  auto addReductions = [&](AffineMap map, bool isInB) {
    for (AffineExpr expr : map.getResults())
      forEachTerm(expr, [&](unsigned dim, int64_t) {
        if (!result.isFunctionOfDim(dim) && b.isFunctionOfDim(dim) == isInB)
          loops.reductions.push_back(dim);
      });
  };
  addReductions(a, /*isInB=*/false);
  addReductions(b, /*isInB=*/true);
  return loops;
}

namespace {
/// An argument of a body, and whether it is widened as unsigned.
struct Factor {
  BlockArgument argument;
  bool isUnsigned;
};
} // namespace

/// The block argument that `value` widens without changing its number.
static Factor lookThroughExtension(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    value = op->getOperand(0);
  return {dyn_cast<BlockArgument>(value), isa_and_nonnull<arith::ExtUIOp>(op)};
}

/// True for the types that the tile function reads: whole bytes, and with an
/// extension that LLVM has for vectors.
static bool isFactorType(Type type) {
  return type.isF32() || type.isF64() || type.isBF16() || type.isF16() ||
         type.isInteger(8) || type.isInteger(16) || type.isInteger(32);
}

FailureOr<std::pair<Value, Value>>
mlir::symshape::matchFactors(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return failure();
  Block &block = *op.getBlock();
  BlockArgument out = block.getArguments().back();
  Operation *add = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add) ||
      !llvm::is_contained(add->getOperands(), out))
    return failure();
  Value product = add->getOperand(add->getOperand(0) == out);
  Operation *multiply = product.getDefiningOp();
  if (!multiply || !isa<arith::MulFOp, arith::MulIOp>(multiply))
    return failure();
  return std::make_pair(multiply->getOperand(0), multiply->getOperand(1));
}

bool mlir::symshape::multipliesFloats(linalg::LinalgOp op) {
  auto factors = matchFactors(op);
  if (failed(factors) || op.getNumDpsInputs() != 2 ||
      op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return false;
  auto first = dyn_cast<BlockArgument>(factors->first);
  auto second = dyn_cast<BlockArgument>(factors->second);
  return first && second && first.getOwner() == op.getBlock() &&
         second.getOwner() == op.getBlock() &&
         first.getArgNumber() + second.getArgNumber() == 1 &&
         first.getType().isF32() && second.getType().isF32() &&
         op.getBlock()->getArgument(2).getType().isF32();
}

/// Matches a body that adds a product of its two inputs to its output: the type
/// to form the sums in, and how the inputs are taken.
static LogicalResult matchBody(linalg::LinalgOp op, ContractionMatch &match) {
  auto factors = matchFactors(op);
  if (failed(factors) || op.getNumDpsInputs() != 2)
    return failure();
  Factor a = lookThroughExtension(factors->first);
  Factor b = lookThroughExtension(factors->second);
  if (!a.argument || !b.argument ||
      a.argument.getArgNumber() + b.argument.getArgNumber() != 1 ||
      !isFactorType(a.argument.getType()) ||
      !isFactorType(b.argument.getType()))
    return failure();
  if (a.argument.getArgNumber() == 1)
    std::swap(a, b);
  Type type = getSumType(op.getBlock()->getArgument(2).getType());
  if (!type.isF32() && !type.isF64() && !type.isInteger(32))
    return failure();
  match.sumType = type;
  match.isAUnsigned = a.isUnsigned;
  match.isDotProduct = a.isUnsigned != b.isUnsigned &&
                       a.argument.getType().isInteger(8) &&
                       b.argument.getType().isInteger(8);
  match.isBFloatProduct = type.isF32() && a.argument.getType().isBF16() &&
                          b.argument.getType().isBF16();
  return success(match.isDotProduct || (!a.isUnsigned && !b.isUnsigned));
}

bool mlir::symshape::isDotProduct(linalg::LinalgOp op) {
  ContractionMatch match;
  return succeeded(matchBody(op, match)) && match.isDotProduct;
}

Value mlir::symshape::makeTranspose(OpBuilder &b, Location loc, Value value,
                                    ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  SmallVector<OpFoldResult> moved =
      llvm::map_to_vector(order, [&](int64_t d) { return sizes[d]; });
  Value target = tensor::EmptyOp::create(b, loc, moved,
                                         getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(b, loc, value, target, order)
      .getResult()[0];
}

std::optional<std::pair<Value, AffineMap>>
mlir::symshape::matchTranspose(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !isa<linalg::GenericOp, linalg::TransposeOp>(op.getOperation()))
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Operation *yield = op.getBlock()->getTerminator();
  if (!isa<RankedTensorType>(input->get().getType()) ||
      yield->getOperand(0) != op.getMatchingBlockArgument(input) ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !inputMap.isPermutation() || !outputMap.isPermutation())
    return std::nullopt;
  return std::make_pair(input->get(),
                        inputMap.compose(inversePermutation(outputMap)));
}

/// Replaces a transposed copy, or a copy of one, by what it is a copy of.
static void lookThroughTranspositions(Value &value, AffineMap &map) {
  while (auto found = matchTranspose(value)) {
    value = found->first;
    map = found->second.compose(map);
  }
}

/// Whether the right operand of `match` is a dimension a loop, and the left one
/// windows: some index is a sum, and each loop of the right operand that is not
/// a column is one of the left.
static bool isConvolution(const ContractionMatch &match) {
  if (!match.bMap.isProjectedPermutation() ||
      !match.resultMap.isProjectedPermutation() ||
      match.aMap.isProjectedPermutation())
    return false;
  llvm::SmallBitVector seen(match.aMap.getNumDims());
  for (AffineExpr index : match.aMap.getResults()) {
    bool isOnce = true;
    if (!forEachTerm(index,
                     [&](unsigned loop, int64_t factor) {
                       isOnce &= factor > 0 && !seen.test(loop);
                       seen.set(loop);
                     }) ||
        !isOnce)
      return false;
  }
  seen.set(match.loops.column);
  return seen.all();
}

bool mlir::symshape::isProductByMatrix(const ContractionMatch &match) {
  return match.loops.reductions.size() == 1 &&
         match.bMap.getNumResults() == 2 &&
         match.bMap.isFunctionOfDim(match.loops.reductions.front()) &&
         match.aMap.isProjectedPermutation();
}

std::optional<unsigned>
mlir::symshape::findGroupedLoop(const ContractionMatch &match) {
  std::optional<unsigned> found;
  ArrayRef<AffineExpr> indices = match.aMap.getResults();
  if (!match.aMap.isProjectedPermutation())
    indices = indices.take_back();
  for (AffineExpr index : indices)
    forEachTerm(index, [&](unsigned loop, int64_t factor) {
      if (factor == 1 && llvm::is_contained(match.loops.reductions, loop))
        found = loop; // the last one
    });
  return found;
}

/// Whether the terms of `match` can be grouped, and the number of terms of the
/// loop is known: it is read of the left operand, or of the type of the right.
static bool canGroup(const ContractionMatch &match) {
  bool areShared = llvm::all_of(match.loops.reductions, [&](unsigned loop) {
    return match.aMap.isFunctionOfDim(loop) && match.bMap.isFunctionOfDim(loop);
  });
  return areShared && findGroupedLoop(match) &&
         (match.aMap.isProjectedPermutation() ||
          cast<ShapedType>(match.b.getType()).hasStaticShape());
}

/// Whether pairs of terms pay for `match`, whose terms can be grouped: of short
/// lines of windows, as those of three channels, many go to the last pair, and
/// such lines cannot be copied side by side.
static bool isWorthPairs(const ContractionMatch &match) {
  constexpr int64_t shortLine = 64;
  if (match.aMap.isProjectedPermutation())
    return true;
  int64_t line = 1;
  for (unsigned loop : ArrayRef(match.loops.reductions).take_back(2))
    line *= cast<ShapedType>(match.b.getType())
                .getDimSize(*match.bMap.getResultPosition(
                    getAffineDimExpr(loop, match.op->getContext())));
  return line >= shortLine || line % 2 == 0;
}

FailureOr<ContractionMatch>
mlir::symshape::matchContraction(linalg::LinalgOp op, bool dotProducts) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return failure();
  bool isPlain = isContraction(op);
  ContractionMatch match;
  match.op = op;
  if (failed(matchBody(op, match)) || (match.isDotProduct && !dotProducts))
    return failure();
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumResults() == 0 || (isPlain && !map.isProjectedPermutation()))
      return failure();
  match.a = op.getDpsInputOperand(0)->get();
  match.b = op.getDpsInputOperand(1)->get();
  match.aMap = op.getIndexingMapsArray()[0];
  match.bMap = op.getIndexingMapsArray()[1];
  match.resultMap = op.getIndexingMapsArray()[2];
  auto loops = assignLoops(match.aMap, match.bMap, match.resultMap);
  if (failed(loops)) {
    std::swap(match.a, match.b);
    std::swap(match.aMap, match.bMap);
    match.isAUnsigned = match.isDotProduct && !match.isAUnsigned;
    loops = assignLoops(match.aMap, match.bMap, match.resultMap);
  }
  if (failed(loops))
    return failure();
  match.loops = *loops;
  // A transposed copy of an image is worth its while: it is read often.
  if (!isPlain && !isConvolution(match))
    return failure();
  if (isPlain) {
    lookThroughTranspositions(match.a, match.aMap);
    lookThroughTranspositions(match.b, match.bMap);
    match.loops = *assignLoops(match.aMap, match.bMap, match.resultMap);
  }
  if (match.isDotProduct && !canGroup(match))
    return failure();
  match.isBFloatProduct =
      match.isBFloatProduct && canGroup(match) && isWorthPairs(match);
  return match;
}
