//===- BodyChecks.cpp - Checks of what a structured op reads --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A requirement inside the body of a structured op that depends on elements:
// one reduction over those elements finds the first position where it fails.
//
//===----------------------------------------------------------------------===//

#include "BodySlice.h"
#include "CheckEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// One reduction over the loops of a slice, and its verdict.
class BodyCheck {
public:
  explicit BodyCheck(BodySlice &slice)
      : slice(slice), op(slice.op), builder(op), loc(op.getLoc()),
        loops(slice.loops.begin(), slice.loops.end()) {
    llvm::sort(loops);
  }

  void emit();

private:
  void readExtents();
  Value emitReduction();
  void emitVerdict(Value firstBad);
  AffineMap mapOver(AffineMap map);

  BodySlice &slice;
  linalg::LinalgOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<unsigned> loops;
  SmallVector<Value> extents; ///< of every loop of the op
  Value none;
};
} // namespace

/// The map of an operand, over the loops of the reduction.
AffineMap BodyCheck::mapOver(AffineMap map) {
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               builder.getAffineConstantExpr(0));
  for (auto [i, loop] : llvm::enumerate(loops))
    dims[loop] = builder.getAffineDimExpr(i);
  return map.replaceDimsAndSymbols(dims, {}, loops.size(), 0);
}

void BodyCheck::readExtents() {
  extents.assign(op.getNumLoops(), Value());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, e] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(e);
          dim && !extents[dim.getPosition()])
        extents[dim.getPosition()] =
            tensor::DimOp::create(builder, loc, operand.get(), d);
}

/// The least linear position that is bad, or `none`.
Value BodyCheck::emitReduction() {
  Type i64 = builder.getI64Type();
  none = arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(INT64_MAX));
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{}, i64);
  init = linalg::FillOp::create(builder, loc, none, init).getResult(0);
  SmallVector<Value> strides(loops.size());
  Value stride = arith::ConstantIndexOp::create(builder, loc, 1);
  for (size_t i = loops.size(); i-- > 0;) {
    strides[i] = stride;
    stride = arith::MulIOp::create(builder, loc, stride, extents[loops[i]]);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned operand : slice.operands) {
    inputs.push_back(op->getOperand(operand));
    maps.push_back(
        mapOver(op.getMatchingIndexingMap(&op->getOpOperand(operand))));
  }
  // A tensor that is never read gives the extents of loops that no operand has.
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops)
    sizes.push_back(getAsOpFoldResult(extents[loop]));
  inputs.push_back(
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI1Type()));
  maps.push_back(builder.getMultiDimIdentityMap(loops.size()));
  maps.push_back(AffineMap::get(loops.size(), 0, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::reduction);
  auto reduction = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &b, Location where, ValueRange args) {
        SmallVector<Value> position(op.getNumLoops());
        Value linear; // stays null where there are no loops
        for (auto [i, loop] : llvm::enumerate(loops)) {
          position[loop] = linalg::IndexOp::create(b, where, i);
          Value part =
              arith::MulIOp::create(b, where, position[loop], strides[i]);
          linear =
              linear ? arith::AddIOp::create(b, where, linear, part).getResult()
                     : part;
        }
        SmallVector<Value> elements(args.begin(),
                                    args.begin() + slice.operands.size());
        Value good;
        for (const Requirement *requirement : slice.requirements()) {
          Value holds =
              slice.emitCondition(b, *requirement, position, elements);
          good = good ? arith::AndIOp::create(b, where, good, holds).getResult()
                      : holds;
        }
        if (!linear)
          linear = arith::ConstantIndexOp::create(b, where, 0);
        Value here = arith::IndexCastOp::create(b, where, i64, linear);
        Value bad = arith::SelectOp::create(b, where, good, none, here);
        Value best = arith::MinSIOp::create(b, where, args.back(), bad);
        linalg::YieldOp::create(b, where, best);
      });
  return tensor::ExtractOp::create(builder, loc, reduction.getResult(0),
                                   ValueRange{});
}

void BodyCheck::emitVerdict(Value firstBad) {
  Value bad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                    firstBad, none);
  // The body runs only if the other loops do.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (llvm::is_contained(loops, loop) || !extent)
      continue;
    Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       extent, zero);
    bad = arith::AndIOp::create(builder, loc, bad, runs);
  }
  OpBuilder cold = branchIf(builder, loc, bad);
  Value rest =
      arith::IndexCastOp::create(cold, loc, cold.getIndexType(), firstBad);
  SmallVector<Value> position(op.getNumLoops()), shownPosition(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    Value extent = extents[loops[i]];
    shownPosition[i] = arith::RemUIOp::create(cold, loc, rest, extent);
    position[loops[i]] = shownPosition[i];
    rest = arith::DivUIOp::create(cold, loc, rest, extent);
  }
  SmallVector<Value> elements;
  for (unsigned operand : slice.operands) {
    AffineMap map =
        mapOver(op.getMatchingIndexingMap(&op->getOpOperand(operand)));
    SmallVector<Value> indices;
    for (AffineExpr e : map.getResults())
      indices.push_back(affine::AffineApplyOp::create(
          cold, loc, AffineMap::get(map.getNumDims(), 0, e), shownPosition));
    elements.push_back(
        tensor::ExtractOp::create(cold, loc, op->getOperand(operand), indices));
  }
  for (const Requirement *requirement : slice.requirements()) {
    Value holds = slice.emitCondition(cold, *requirement, position, elements);
    OpBuilder inside = branchUnless(cold, loc, holds);
    slice.emitFailure(inside, *requirement, position, elements, shownPosition);
  }
}

void BodyCheck::emit() {
  readExtents();
  emitVerdict(emitReduction());
}

/// Whether the op is undefined for some operands: what it needs of them is an
/// earlier requirement.
static bool isPartial(Operation *op) {
  if (isIntegerDivision(op))
    return !matchPattern(op->getOperand(1), m_Constant());
  return isa<tensor::ExtractOp>(op);
}

/// Whether the requirement can only be computed once earlier ones hold.
static bool needsEarlierChecks(linalg::LinalgOp op, FunctionShapes &shapes,
                               const Requirement &requirement) {
  SmallVector<Value> worklist;
  for (Expr symbol : requirement.condition.symbols())
    if (const SymbolDef *def = shapes.definition(symbol); def && def->value)
      worklist.push_back(def->value);
  if (Value asserted = assertedValue(requirement))
    worklist.push_back(asserted);
  for (Operation *inner = requirement.op; inner->getBlock() != op.getBlock();
       inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      worklist.push_back(branch.getCondition());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != op.getBlock() || !seen.insert(value).second)
      continue;
    if (isPartial(def))
      return true;
    llvm::append_range(worklist, def->getOperands());
  }
  return false;
}

/// Whether an operand has the extent of each loop of the slice.
static bool hasExtents(const BodySlice &slice) {
  linalg::LinalgOp op = slice.op;
  return llvm::all_of(slice.loops, [&](unsigned loop) {
    return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return map.getResultPosition(getAffineDimExpr(loop, op.getContext()))
          .has_value();
    });
  });
}

FailureOr<std::vector<BodySlice>>
mlir::symshape::planBodyChecks(FunctionShapes &shapes, Operation *body,
                               ArrayRef<const Requirement *> requirements) {
  auto op = cast<linalg::LinalgOp>(body);
  std::vector<BodySlice> slices;
  for (const Requirement *requirement : requirements) {
    if (slices.empty() || needsEarlierChecks(op, shapes, *requirement))
      slices.emplace_back(op, shapes);
    // One reduction reads tensors alone.
    if (!op.hasPureTensorSemantics() ||
        failed(slices.back().add(*requirement)) || !hasExtents(slices.back()))
      return findPlaced(requirement->op)->emitError()
             << "'" << requirement->op->getName()
             << "' op cannot be checked before " << body->getName() << " runs";
  }
  return slices;
}

void mlir::symshape::emitBodyChecks(MutableArrayRef<BodySlice> slices) {
  for (BodySlice &slice : slices)
    BodyCheck(slice).emit();
}
