//===- UpstreamConditions.cpp - Where upstream's rewrites hold ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function for each pattern and folder of MLIR 22 that is wrong for some ops:
// true if it is right. A false answer costs a simplification, no more.
// docs/Rationale/UpstreamPatterns.md shows what goes wrong otherwise.
//
//===----------------------------------------------------------------------===//

#include "UpstreamConditions.h"

#include "PlainSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::symshape;

static bool never(Operation *) { return false; }

//===----------------------------------------------------------------------===//
// Integers and floats
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// A pair of casts, there and back, is the identity if no bits were lost.
static bool keepsBits(Operation *cast) {
  Operation *inner = cast->getOperand(0).getDefiningOp();
  return !isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(inner) ||
         isa<BaseMemRefType>(cast->getOperand(0).getType()) ||
         getWidth(inner->getResult(0).getType()) >=
             getWidth(inner->getOperand(0).getType());
}

static arith::IntegerOverflowFlags getFlags(Operation *op) {
  auto flags = dyn_cast_or_null<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags ? flags.getOverflowAttr().getValue()
               : arith::IntegerOverflowFlags::none;
}

/// Two ops with constants become one that keeps the flags that both have. The
/// combined constant may wrap where neither op does.
///
/// If both add (multiply by) a positive constant, and their sum (product) c is
/// less than 2^(w-1): x + c (x*c) is the exact value of the second op, which
/// does not wrap, in either sense that a flag excludes.
static bool keepsFlags(Operation *op) {
  auto getConstant = [](Operation *user) -> std::optional<APInt> {
    IntegerAttr value;
    if (isa<arith::AddIOp, arith::MulIOp>(user) &&
        matchPattern(user->getOperand(1), m_Constant(&value)) &&
        value.getValue().isStrictlyPositive())
      return value.getValue();
    return std::nullopt;
  };
  for (Value operand : op->getOperands()) {
    Operation *inner = operand.getDefiningOp();
    if ((getFlags(op) & getFlags(inner)) == arith::IntegerOverflowFlags::none)
      continue;
    std::optional<APInt> first = getConstant(inner), second = getConstant(op);
    if (inner->getName() != op->getName() || !first || !second)
      return false;
    bool overflows = false;
    isa<arith::AddIOp>(op) ? (void)first->sadd_ov(*second, overflows)
                           : (void)first->smul_ov(*second, overflows);
    if (overflows)
      return false;
  }
  return true;
}

/// An integer that the wider float holds exactly is rounded once, as without
/// it.
static bool isExactInteger(Operation *truncation) {
  Operation *conversion = truncation->getOperand(0).getDefiningOp();
  if (!conversion || !isa<arith::SIToFPOp, arith::UIToFPOp>(conversion))
    return false;
  auto wide =
      cast<FloatType>(getElementTypeOrSelf(conversion->getResult(0).getType()));
  return getWidth(conversion->getOperand(0).getType()) <=
         wide.getFPMantissaWidth();
}

/// Upstream has no integer predicate for these two, and crashes.
static bool comparesFloats(Operation *op) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return predicate != arith::CmpFPredicate::AlwaysTrue &&
         predicate != arith::CmpFPredicate::AlwaysFalse;
}

/// x - y is 0 iff x == y; its sign says nothing if it wraps.
static bool comparesEquality(Operation *op) {
  auto predicate = cast<index::CmpOp>(op).getPred();
  return predicate == index::IndexCmpPredicate::EQ ||
         predicate == index::IndexCmpPredicate::NE;
}

/// Upstream combines two constants, which fold if the result is the same for an
/// index of 32 bits. If they do not, it has made an op before it gives up, and
/// does so in each sweep.
static bool hasShortConstants(Operation *op) {
  Operation *inner = op->getOperand(0).getDefiningOp();
  return llvm::all_of(ArrayRef{op, inner}, [](Operation *user) {
    APInt value;
    return !user || user->getNumOperands() < 2 ||
           !matchPattern(user->getOperand(1), m_ConstantInt(&value)) ||
           value.isSignedIntN(32);
  });
}

/// The constant of equal operands would have a type with dynamic extents.
static bool hasStaticResult(Operation *op) {
  auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
  return !type || type.hasStaticShape() ||
         op->getOperand(0) != op->getOperand(1);
}

/// Upstream folds the angle of (0, 0) to NaN; in C's library, and when
/// computed, it is 0 or pi with a sign.
static bool hasAngle(Operation *op) {
  auto mayBeZero = [](Value value) {
    Attribute constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return false;
    auto number = dyn_cast<FloatAttr>(constant);
    return !number || number.getValue().isZero();
  };
  return !mayBeZero(op->getOperand(0)) || !mayBeZero(op->getOperand(1));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether upper - lower does not wrap, as far as the bounds are constants.
static bool areNear(OpFoldResult lower, OpFoldResult upper) {
  std::optional<int64_t> from = getConstantIntValue(lower),
                         to = getConstantIntValue(upper);
  int64_t difference;
  return !from || !to || *to <= *from ||
         !llvm::SubOverflow(*to, *from, difference);
}

/// Upstream counts iterations in the type of the loop's bounds, as signed.
static bool hasPlainTripCount(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  IntegerAttr from, to;
  bool isConstant = matchPattern(loop.getLowerBound(), m_Constant(&from)) &&
                    matchPattern(loop.getUpperBound(), m_Constant(&to));
  if (!loop.getUnsignedCmp()) {
    bool overflows = false;
    if (isConstant && to.getValue().sgt(from.getValue()))
      (void)to.getValue().ssub_ov(from.getValue(), overflows);
    return !overflows;
  }
  // Steps and differences of 2^(w-1) and more read as negative.
  std::optional<APInt> step = loop.getConstantStep();
  return isConstant && (!step || !step->isNegative()) &&
         from.getValue().isNonNegative() && to.getValue().isNonNegative();
}

static bool hasNearBounds(Operation *op) {
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return llvm::all_of(llvm::zip(loop.getLowerBound(), loop.getUpperBound()),
                        [](auto pair) {
                          auto [from, to] = pair;
                          return areNear(OpFoldResult(from), OpFoldResult(to));
                        });
  auto loop = cast<scf::ForallOp>(op);
  SmallVector<OpFoldResult> lower = loop.getMixedLowerBound(),
                            upper = loop.getMixedUpperBound();
  return llvm::all_of(llvm::zip(lower, upper), [](auto pair) {
    return areNear(std::get<0>(pair), std::get<1>(pair));
  });
}

static bool hasNearConstantBounds(Operation *op) {
  auto loop = cast<affine::AffineForOp>(op);
  int64_t difference;
  return !loop.hasConstantBounds() ||
         loop.getConstantUpperBound() <= loop.getConstantLowerBound() ||
         !llvm::SubOverflow(loop.getConstantUpperBound(),
                            loop.getConstantLowerBound(), difference);
}

/// Upstream moves an `scf.if` on the loop's condition into the body. It follows
/// one use of each result, and leaves values of the condition's region that the
/// branch yields where the body cannot see them.
static bool canMoveIf(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  scf::ConditionOp condition = loop.getConditionOp();
  auto branch = dyn_cast_or_null<scf::IfOp>(condition->getPrevNode());
  if (!branch)
    return true;
  for (OpResult result : branch.getResults()) {
    if (!result.use_empty() && !result.hasOneUse())
      return false;
    Value yielded = branch.thenYield()->getOperand(result.getResultNumber());
    if (loop.getBefore().isAncestor(yielded.getParentRegion()) &&
        !branch.getThenRegion().isAncestor(yielded.getParentRegion()))
      return false;
  }
  return true;
}

/// Upstream reads the cases of a switch that leads to this one, even if there
/// are none.
static bool followsCases(Operation *op) {
  Block *before = op->getBlock()->getSinglePredecessor();
  auto previous =
      before ? dyn_cast<cf::SwitchOp>(before->getTerminator()) : cf::SwitchOp();
  return !previous || previous.getCaseValues();
}

//===----------------------------------------------------------------------===//
// Tensors and memrefs
//===----------------------------------------------------------------------===//

/// Whether it is plain which dims a slice drops, even once constant sizes have
/// become part of its type: all of size 1, or none.
template <typename OpTy>
static bool dropsPlainDims(OpTy op, int64_t reducedRank) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  int64_t dropped = sizes.size() - reducedRank;
  return dropped == 0 || llvm::count_if(sizes, [](OpFoldResult size) {
                           return isConstantIntValue(size, 1);
                         }) == dropped;
}

/// Whether a constant operand would stand for "a value" as an attribute.
static bool hasSentinel(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return getConstantIntValue(operand) == ShapedType::kDynamic;
  });
}

static bool slicesPlainly(Operation *op) {
  if (hasSentinel(op))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return dropsPlainDims(slice, slice.getType().getRank());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return dropsPlainDims(slice, slice.getSourceType().getRank());
  if (auto slice = dyn_cast<tensor::ParallelInsertSliceOp>(op))
    return dropsPlainDims(slice, slice.getSourceType().getRank());
  auto view = cast<memref::SubViewOp>(op);
  return dropsPlainDims(view, view.getType().getRank());
}

/// A cast of a slice becomes part of its type: sizes that it says are 1 must
/// not be mistaken for dropped ones, and must lie in the source, even where a
/// check has ended the call before.
static bool castsPlainSlice(Operation *op) {
  auto slice = op->getOperand(0).getDefiningOp<tensor::ExtractSliceOp>();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!slice || !type)
    return true;
  if (type.getRank() != slice.getSourceType().getRank() &&
      (!slicesPlainly(slice) || llvm::count(type.getShape(), 1) !=
                                    llvm::count(slice.getType().getShape(), 1)))
    return false;
  SmallVector<int64_t> sizes(slice.getStaticSizes());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t kept = 0;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      if (int64_t said = type.getDimSize(kept++); ShapedType::isDynamic(size))
        size = said;
  return verifyInBoundsSlice(slice.getSourceType().getShape(),
                             slice.getStaticOffsets(), sizes,
                             slice.getStaticStrides())
      .isValid;
}

/// The same if what is inserted is a cast.
static bool insertsPlainSlice(Operation *op) {
  auto cast = op->getOperand(0).getDefiningOp<tensor::CastOp>();
  auto [source, dest] =
      std::pair(op->getOperand(0).getType(), op->getOperand(1).getType());
  return llvm::cast<ShapedType>(source).getRank() ==
             llvm::cast<ShapedType>(dest).getRank() ||
         (!cast && slicesPlainly(op));
}

/// A padding takes the type of a cast of it, which may be in a branch that is
/// not reached.
static bool isCastBeside(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock();
  });
}

/// Upstream joins what three types say, and crashes where the first two
/// contradict each other: behind a check that always fails, folds make casts
/// that do not verify.
static bool agreesWithSource(Operation *op) {
  auto inner = op->getOperand(0).getDefiningOp<tensor::CastOp>();
  return !inner || succeeded(verifyCompatibleShape(inner.getSource().getType(),
                                                   inner.getType()));
}

static bool readsPlainView(Operation *op) {
  auto view =
      cast<memref::DimOp>(op).getSource().getDefiningOp<memref::SubViewOp>();
  return !view || slicesPlainly(view);
}

/// Upstream replaces a view with the type of its source by the source, even if
/// its strides are values: see keepStrides.
static bool hasKnownStrides(Operation *op) {
  return !mayLoseStrides(cast<memref::ReinterpretCastOp>(op));
}

/// Upstream computes the type of a collapsed source of known type, and crashes
/// if its elements do not lie side by side.
static bool collapsesPlainly(Operation *op) {
  auto collapse = cast<memref::CollapseShapeOp>(op);
  auto cast = collapse.getSrc().getDefiningOp<memref::CastOp>();
  auto source =
      cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  return !source || memref::CollapseShapeOp::isGuaranteedCollapsible(
                        source, collapse.getReassociationIndices());
}

/// Upstream reads an element of a buffer from the tensor that it was made from,
/// even if the buffer has been written to in between.
static bool readsOnly(Operation *op) {
  auto buffer = op->getOperand(0).getDefiningOp<bufferization::ToBufferOp>();
  return !buffer || buffer.getReadOnly();
}

/// If the product of a group is 0, it does not determine the other dims.
static bool hasNoZero(Operation *op) {
  auto isZero = [](Type type) {
    auto shaped = cast<ShapedType>(type);
    return !shaped.hasStaticShape() && llvm::is_contained(shaped.getShape(), 0);
  };
  Operation *inner = op->getOperand(0).getDefiningOp();
  return !isZero(op->getResult(0).getType()) &&
         (!inner || inner->getNumOperands() == 0 ||
          !isa<ShapedType>(inner->getOperand(0).getType()) ||
          !isZero(inner->getOperand(0).getType()));
}

/// Upstream multiplies the sizes that a collapse joins, and takes what comes
/// out, which may have wrapped, for the size of an expansion.
static bool multipliesNoSize(Operation *op) {
  Operation *expand = op->getOperand(0).getDefiningOp();
  if (!expand || expand->getNumOperands() == 0)
    return true;
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  auto source = dyn_cast<ShapedType>(expand->getOperand(0).getType());
  auto result = cast<ShapedType>(op->getResult(0).getType());
  if (!source || !source.hasRank() || source.getRank() >= result.getRank())
    return true;
  auto groups =
      isa<tensor::CollapseShapeOp>(op)
          ? cast<tensor::CollapseShapeOp>(op).getReassociationIndices()
          : cast<memref::CollapseShapeOp>(op).getReassociationIndices();
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    auto isOne = [&](int64_t dim) { return type.getDimSize(dim) == 1; };
    return llvm::none_of(group,
                         [&](int64_t dim) { return type.isDynamicDim(dim); }) ||
           llvm::count_if(group, isOne) + 1 >= int64_t(group.size());
  });
}

/// Constant sizes become extents of a type, which must not be negative.
static bool hasPlainSizes(Operation *op) {
  int64_t product = 1;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    APInt value;
    if (!isa<IndexType>(operand.getType()) ||
        !matchPattern(operand, m_ConstantInt(&value)))
      return true;
    return !value.isNegative() &&
           !llvm::MulOverflow(
               product, std::max<int64_t>(value.getSExtValue(), 1), product);
  });
}

/// The same of an expansion, whose sizes are taken for those of the dynamic
/// dims of its type; but a static one may have a size as well.
static bool expandsPlainly(Operation *op) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  return hasPlainSizes(op) &&
         expand.getStaticOutputShape() == expand.getResultType().getShape();
}

/// The negation of the least index is not a number.
static bool dividesNoLeast(Operation *op) {
  APInt value;
  return !matchPattern(op->getOperand(0), m_ConstantInt(&value)) ||
         !value.isMinSignedValue();
}

/// Constant parts of a basis are at least 1: a folder divides by them.
static bool hasPositiveBasis(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(), [](Value operand) {
    APInt value;
    return !matchPattern(operand, m_ConstantInt(&value)) ||
           value.isStrictlyPositive();
  });
}

/// A view of a cast becomes a view of its source, which must be one that a view
/// can have.
static bool viewsPlainSource(Operation *op) {
  auto cast = op->getOperand(0).getDefiningOp<memref::CastOp>();
  if (!cast)
    return true;
  auto source = dyn_cast<MemRefType>(cast.getSource().getType());
  return source && source.getLayout().isIdentity();
}

/// A view of a cast becomes a view of its source, whose static extents may show
/// that it is out of bounds: the op is not reached then.
static bool viewsPartOfSource(Operation *op) {
  if (!slicesPlainly(op))
    return false;
  auto view = cast<memref::SubViewOp>(op);
  auto cast = view.getSource().getDefiningOp<memref::CastOp>();
  auto source =
      cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  return !source ||
         verifyInBoundsSlice(source.getShape(), view.getStaticOffsets(),
                             view.getStaticSizes(), view.getStaticStrides())
             .isValid;
}

/// The number of results stays that of the shapes in `symshape.extents`.
static bool hasNoExtents(Operation *op) {
  return !op->hasAttr(SymShapeDialect::kExtents);
}

/// An insertion of a padded tensor becomes one of the unpadded tensor, at an
/// offset computed for a step of 1.
static bool hasUnitStrides(Operation *op) {
  return cast<tensor::InsertSliceOp>(op).hasUnitStride();
}

static bool hasInferredType(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  return concat.getType() == tensor::ConcatOp::inferResultType(
                                 concat.getDim(), concat->getOperandTypes());
}

/// A pack and an unpack cancel if types say that nothing was cut off.
static bool isWholeTiles(Operation *op) {
  auto isWhole = [](auto inner) {
    RankedTensorType type = isa<linalg::PackOp>(inner.getOperation())
                                ? inner.getSourceType()
                                : inner.getDestType();
    return type.hasStaticShape() && inner.getSourceType().hasStaticShape() &&
           inner.getDestType().hasStaticShape() &&
           llvm::all_of(
               llvm::zip(inner.getInnerDimsPos(), inner.getStaticTiles()),
               [&](auto pair) {
                 auto [dim, tile] = pair;
                 return tile > 0 && type.getDimSize(dim) % tile == 0;
               });
  };
  Operation *inner = op->getOperand(0).getDefiningOp();
  if (auto pack = dyn_cast_or_null<linalg::PackOp>(inner))
    return !isa<linalg::UnPackOp>(op) || isWhole(pack);
  if (auto unpack = dyn_cast_or_null<linalg::UnPackOp>(inner))
    return !isa<linalg::PackOp>(op) || isWhole(unpack);
  return true;
}

/// A transposition that changes no order is its operand, if the types agree.
static bool keepsType(Operation *transpose) {
  auto order = transpose->getAttrOfType<DenseI32ArrayAttr>("perms");
  return !order || !llvm::is_sorted(order.asArrayRef()) ||
         transpose->getOperand(0).getType() ==
             transpose->getResult(0).getType();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

UpstreamCondition symshape::findPatternCondition(StringRef root,
                                                 StringRef pattern) {
  static const llvm::StringMap<UpstreamCondition> byName = {
      {"IndexCastOfIndexCast", keepsBits},
      {"IndexCastUIOfIndexCastUI", keepsBits},
      {"AddIAddConstant", keepsFlags},
      {"AddISubConstantRHS", keepsFlags},
      {"AddISubConstantLHS", keepsFlags},
      {"SubILHSAddConstant", keepsFlags},
      {"SubIRHSSubConstantRHS", keepsFlags},
      {"SubIRHSSubConstantLHS", keepsFlags},
      {"SubILHSSubConstantRHS", keepsFlags},
      {"SubILHSSubConstantLHS", keepsFlags},
      {"MulIMulIConstant", keepsFlags},
      {"TruncFSIToFPToSIToFP", isExactInteger},
      {"TruncFUIToFPToUIToFP", isExactInteger},
      {"CmpFIntToFPConst", comparesFloats},
      {"SimplifyTrivialLoops", hasPlainTripCount},
      {"ForOpTensorCastFolder", never},
      {"ForallOpSingleOrZeroIterationDimsFolder", hasNearBounds},
      {"ForallOpReplaceConstantInductionVar", hasNearBounds},
      {"ParallelOpSingleOrZeroIterationDimsFolder", hasNearBounds},
      {"WhileMoveIfDown", canMoveIf},
      {"OpWithOffsetSizesAndStridesConstantArgumentFolder", slicesPlainly},
      {"InsertSliceOpConstantArgumentFolder", slicesPlainly},
      {"SubViewOpMemRefCastFolder", viewsPartOfSource},
      {"TensorCastExtractSlice", castsPlainSlice},
      {"ChainedTensorCast", agreesWithSource},
      {"InsertSliceOpCastFolder", insertsPlainSlice},
      {"ReinterpretCastOpExtractStridedMetadataFolder", hasKnownStrides},
      {"ReinterpretCastOpConstantFolder", hasPlainSizes},
      {"CollapseShapeOpMemRefCastFolder", collapsesPlainly},
      {"LoadOfToBuffer", readsOnly},
      {"ComposeExpandOfCollapseOp", hasNoZero},
      {"ComposeCollapseOfExpandOp", multipliesNoSize},
      {"FoldStaticPadding", hasPlainSizes},
      {"FoldTargetTensorCast", isCastBeside},
      {"ConvertToStaticExpandShape", expandsPlainly},
      {"ExpandShapeOpMemRefCastFolder", hasPlainSizes},
      {"ViewOpShapeFolder", hasPlainSizes},
      {"ViewOpMemrefCastFolder", viewsPlainSource},
      {"RemoveDeadRegionBranchOpSuccessorInputs", hasNoExtents},
      {"FoldInsertPadIntoFill", hasUnitStrides},
      {"FoldConcatsOfFill", hasInferredType},
      {"RemoveOutsDependency", never}};
  // Functions have no name.
  static const llvm::StringMap<UpstreamCondition> byRoot = {
      {"cf.switch", followsCases},       {"index.cmp", comparesEquality},
      {"index.maxs", hasShortConstants}, {"index.maxu", hasShortConstants},
      {"index.mins", hasShortConstants}, {"index.minu", hasShortConstants},
      {"linalg.pack", isWholeTiles},     {"linalg.unpack", isWholeTiles}};
  return pattern.empty() ? byRoot.lookup(root) : byName.lookup(pattern);
}

bool symshape::mayFold(Operation *op) {
  static const llvm::StringMap<UpstreamCondition> conditions = {
      {"affine.delinearize_index", hasPositiveBasis},
      {"affine.for", hasNearConstantBounds},
      {"arith.cmpi", hasStaticResult},
      {"arith.xori", hasStaticResult},
      {"index.ceildivs", dividesNoLeast},
      {"math.atan2", hasAngle},
      {"memref.dim", readsPlainView},
      {"memref.expand_shape", hasNoZero},
      {"memref.reinterpret_cast", hasKnownStrides},
      {"tensor.expand_shape", hasNoZero},
      {"tosa.transpose", keepsType}};
  UpstreamCondition condition = conditions.lookup(op->getName().getStringRef());
  return !condition || condition(op);
}
