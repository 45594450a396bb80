//===- ByteOperands.cpp - Operands of products that hold bytes ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "ByteOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::symshape;

Value ByteZero::read(OpBuilder &b, Location loc, Value element) const {
  Type wide = b.getI32Type();
  Value read = isTensor() ? element : value;
  if (read && read.getType() != wide)
    read = isUnsigned ? arith::ExtUIOp::create(b, loc, wide, read).getResult()
                      : arith::ExtSIOp::create(b, loc, wide, read).getResult();
  if (read && offset == 0)
    return read;
  Value number = arith::ConstantIntOp::create(b, loc, wide, offset);
  return read ? arith::AddIOp::create(b, loc, read, number).getResult()
              : number;
}

void ByteOperand::flipSign(OpBuilder &b, Location loc) {
  auto type = cast<RankedTensorType>(source.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, source), type.getElementType());
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  source =
      linalg::GenericOp::create(
          b, loc, type, source, empty, ArrayRef{all, all}, kinds,
          [](OpBuilder &b, Location loc, ValueRange arguments) {
            Value high = arith::ConstantIntOp::create(
                b, loc, arguments[0].getType(), -128);
            linalg::YieldOp::create(
                b, loc,
                arith::XOrIOp::create(b, loc, arguments[0], high).getResult());
          })
          .getResult(0);
  zero.offset += isUnsigned ? -128 : 128;
  isUnsigned = !isUnsigned;
}

namespace {
/// In a body: a widened argument, less what `zero` says.
struct Difference {
  BlockArgument argument;
  bool isUnsigned;
  Value zero; ///< null, or what is subtracted
};
} // namespace

/// The byte that `value` widens; null if it does not.
static Value matchByte(Value value, bool &isUnsigned) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::ExtSIOp, arith::ExtUIOp>(op) ||
      !op->getOperand(0).getType().isInteger(8))
    return Value();
  isUnsigned = isa<arith::ExtUIOp>(op);
  return op->getOperand(0);
}

static std::optional<Difference> matchDifference(Value value) {
  Difference found{};
  if (!value.getType().isInteger(32))
    return std::nullopt;
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    value = sub.getLhs();
    found.zero = sub.getRhs();
  }
  found.argument =
      dyn_cast_if_present<BlockArgument>(matchByte(value, found.isUnsigned));
  return found.argument ? std::make_optional(found) : std::nullopt;
}

/// What the body of `op` subtracts, with its map if it is an operand.
static std::optional<ByteZero> matchZero(linalg::LinalgOp op, Value value) {
  ByteZero zero;
  if (!value)
    return zero;
  Block *body = op.getBlock();
  auto scalar = dyn_cast<BlockArgument>(value);
  if (scalar && scalar.getOwner() == body) {
    value =
        op.getMatchingOpOperand(scalar)->get(); // of linalg.quantized_matmul
    if (!value.getType().isInteger(32))
      return std::nullopt;
  }
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known))) {
    zero.offset = known.getSExtValue();
    return zero;
  }
  zero.value = value;
  if (Value byte = matchByte(value, zero.isUnsigned))
    zero.value = byte;
  auto argument = dyn_cast<BlockArgument>(zero.value);
  if (!argument || argument.getOwner() != body) {
    if (zero.value.getParentBlock() == body)
      return std::nullopt;
    return zero;
  }
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (!op.isDpsInput(operand) || !argument.getType().isInteger(8))
    return std::nullopt;
  zero.value = operand->get();
  zero.map = op.getMatchingIndexingMap(operand);
  DenseElementsAttr elements;
  if (matchPattern(zero.value, m_Constant(&elements)) && elements.isSplat()) {
    APInt number = elements.getSplatValue<APInt>();
    zero.offset =
        zero.isUnsigned ? number.getZExtValue() : number.getSExtValue();
    zero.value = Value();
  }
  if (zero.isTensor() && !zero.map.isProjectedPermutation())
    return std::nullopt;
  return zero;
}

/// A tensor of i32 that is computed as bytes less a zero, of the same shape.
static std::optional<ByteOperand> matchCentered(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  auto found = matchDifference(op.getBody()->getTerminator()->getOperand(0));
  if (!found || found->argument.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(found->argument);
  auto zero = matchZero(op, found->zero);
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!zero || !op.isDpsInput(operand) || !map.isIdentity() ||
      map != op.getMatchingIndexingMap(op.getDpsInitOperand(0)))
    return std::nullopt;
  return ByteOperand{operand->get(), map, found->isUnsigned, *zero};
}

/// The byte of `bytes` that stands for 0, as a border has it; null if none
/// does.
static Value makeBorderByte(OpBuilder &b, Location loc,
                            const ByteOperand &bytes) {
  Type type = b.getI8Type();
  const ByteZero &zero = bytes.zero;
  int64_t least = bytes.isUnsigned ? 0 : -128;
  if (!zero.value) {
    if (zero.offset < least || zero.offset > least + 255)
      return Value();
    auto border = static_cast<int8_t>(zero.offset);
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, border));
  }
  if (zero.offset != 0 || !zero.isUniform() ||
      zero.isUnsigned != bytes.isUnsigned)
    return Value();
  if (zero.isTensor())
    return tensor::ExtractOp::create(b, loc, zero.value, ValueRange());
  return zero.value.getType() == type ? zero.value : Value();
}

/// The ops on 32-bit numbers that only move what `value` is made of, last
/// first; ends at bytes less a zero.
static std::optional<ByteOperand>
matchMovedBytes(Value value, SmallVectorImpl<Operation *> &moves) {
  while (true) {
    if (auto found = matchCentered(value))
      return found;
    Operation *op = value.getDefiningOp();
    if (auto pad = dyn_cast_if_present<tensor::PadOp>(op)) {
      Value border = pad.getConstantPaddingValue();
      if (!border || !matchPattern(border, m_Zero()))
        return std::nullopt;
    } else if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                                linalg::TransposeOp>(op)) {
      return std::nullopt;
    }
    moves.push_back(op);
    value = op->getOperand(0);
  }
}

/// `op`, of the source of `operand`; null if there is no such op.
static Value moveBytes(OpBuilder &b, Operation *op,
                       const ByteOperand &operand) {
  Location loc = op->getLoc();
  Value bytes = operand.source;
  auto type = cast<RankedTensorType>(op->getResult(0).getType())
                  .clone(cast<ShapedType>(bytes.getType()).getElementType());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(b, loc, type, bytes,
                                           collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(b, loc, type, bytes,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value border = makeBorderByte(b, loc, operand);
    return border ? tensor::PadOp::create(b, loc, type, bytes,
                                          pad.getMixedLowPad(),
                                          pad.getMixedHighPad(), border)
                        .getResult()
                  : Value();
  }
  auto transpose = cast<linalg::TransposeOp>(op);
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, transpose.getInit()),
      type.getElementType());
  return linalg::TransposeOp::create(b, loc, bytes, empty,
                                     transpose.getPermutation())
      .getResult()[0];
}

FailureOr<ByteOperand> mlir::symshape::matchByteOperand(OpBuilder &b,
                                                        linalg::LinalgOp op,
                                                        Value factor) {
  if (auto found = matchDifference(factor)) {
    auto zero = matchZero(op, found->zero);
    OpOperand *operand = op.getMatchingOpOperand(found->argument);
    if (!zero || !op.isDpsInput(operand))
      return failure();
    return ByteOperand{operand->get(), op.getMatchingIndexingMap(operand),
                       found->isUnsigned, *zero, operand->getOperandNumber()};
  }
  auto argument = dyn_cast<BlockArgument>(factor);
  if (!argument || argument.getOwner() != op.getBlock())
    return failure();
  OpOperand *operand = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Operation *> moves;
  auto found = matchMovedBytes(operand->get(), moves);
  // A zero along loops would have to move, too.
  if (!found || !op.isDpsInput(operand) ||
      (!found->zero.isUniform() &&
       (!moves.empty() || !map.isProjectedPermutation())))
    return failure();
  for (Operation *move : llvm::reverse(moves)) {
    found->source = moveBytes(b, move, *found);
    if (!found->source)
      return failure();
  }
  if (found->zero.isTensor())
    found->zero.map = found->zero.isUniform()
                          ? AffineMap::get(map.getNumDims(), 0, op.getContext())
                          : found->zero.map.compose(map);
  found->map = map;
  found->number = operand->getOperandNumber();
  return *found;
}
