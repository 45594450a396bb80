//===- FindCodes.cpp - Weights of bytes that products widen ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The right operand of a product in f32 that is made of bytes, with a scale and
// a zero for each column, becomes symshape.dequantize of them. Not for: reading
// codes in registers (FormContractions).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/HoistWeights.h"

#include "Structure/Contraction.h"
#include "WeightSteps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_FINDCODESPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Numbers `(code - zero) * scale` in f32 of a matrix of bytes: values of the
/// body that makes them.
struct WidenedBytes {
  linalg::GenericOp op;
  OpOperand *codes = nullptr;
  bool isUnsigned = false;
  Value zero, scale; ///< null: 0, and 1
};

/// Reads the body of an op; all but the codes is to depend on `columnDim` of
/// its result at most.
class BodyReader {
public:
  BodyReader(linalg::GenericOp op, unsigned columnDim)
      : columnDim(columnDim), read{op} {}

  std::optional<WidenedBytes> run();

private:
  bool readNumber(Value value);
  bool readDifference(Value value);
  bool readCode(Value value);
  bool isOfColumn(Value value);

  unsigned columnDim;
  WidenedBytes read;
};
} // namespace

/// What the body of `op` computes for `value`, in order.
static SetVector<Operation *> findSlice(linalg::GenericOp op, Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *inner) {
    return inner->getBlock() == op.getBlock();
  };
  if (Operation *last = value.getDefiningOp(); last && options.filter(last))
    (void)getBackwardSlice(last, &slice, options); // fails in graph regions
  return slice;
}

/// Whether all that the op reads for `value` is the same for a whole column.
bool BodyReader::isOfColumn(Value value) {
  SetVector<Operation *> slice = findSlice(read.op, value);
  Block *body = read.op.getBlock();
  auto isShared = [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != body)
      return true;
    AffineMap map =
        read.op.getMatchingIndexingMap(read.op.getMatchingOpOperand(argument));
    return argument.getArgNumber() < read.op.getNumDpsInputs() &&
           map.isProjectedPermutation() && map.getNumResults() <= 1 &&
           llvm::all_of(
               map.getResults(),
               [&](AffineExpr expr) {
                 return cast<AffineDimExpr>(expr).getPosition() == columnDim;
               });
  };
  return isShared(value) && llvm::all_of(slice, [&](Operation *op) {
           return !isa<linalg::IndexOp>(op) && isPure(op) &&
                  op->getNumRegions() == 0 &&
                  llvm::all_of(op->getOperands(), isShared);
         });
}

/// The bytes, widened.
bool BodyReader::readCode(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    read.isUnsigned = isa<arith::ExtUIOp>(op);
    value = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != read.op.getBlock() ||
      !argument.getType().isInteger(8) ||
      argument.getArgNumber() >= read.op.getNumDpsInputs())
    return false;
  read.codes = read.op.getMatchingOpOperand(argument);
  AffineMap map = read.op.getMatchingIndexingMap(read.codes);
  return map.isPermutation();
}

/// Bytes, maybe less a number of the column that is a byte or as small: sums of
/// such are exact in f32.
bool BodyReader::readDifference(Value value) {
  auto difference = value.getDefiningOp<arith::SubIOp>();
  if (!difference)
    return readCode(value);
  constexpr int64_t largest = 1 << 20;
  Value zero = difference.getRhs();
  Operation *op = zero.getDefiningOp();
  APInt constant;
  bool isSmall = matchPattern(zero, m_ConstantInt(&constant))
                     ? constant.abs().ule(largest)
                     : isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) &&
                           op->getOperand(0).getType().isInteger(8);
  if (!isSmall || zero.getType().getIntOrFloatBitWidth() < 32 ||
      !isOfColumn(zero) || !readCode(difference.getLhs()))
    return false;
  read.zero = zero;
  return true;
}

/// A difference as a float, or a float less one of the column. Bytes with a
/// sign are to be numbers from 0 on, so their zero is to be one to which 128
/// can be added.
bool BodyReader::readNumber(Value value) {
  if (auto difference = value.getDefiningOp<arith::SubFOp>();
      difference && isOfColumn(difference.getRhs())) {
    if (!readNumber(difference.getLhs()) || read.zero)
      return false;
    Value zero = difference.getRhs();
    Operation *op = zero.getDefiningOp();
    read.zero = zero;
    return read.isUnsigned ||
           (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op) &&
            op->getOperand(0).getType().isInteger(8));
  }
  if (auto number = value.getDefiningOp<arith::SIToFPOp>())
    return readDifference(number.getIn());
  if (auto number = value.getDefiningOp<arith::UIToFPOp>()) {
    // Of a byte itself; one that is widened has no sign to lose.
    bool isByte = number.getIn().getType().isInteger(8);
    if (!readCode(number.getIn()) || (!isByte && !read.isUnsigned))
      return false;
    read.isUnsigned = true;
    return true;
  }
  return false;
}

std::optional<WidenedBytes> BodyReader::run() {
  Value made = read.op.getBlock()->getTerminator()->getOperand(0);
  if (!made.getType().isF32())
    return std::nullopt;
  if (auto product = made.getDefiningOp<arith::MulFOp>()) {
    bool isRight = isOfColumn(product.getRhs());
    if (!isRight && !isOfColumn(product.getLhs()))
      return std::nullopt;
    read.scale = isRight ? product.getRhs() : product.getLhs();
    made = isRight ? product.getLhs() : product.getRhs();
  }
  if (!readNumber(made))
    return std::nullopt;
  return read;
}

namespace {
/// Makes codes, scales and zeros in a function whose arguments are the inputs
/// of an op and what its body uses from outside.
class CodeMaker {
public:
  CodeMaker(OpBuilder &b, const WidenedBytes &read, unsigned column,
            ValueRange inputs, ValueRange arguments)
      : b(b), read(read), op(read.op), loc(op.getLoc()), column(column) {
    outside.map(inputs, arguments);
    codes = outside.lookup(read.codes->get());
    AffineMap map = op.getMatchingIndexingMap(read.codes);
    extent = tensor::getMixedSize(
        b, loc, codes, *map.getResultPosition(b.getAffineDimExpr(column)));
  }

  /// Codes of columns by terms, scales, and zeros if there are any.
  SmallVector<Value> run();

private:
  Value makeCodes();
  Value makeOfColumns(Value value,
                      function_ref<Value(OpBuilder &, Value)> finish);
  Value number(OpBuilder &b, double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }

  OpBuilder &b;
  const WidenedBytes &read;
  linalg::GenericOp op;
  Location loc;
  unsigned column;
  IRMapping outside;
  Value codes;
  OpFoldResult extent;
};
} // namespace

/// A tensor of columns by 1: what `finish` makes of `value` of the body; of
/// null if that is null.
Value CodeMaker::makeOfColumns(Value value,
                               function_ref<Value(OpBuilder &, Value)> finish) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Value> read;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() > 1 ||
        (map.getNumResults() == 1 &&
         map.getResult(0) != b.getAffineDimExpr(column)))
      continue; // of no use to what is the same for a column
    inputs.push_back(outside.lookup(input->get()));
    read.push_back(op.getMatchingBlockArgument(input));
    maps.push_back(b.getMultiDimIdentityMap(2).getMajorSubMap(
        static_cast<size_t>(map.getNumResults())));
  }
  maps.push_back(b.getMultiDimIdentityMap(2));
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{extent, b.getIndexAttr(1)},
      b.getF32Type());
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), inputs, empty, maps, loops,
             [&](OpBuilder &b, Location loc, ValueRange now) {
               IRMapping mapping = outside;
               mapping.map(read, now.take_front(read.size()));
               if (value)
                 for (Operation *inner : findSlice(op, value))
                   b.clone(*inner, mapping);
               linalg::YieldOp::create(
                   b, loc,
                   finish(b, value ? mapping.lookupOrDefault(value) : value));
             })
      .getResult(0);
}

/// Columns by terms, without signs.
Value CodeMaker::makeCodes() {
  AffineMap map = op.getMatchingIndexingMap(read.codes);
  SmallVector<AffineExpr> order{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  if (column == 1)
    std::swap(order[0], order[1]);
  map = map.compose(AffineMap::get(2, 0, order, b.getContext()));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Value empty = tensor::EmptyOp::create(
      b, loc,
      ArrayRef<OpFoldResult>{extent,
                             b.getIndexAttr(type.getDimSize(1 - column))},
      b.getI8Type());
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), codes, empty,
             ArrayRef<AffineMap>{map, b.getMultiDimIdentityMap(2)}, loops,
             [&](OpBuilder &b, Location loc, ValueRange now) {
               Value code = now[0];
               if (!read.isUnsigned)
                 code = arith::XOrIOp::create(
                     b, loc, code,
                     arith::ConstantOp::create(b, loc,
                                               b.getI8IntegerAttr(-128)));
               linalg::YieldOp::create(b, loc, code);
             })
      .getResult(0);
}

SmallVector<Value> CodeMaker::run() {
  constexpr double half = 128;
  SmallVector<Value> made{
      makeCodes(), makeOfColumns(read.scale, [&](OpBuilder &b, Value scale) {
        return scale ? scale : number(b, 1);
      })};
  if (read.zero || read.isUnsigned)
    made.push_back(makeOfColumns(read.zero, [&](OpBuilder &b, Value zero) {
      if (!zero)
        return number(b, 0);
      if (zero.getType().isInteger())
        zero = arith::SIToFPOp::create(b, loc, b.getF32Type(), zero);
      return read.isUnsigned
                 ? zero
                 : arith::AddFOp::create(b, loc, zero, number(b, half))
                       .getResult();
    }));
  return made;
}

namespace {
struct FindCodesPass : symshape::impl::FindCodesPassBase<FindCodesPass> {
  void runOnOperation() override {
    steps = {};
    DenseSet<Value> prepared = findPreparedValues(getOperation());
    SmallVector<std::pair<WidenedBytes, unsigned>> found;
    DenseSet<Value> seen;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<ContractionMatch> match = matchContraction(op);
      if (!multipliesFloats(op) || failed(match) ||
          !isProductByMatrix(*match) || !prepared.contains(match->b) ||
          !seen.insert(match->b).second)
        return;
      auto column = match->bMap.getResultPosition(
          getAffineDimExpr(match->loops.column, op.getContext()));
      auto made = match->b.getDefiningOp<linalg::GenericOp>();
      if (!column || !made || made.getNumReductionLoops() != 0 ||
          made.getNumResults() != 1 ||
          !made.getIndexingMapsArray().back().isIdentity() ||
          !isa<func::FuncOp>(made->getParentOp()))
        return;
      int64_t terms =
          cast<ShapedType>(match->b.getType()).getDimSize(1 - *column);
      if (terms <= 0 || ShapedType::isDynamic(terms))
        return;
      if (std::optional<WidenedBytes> read = BodyReader(made, *column).run())
        found.emplace_back(*read, *column);
    });
    for (auto &[read, column] : found)
      replace(read, column);
  }

private:
  /// Gives all users numbers that codes stand for.
  void replace(const WidenedBytes &read, unsigned column) {
    linalg::GenericOp op = read.op;
    Location loc = op.getLoc();
    OpBuilder b(op);
    SetVector<Value> inputs(llvm::from_range, op.getDpsInputs());
    getUsedValuesDefinedAbove(op.getRegion(), inputs);
    ValueRange made = steps.call(
        b, loc, "symshape.find_codes", inputs.getArrayRef(),
        [&](OpBuilder &b, ValueRange arguments) {
          return CodeMaker(b, read, column, inputs.getArrayRef(), arguments)
              .run();
        });
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t terms = type.getDimSize(1 - column);
    Value numbers = DequantizeOp::create(
        b, loc, type.clone({type.getDimSize(column), terms}), made[0], made[1],
        made.size() == 3 ? made[2] : Value(), /*bits=*/8,
        llvm::alignTo(terms, DequantizeOp::blockMultiple));
    if (column == 1)
      numbers = makeTranspose(b, loc, numbers, {1, 0});
    op.getResult(0).replaceAllUsesWith(numbers);
    op.erase();
  }

  WeightSteps steps;
};
} // namespace
