//===- PlaceChecks.cpp - Checks where an op stands ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PlaceChecks.h.
//
//===----------------------------------------------------------------------===//

#include "PlaceChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/Transforms/FailMessage.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::symshape;
using arith::CmpIPredicate;

namespace {
class PlaceChecks {
public:
  PlaceChecks(OpBuilder &builder, Operation *op)
      : b(builder), op(op), loc(op->getLoc()) {}

  void checkDivision(bool isSigned);
  void checkLanes(Value base, ValueRange indices, Value mask, Value places);
  void checkTransfer(VectorTransferOpInterface access, Value mask);
  void checkPacked(Value base, ValueRange indices, Value mask);
  void checkTensorCast(tensor::CastOp cast);
  void checkMemRefCast(memref::CastOp cast);

private:
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value splat(Type vector, const APInt &value) {
    return createScalarOrSplatConstant(b, loc, vector, value);
  }
  Value extentOf(Value base, size_t d) {
    return isa<MemRefType>(base.getType())
               ? memref::DimOp::create(b, loc, base, d).getResult()
               : tensor::DimOp::create(b, loc, base, d).getResult();
  }
  Value areOutside(Value base, size_t d, Value start, Value places);
  Value anyOf(Value lanes);
  void failIf(Value fails, const FailMessage &text);
  void require(Value actual, int64_t wanted, const Twine &field);
  void checkLayout(Value source, MemRefType type);

  OpBuilder &b;
  Operation *op;
  Location loc;
};
} // namespace

void PlaceChecks::failIf(Value fails, const FailMessage &text) {
  FailMessage message(op->getParentOfType<func::FuncOp>());
  Requirement requirement;
  requirement.op = op;
  message.append(text) << "\n  needed by " << describeOrigin(requirement);
  OpBuilder inside = branchIf(b, loc, fails);
  message.emit(inside, loc);
}

/// Whether a lane of a vector of i1 is set.
Value PlaceChecks::anyOf(Value lanes) {
  auto type = cast<VectorType>(lanes.getType());
  if (type.getRank() != 1)
    lanes = vector::ShapeCastOp::create(
        b, loc, VectorType::get({type.getNumElements()}, type.getElementType()),
        lanes);
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, lanes);
}

/// Whether each lane of a constant divisor divides everything.
static bool dividesAll(Value divisor) {
  DenseIntElementsAttr lanes;
  return matchPattern(divisor, m_Constant(&lanes)) &&
         llvm::none_of(lanes.getValues<APInt>(), [](const APInt &lane) {
           return lane.isZero() || lane.isAllOnes();
         });
}

void PlaceChecks::checkDivision(bool isSigned) {
  Value a = op->getOperand(0), divisor = op->getOperand(1);
  auto type = cast<VectorType>(divisor.getType());
  if (type.isScalable() || dividesAll(divisor))
    return;
  unsigned width =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  Value bad =
      compare(CmpIPredicate::eq, divisor, splat(type, APInt::getZero(width)));
  failIf(anyOf(bad), FailMessage() << "a lane is divided by zero");
  if (!isSigned)
    return;
  Value lost = both(compare(CmpIPredicate::eq, divisor,
                            splat(type, APInt::getAllOnes(width))),
                    compare(CmpIPredicate::eq, a,
                            splat(type, APInt::getSignedMinValue(width))));
  failIf(anyOf(lost), FailMessage()
                          << "the least integer of a lane is divided by -1");
}

/// The lanes at `places`, vectors of index, from `start` on that lie outside of
/// dimension `d`. No distance to an index that is not negative wraps.
Value PlaceChecks::areOutside(Value base, size_t d, Value start, Value places) {
  Value room = arith::SubIOp::create(b, loc, extentOf(base, d), start);
  Value least = arith::SubIOp::create(b, loc, index(0), start);
  auto spread = [&](Value v) {
    return vector::BroadcastOp::create(b, loc, places.getType(), v).getResult();
  };
  Value outside = either(compare(CmpIPredicate::slt, places, spread(least)),
                         compare(CmpIPredicate::sge, places, spread(room)));
  Value isNegative = compare(CmpIPredicate::slt, start, index(0));
  return either(outside, vector::BroadcastOp::create(b, loc, outside.getType(),
                                                     isNegative));
}

static FailMessage outsideOfMemory() {
  return std::move(FailMessage()
                   << "a lane that is not masked lies outside of memory");
}

/// Lanes that the mask chooses lie in the last dimension of `base`, at `places`
/// from the last index on. The other indices lie in their dimensions if there
/// is such a lane.
void PlaceChecks::checkLanes(Value base, ValueRange indices, Value mask,
                             Value places) {
  auto type = cast<VectorType>(places.getType());
  auto shaped = dyn_cast<ShapedType>(base.getType());
  if (type.isScalable() || !shaped || !shaped.hasRank() || indices.empty())
    return;
  auto wide = VectorType::get(type.getShape(), b.getIndexType());
  if (!type.getElementType().isIndex())
    places = arith::IndexCastOp::create(b, loc, wide, places);
  size_t last = indices.size() - 1;
  Value outside = areOutside(base, last, indices[last], places);
  for (size_t d = 0; d < last; ++d)
    outside =
        either(outside,
               vector::BroadcastOp::create(
                   b, loc, mask.getType(),
                   compare(CmpIPredicate::uge, indices[d], extentOf(base, d))));
  failIf(anyOf(both(outside, mask)), outsideOfMemory());
}

/// Lanes that the mask chooses lie inside along each dimension that is said to
/// be in bounds. The mask has the dimensions of the vector in the order of
/// memory.
void PlaceChecks::checkTransfer(VectorTransferOpInterface access, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  Value outside;
  int64_t lane = -1;
  for (auto [d, start] : llvm::enumerate(access.getIndices())) {
    std::optional<unsigned> place =
        access.getPermutationMap().getResultPosition(
            getAffineDimExpr(d, b.getContext()));
    if (!place)
      continue;
    ++lane;
    if (type.isScalable() || !access.isDimInBounds(*place))
      continue;
    int64_t length = type.getDimSize(lane);
    Value places = vector::StepOp::create(
        b, loc, VectorType::get({length}, b.getIndexType()));
    Value own = areOutside(access.getBase(), d, start, places);
    SmallVector<int64_t> shape(type.getRank() - lane, 1);
    shape.front() = length;
    if (shape.size() > 1)
      own = vector::ShapeCastOp::create(
          b, loc, VectorType::get(shape, b.getI1Type()), own);
    if (own.getType() != type)
      own = vector::BroadcastOp::create(b, loc, type, own);
    outside = outside ? either(outside, own) : own;
  }
  if (outside)
    failIf(anyOf(both(outside, mask)), outsideOfMemory());
}

/// As many elements as the mask has lanes lie one after the other.
void PlaceChecks::checkPacked(Value base, ValueRange indices, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  if (type.getRank() != 1 || type.isScalable())
    return;
  auto wide = VectorType::get(type.getShape(), b.getI64Type());
  Value count =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                  arith::ExtUIOp::create(b, loc, wide, mask));
  count = arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
  size_t last = indices.size() - 1;
  Value extent = extentOf(base, last);
  // The difference wraps only where the index is out of range anyway.
  Value room = arith::SubIOp::create(b, loc, extent, indices[last]);
  Value outside = either(compare(CmpIPredicate::ugt, indices[last], extent),
                         compare(CmpIPredicate::slt, room, count));
  for (size_t d = 0; d < last; ++d)
    outside = either(
        outside, compare(CmpIPredicate::uge, indices[d], extentOf(base, d)));
  failIf(
      both(outside, compare(CmpIPredicate::ne, count, index(0))),
      FailMessage() << "elements of lanes that are not masked lie outside of "
                       "memory");
}

void PlaceChecks::require(Value actual, int64_t wanted, const Twine &field) {
  Value differs = compare(CmpIPredicate::ne, actual, index(wanted));
  failIf(differs, FailMessage() << field << " (" << actual << ") must equal "
                                << Twine(wanted));
}

void PlaceChecks::checkTensorCast(tensor::CastOp cast) {
  auto type = dyn_cast<RankedTensorType>(cast.getType());
  Value source = cast.getSource();
  if (!type || isa<RankedTensorType>(source.getType()))
    return;
  require(tensor::RankOp::create(b, loc, source), type.getRank(), "rank");
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      require(tensor::DimOp::create(b, loc, source, d), extent,
              "extent of dimension " + Twine(d));
}

/// Strides and the offset, of a source whose rank is that of `type`.
void PlaceChecks::checkLayout(Value source, MemRefType type) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return;
  SmallVector<int64_t> knownStrides(strides.size(), ShapedType::kDynamic);
  int64_t knownOffset = ShapedType::kDynamic;
  if (auto known = dyn_cast<MemRefType>(source.getType()))
    if (failed(known.getStridesAndOffset(knownStrides, knownOffset)))
      return;
  SmallVector<int64_t> open(type.getRank(), ShapedType::kDynamic);
  if (offset == knownOffset && strides == knownStrides)
    return;
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, open);
  auto general = MemRefType::get(open, type.getElementType(), layout,
                                 type.getMemorySpace());
  if (source.getType() != general)
    source = memref::CastOp::create(b, loc, general, source);
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, source);
  if (offset != knownOffset && !ShapedType::isDynamic(offset))
    require(parts.getOffset(), offset, "offset");
  for (auto [d, stride] : llvm::enumerate(strides))
    if (stride != knownStrides[d] && !ShapedType::isDynamic(stride))
      require(parts.getStrides()[d], stride, "stride of dimension " + Twine(d));
}

void PlaceChecks::checkMemRefCast(memref::CastOp cast) {
  auto type = dyn_cast<MemRefType>(cast.getType());
  Value source = cast.getSource();
  if (!type)
    return;
  if (!isa<MemRefType>(source.getType())) {
    require(memref::RankOp::create(b, loc, source), type.getRank(), "rank");
    for (auto [d, extent] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(extent))
        require(memref::DimOp::create(b, loc, source, d), extent,
                "extent of dimension " + Twine(d));
  }
  checkLayout(source, type);
}

static void checkPlace(Operation *op) {
  // A mask has no room for checks, and makes no values.
  auto around = dyn_cast<vector::MaskOp>(op->getParentOp());
  OpBuilder b(around ? around : op);
  PlaceChecks checks(b, op);
  auto lanesFromStart = [&](auto access) {
    VectorType type = access.getVectorType();
    if (type.getRank() != 1 || type.isScalable())
      return;
    auto lanes = VectorType::get(type.getShape(), b.getIndexType());
    checks.checkLanes(access.getBase(), access.getIndices(), access.getMask(),
                      vector::StepOp::create(b, op->getLoc(), lanes));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>([&](auto) {
        if (isa<VectorType>(op->getResult(0).getType()))
          checks.checkDivision(/*isSigned=*/true);
      })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>([&](auto) {
        if (isa<VectorType>(op->getResult(0).getType()))
          checks.checkDivision(/*isSigned=*/false);
      })
      .Case<vector::GatherOp, vector::ScatterOp>([&](auto access) {
        checks.checkLanes(access.getBase(), access.getOffsets(),
                          access.getMask(), access.getIndices());
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>(lanesFromStart)
      .Case<vector::ExpandLoadOp, vector::CompressStoreOp>([&](auto access) {
        checks.checkPacked(access.getBase(), access.getIndices(),
                           access.getMask());
      })
      .Case([&](VectorTransferOpInterface access) {
        if (Value mask = around ? around.getMask() : access.getMask())
          checks.checkTransfer(access, mask);
      })
      .Case([&](tensor::CastOp cast) { checks.checkTensorCast(cast); })
      .Case([&](memref::CastOp cast) { checks.checkMemRefCast(cast); });
}

void mlir::symshape::emitPlaceChecks(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::drop_end(ops)) // the last is the function
    checkPlace(op);
}
