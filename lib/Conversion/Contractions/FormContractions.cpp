//===- FormContractions.cpp - Contractions with packed operands -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites each contraction on tensors, with the elementwise op that follows
// it, as one symshape_cpu.contract. Where its right operand is to be in panels,
// packing is an op of its own, which for weights moves out of the call. Not
// for: choosing packing (TileChoice) and lowering it (LowerPacks).
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/FactCursor.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/HoistWeights.h"

#include "JoinTaps.h"
#include "TileChoice.h"
#include "Vectors/PayloadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

namespace mlir::symshape {
#define GEN_PASS_DEF_FORMCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The elementwise op that is fused, its maps in terms of the contraction.
struct Epilogue {
  linalg::GenericOp op;
  OpOperand *sum;
  SmallVector<AffineMap> maps; ///< per operand
};

class ContractionFormer {
public:
  /// `columnsDivisor` is known to divide the number of columns.
  ContractionFormer(RewriterBase &rewriter, const ContractionMatch &match,
                    const TileChoice &choice, int64_t columnsDivisor,
                    bool rearranges, bool joins)
      : rewriter(rewriter), match(match), loc(match.op->getLoc()),
        choice(choice), columnsDivisor(columnsDivisor), rearranges(rearranges),
        joins(joins) {}

  LogicalResult form();

private:
  std::optional<Epilogue> findEpilogue();
  void pack();
  void transposeLeft();
  void findStart();
  void fillBody(ContractOp contract);

  RewriterBase &rewriter;
  ContractionMatch match;
  Location loc;
  TileChoice choice;
  int64_t columnsDivisor;
  bool rearranges; ///< operands are packed or transposed
  bool joins;      ///< the taps of a window and its channels are one loop
  std::optional<Epilogue> epilogue;
  Value start; ///< constant that the sums start from; null: zero
  bool accumulates = false;
};
} // namespace

/// True if the body consists of elementwise ops on its arguments, constants and
/// scalars from outside.
static bool isPureElementwise(linalg::GenericOp op) {
  return isVectorizableBody(op) &&
         llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
           return !isa<linalg::IndexOp>(op) && isSpeculatable(&op) &&
                  isMemoryEffectFree(&op) &&
                  (OpTrait::hasElementwiseMappableTraits(&op) ||
                   op.hasTrait<OpTrait::ConstantLike>());
         });
}

/// The map of `operand` of an elementwise op in terms of the loops of the
/// contraction whose result the op reads through `sumMap`.
static AffineMap translateMap(AffineMap map, AffineMap sumMap,
                              AffineMap resultMap) {
  SmallVector<AffineExpr> loops(map.getNumDims());
  for (auto [position, expr] : llvm::enumerate(sumMap.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] =
        resultMap.getResult(position);
  return map.replaceDimsAndSymbols(loops, {}, resultMap.getNumDims(), 0);
}

std::optional<Epilogue> ContractionFormer::findEpilogue() {
  Value result = match.op->getResult(0);
  if (!result.hasOneUse())
    return std::nullopt;
  Epilogue found;
  found.sum = &*result.use_begin();
  found.op = dyn_cast<linalg::GenericOp>(found.sum->getOwner());
  linalg::GenericOp op = found.op;
  if (!op || op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      op.getNumDpsInits() != 1 || !op.isDpsInput(found.sum) ||
      op->getBlock() != match.op->getBlock() || !isPureElementwise(op) ||
      !op.getRegionOutputArgs().front().use_empty())
    return std::nullopt;
  AffineMap sumMap = op.getMatchingIndexingMap(found.sum);
  if (!sumMap.isPermutation())
    return std::nullopt;
  unsigned column = match.loops.column;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = translateMap(op.getMatchingIndexingMap(&operand), sumMap,
                                 match.resultMap);
    found.maps.push_back(map);
    bool isLast = map.getNumResults() != 0 &&
                  map.getResults().back() == rewriter.getAffineDimExpr(column);
    if (!map.isProjectedPermutation() ||
        (map.isFunctionOfDim(column) && !isLast))
      return std::nullopt; // columns would be read one by one
  }
  return found;
}

/// Copies A if its rows are neighbours in memory: each step of a sum would be
/// in another line, often of the same few sets of a cache. The copy pays if
/// several panels of columns read it.
void ContractionFormer::transposeLeft() {
  constexpr int64_t leastColumns = 256, leastSteps = 64;
  if (!match.aMap.isProjectedPermutation())
    return; // windows
  auto type = cast<RankedTensorType>(match.a.getType());
  auto resultType = cast<RankedTensorType>(match.op->getResult(0).getType());
  SmallVector<int64_t> order, reductions;
  int64_t steps = 1;
  for (auto [position, expr] : llvm::enumerate(match.aMap.getResults())) {
    bool isReduction = llvm::is_contained(
        match.loops.reductions, cast<AffineDimExpr>(expr).getPosition());
    (isReduction ? reductions : order).push_back(position);
    if (isReduction)
      steps = ShapedType::isDynamic(type.getDimSize(position))
                  ? std::max(steps, leastSteps)
                  : steps * type.getDimSize(position);
  }
  int64_t columns = resultType.getShape().back();
  if (order.empty() || order.back() != type.getRank() - 1 ||
      !match.loops.isRow(match.aMap.getDimPosition(order.back())) ||
      (!ShapedType::isDynamic(columns) && columns < leastColumns) ||
      steps < leastSteps)
    return;
  order.append(reductions);
  OpBuilder::InsertionGuard guard(rewriter);
  if (Operation *place = findPlaceOutside(match.op, match.a); place != match.op)
    rewriter.setInsertionPoint(place);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, match.a);
  SmallVector<OpFoldResult> moved = llvm::map_to_vector(
      order, [&](int64_t position) { return sizes[position]; });
  Value target =
      tensor::EmptyOp::create(rewriter, loc, moved, type.getElementType());
  match.a = linalg::TransposeOp::create(rewriter, loc, match.a, target, order)
                .getResult()[0];
  SmallVector<AffineExpr> results = llvm::map_to_vector(
      order, [&](int64_t position) { return match.aMap.getResult(position); });
  match.aMap = AffineMap::get(match.aMap.getNumDims(), 0, results,
                              rewriter.getContext());
}

/// B in panels as wide as the tile.
void ContractionFormer::pack() {
  AffineMap map = match.bMap;
  auto type = cast<RankedTensorType>(match.b.getType());
  SmallVector<int64_t> outer, reductions;
  int64_t column = 0;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == match.loops.column)
      column = position;
    else if (llvm::is_contained(match.loops.reductions, dim))
      reductions.push_back(position);
    else
      outer.push_back(position);
  }
  SmallVector<int64_t> order = outer;
  order.push_back(column);
  order.append(reductions);
  OpBuilder::InsertionGuard guard(rewriter);
  if (choice.place != match.op)
    rewriter.setInsertionPoint(choice.place);
  OpFoldResult width = rewriter.getIndexAttr(choice.tile.getColumns());
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value target = linalg::PackOp::createDestinationTensor(rewriter, loc, match.b,
                                                         width, column, order);
  SmallVector<AffineExpr> results;
  for (int64_t position : order)
    results.push_back(map.getResult(position));
  match.bMap =
      AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
  match.b = linalg::PackOp::create(rewriter, loc, match.b, target, column,
                                   width, padding, order)
                .getResult();
}

/// What the sums start from.
void ContractionFormer::findStart() {
  Value init = match.op.getDpsInitOperand(0)->get();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill) {
    accumulates = true;
    return;
  }
  if (!matchPattern(fill.value(), m_AnyZeroFloat()) &&
      !matchPattern(fill.value(), m_Zero()))
    start = fill.value();
}

void ContractionFormer::fillBody(ContractOp contract) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&contract.getBody());
  Value sum = block->addArgument(match.sumType, loc);
  for (Value other : contract.getOthers())
    block->addArgument(getElementTypeOrSelf(other.getType()), loc);
  if (start)
    sum = ArithBuilder(rewriter, loc).add(sum, start);
  Type resultType = getElementTypeOrSelf(match.op->getResult(0).getType());
  if (resultType != match.sumType)
    sum = arith::TruncFOp::create(rewriter, loc, resultType, sum);
  if (!epilogue) {
    ContractYieldOp::create(rewriter, loc, sum);
    return;
  }
  IRMapping mapping;
  unsigned next = 1;
  for (OpOperand *input : epilogue->op.getDpsInputOperands()) {
    BlockArgument argument = epilogue->op.getMatchingBlockArgument(input);
    if (input == epilogue->sum)
      mapping.map(argument, sum);
    else if (isa<ShapedType>(input->get().getType()))
      mapping.map(argument, block->getArgument(next++));
    else
      mapping.map(argument, input->get());
  }
  Block *body = epilogue->op.getBlock();
  for (Operation &op : body->without_terminator())
    rewriter.clone(op, mapping);
  ContractYieldOp::create(
      rewriter, loc,
      mapping.lookupOrDefault(body->getTerminator()->getOperand(0)));
}

LogicalResult ContractionFormer::form() {
  findStart();
  Type resultType = getElementTypeOrSelf(match.op->getResult(0).getType());
  if (start && start.getType() != match.sumType)
    return failure();
  if (accumulates && resultType != match.sumType)
    return failure(); // sums of a wider type have no place to start from
  rewriter.setInsertionPoint(match.op);
  if (joins)
    joinTaps(rewriter, match, choice.place);
  epilogue = findEpilogue();
  if (epilogue && accumulates &&
      (epilogue->maps.back() != match.resultMap ||
       epilogue->op.getResult(0).getType() != match.op->getResult(0).getType()))
    epilogue.reset();
  Operation *last =
      epilogue ? epilogue->op.getOperation() : match.op.getOperation();
  rewriter.setInsertionPoint(last);
  if (rearranges)
    transposeLeft();
  SmallVector<AffineMap> maps{match.aMap, AffineMap()};
  SmallVector<Value> others;
  Value init = match.op.getDpsInitOperand(0)->get();
  AffineMap resultMap = match.resultMap;
  if (epilogue) {
    for (OpOperand *input : epilogue->op.getDpsInputOperands()) {
      if (input == epilogue->sum || !isa<ShapedType>(input->get().getType()))
        continue;
      others.push_back(input->get());
      maps.push_back(epilogue->maps[input->getOperandNumber()]);
    }
    resultMap = epilogue->maps.back();
    if (!accumulates)
      init = epilogue->op.getDpsInitOperand(0)->get();
  } else if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    init = fill.output();
  }
  if (choice.tile.isPacked())
    pack();
  maps[1] = match.bMap;
  maps.push_back(resultMap);
  int64_t width = choice.tile.getColumns();
  bool isWhole = columnsDivisor % width == 0;
  auto contract = ContractOp::create(
      rewriter, loc, init.getType(), match.a, match.b, others, init,
      /*workspaces=*/ValueRange(), rewriter.getAffineMapArrayAttr(maps),
      choice.tile, isWhole ? rewriter.getI64IntegerAttr(width) : nullptr,
      accumulates ? rewriter.getUnitAttr() : nullptr);
  fillBody(contract);
  rewriter.replaceOp(last, contract.getResult());
  if (last != match.op.getOperation())
    rewriter.eraseOp(match.op);
  return success();
}

/// Which of two or three vectors of columns are known to divide the columns, if
/// types do not say so: facts are gone when loops are built. At least 1.
static int64_t findDivisor(FunctionShapes &shapes, ConstraintSet &facts,
                           Value result, int64_t lanes) {
  int64_t last = cast<ShapedType>(result.getType()).getRank() - 1;
  int64_t divisor = 1;
  for (int64_t vectors : {2, 3}) {
    Expr width = shapes.arena().constant(vectors * lanes);
    if (facts.isProvably(Relation::divides(width, shapes.dim(result, last))))
      divisor = std::lcm(divisor, vectors * lanes);
  }
  return divisor;
}

namespace {
struct FormContractionsPass
    : symshape::impl::FormContractionsPassBase<FormContractionsPass> {
  using FormContractionsPassBase::FormContractionsPassBase;

  void runOnOperation() override {
    if (vectorBits < 64 || !llvm::isPowerOf2_64(vectorBits)) {
      emitError(getOperation()->getLoc())
          << "expected vector-bits to be a power of two of at least 64, but "
             "got "
          << vectorBits.getValue();
      return signalPassFailure();
    }
    TileRegisters registers{vectorBits, vectorRegisters, fma};
    DenseSet<Value> prepared;
    if (weights)
      prepared = findPreparedValues(getOperation());
    /// What is known of an op while no other has changed.
    struct Known {
      linalg::LinalgOp op;
      bool isPrepared;
      int64_t columnsDivisor;
    };
    SmallVector<Known> ops;
    getOperation()->walk([&](func::FuncOp function) {
      std::optional<FactCursor> cursor;
      function.walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
        FailureOr<ContractionMatch> match = matchContraction(op);
        if (failed(match))
          return;
        Value result = op->getResult(0);
        // Most programs have no contraction that asks for facts.
        bool isDynamic =
            !uniform &&
            ShapedType::isDynamic(
                cast<ShapedType>(result.getType()).getShape().back());
        FunctionShapes *shapes =
            isDynamic ? getAnalysis<ShapeAnalysis>().lookup(function) : nullptr;
        if (shapes && !cursor)
          cursor.emplace(*shapes);
        int64_t divisor = 1;
        if (shapes)
          divisor = findDivisor(*shapes, cursor->before(op), result,
                                registers.getLanes(match->sumType));
        ops.push_back({op, prepared.contains(match->b), divisor});
      });
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, isPrepared, divisor] : ops) {
      // Forming one contraction may have changed the operands of another.
      FailureOr<ContractionMatch> match = matchContraction(op);
      if (failed(match))
        continue;
      TileChoice choice = chooseTile(*match, registers, isPrepared, divisor);
      if (uniform)
        choice.tile = chooseUniformTile(*match, registers);
      else if (!rearrange)
        choice.tile = TileAttr::get(
            &getContext(), choice.tile.getRows(), choice.tile.getColumns(),
            choice.tile.getLanes(), choice.tile.getStreams(), Packing::ByPanel);
      (void)ContractionFormer(rewriter, *match, choice, divisor,
                              rearrange && !uniform, !uniform)
          .form();
    }
  }
};
} // namespace
