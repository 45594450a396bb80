//===- FormContractions.cpp - Contractions with packed operands -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites each contraction on tensors, with the elementwise op that follows
// it, as one symshape_kernel.contract. Where its right operand is to be in
// panels, packing is an op of its own, which for weights moves out of the call.
// Not for: choosing packing (TileChoice) and lowering it (LowerPacks).
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/FactCursor.h"
#include "symshape/Conversion/Passes.h"
#include "symshape/Transforms/HoistWeights.h"

#include "ContractionFormer.h"
#include "JoinTaps.h"
#include "Vectors/PayloadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

namespace mlir::symshape {
#define GEN_PASS_DEF_FORMCONTRACTIONSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

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
  Value transformed = transformForWinograd();
  if (joins)
    joinTaps(rewriter, match, choice.place);
  if (match.aMap.getNumResults() != 3)
    transformed = nullptr; // channels that are not in order
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
  findCodes();
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
  maps.push_back(resultMap);
  auto create = [&](TileAttr tile) -> Value {
    if (tile && tile.isPacked())
      pack();
    maps[1] = match.bMap;
    IntegerAttr divisor;
    if (tile && columnsDivisor % tile.getColumns() == 0)
      divisor = rewriter.getI64IntegerAttr(tile.getColumns());
    auto contract = ContractOp::create(
        rewriter, loc, init.getType(), match.a, match.b, others, init,
        /*workspaces=*/ValueRange(), transformed, scales, zeros,
        rewriter.getAffineMapArrayAttr(maps), tile, divisor,
        accumulates ? rewriter.getUnitAttr() : nullptr,
        groupedTerms && !match.aMap.isProjectedPermutation()
            ? rewriter.getI64IntegerAttr(*groupedTerms)
            : nullptr,
        match.isDotProduct && match.isAUnsigned ? rewriter.getUnitAttr()
                                                : nullptr,
        codes ? codes.getBitsAttr() : nullptr,
        codes ? codes.getBlockAttr() : nullptr);
    fillBody(contract);
    return contract.getResult();
  };
  rewriter.replaceOp(last, chooseByRows(init, resultMap, create));
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
    TileRegisters registers{vectorBits, vectorRegisters, fma, dotProducts,
                            bfloatProducts};
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
        FailureOr<ContractionMatch> match = matchContraction(op, dotProducts);
        if (failed(match))
          return;
        Value result = op->getResult(0);
        // Most programs have no contraction that asks for facts.
        bool isDynamic =
            tile && !uniform &&
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
      FailureOr<ContractionMatch> match = matchContraction(op, dotProducts);
      if (failed(match))
        continue;
      TileChoice choice = chooseTile(*match, registers, isPrepared, divisor);
      if (uniform)
        choice = {chooseUniformTile(*match, registers), choice.place};
      else if (!tile)
        choice = {nullptr, choice.place};
      (void)ContractionFormer(rewriter, *match, choice, divisor,
                              tile && !uniform, !uniform, winograd)
          .form();
    }
  }
};
} // namespace
