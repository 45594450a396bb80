//===- TosaFixups.cpp - What upstream refuses without need ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's verifiers take a `tosa.pad` by constants only, and compute with
// open extents of a `tosa.rescale` and of the kernel of a
// `tosa.transpose_conv2d` as if they were numbers. Programs are read without
// them, changed, and verified then.
//
//===----------------------------------------------------------------------===//

#include "TosaFixups.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace {
/// The shapes whose numbers are known, of the ops seen so far.
class ConstantShapes {
public:
  void see(Operation *op) {
    SmallVector<int64_t> numbers;
    if (auto constant = dyn_cast<tosa::ConstShapeOp>(op)) {
      if (!isVerified(op))
        return;
      for (const APInt &value : constant.getValues().getValues<APInt>())
        numbers.push_back(value.getSExtValue());
    } else if (isa<tosa::ConcatShapeOp>(op)) {
      if (!isVerified(op))
        return;
      for (Value part : op->getOperands()) {
        auto found = known.find(part);
        if (found == known.end())
          return;
        llvm::append_range(numbers, found->second);
      }
    } else {
      return;
    }
    known[op->getResult(0)] = std::move(numbers);
  }

  /// The numbers of a shape that is joined; null if they are not known.
  const SmallVector<int64_t> *lookup(Value shape) const {
    auto found = known.find(shape);
    return found != known.end() && shape.getDefiningOp<tosa::ConcatShapeOp>()
               ? &found->second
               : nullptr;
  }

private:
  static bool isVerified(Operation *op) {
    return succeeded(verify(op, /*verifyRecursively=*/false));
  }

  DenseMap<Value, SmallVector<int64_t>> known;
};
} // namespace

static void fixPad(Operation *op, const ConstantShapes &shapes) {
  if (op->getNumOperands() < 2)
    return;
  const SmallVector<int64_t> *numbers = shapes.lookup(op->getOperand(1));
  if (!numbers)
    return;
  OpBuilder b(op);
  op->setOperand(1, tosa::ConstShapeOp::create(b, op->getLoc(),
                                               op->getOperand(1).getType(),
                                               b.getIndexTensorAttr(*numbers)));
}

/// The last dimension of operands 0 to 2, of which one may be known.
static void fixRescale(Operation *op) {
  auto isPerChannel = op->getAttrOfType<BoolAttr>("per_channel");
  if (!isPerChannel || !isPerChannel.getValue() || op->getNumOperands() < 3)
    return;
  int64_t channels = ShapedType::kDynamic;
  for (Value operand : op->getOperands().take_front(3)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() == 0)
      return;
    if (ShapedType::isDynamic(channels))
      channels = type.getShape().back();
  }
  if (ShapedType::isDynamic(channels))
    return;
  op->getContext()->getOrLoadDialect<tensor::TensorDialect>();
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands().take_front(3)) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    SmallVector<int64_t> shape(type.getShape());
    if (!ShapedType::isDynamic(shape.back()))
      continue;
    shape.back() = channels;
    operand.set(tensor::CastOp::create(b, op->getLoc(), type.clone(shape),
                                       operand.get()));
  }
}

/// The height and width of the kernel, where those of the input and of the
/// result determine them.
static void fixTransposeConv(Operation *op) {
  auto pad = op->getAttrOfType<DenseI64ArrayAttr>("out_pad"),
       stride = op->getAttrOfType<DenseI64ArrayAttr>("stride");
  if (op->getNumOperands() < 2 || op->getNumResults() != 1 || !pad ||
      pad.size() != 4 || !stride || stride.size() != 2)
    return;
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType()),
       weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType()),
       result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  for (RankedTensorType type : {input, weight, result})
    if (!type || type.getRank() != 4)
      return;
  SmallVector<int64_t> shape(weight.getShape());
  for (unsigned axis : {0, 1}) {
    int64_t from = input.getDimSize(1 + axis), to = result.getDimSize(1 + axis);
    if (!weight.isDynamicDim(1 + axis) || ShapedType::isDynamic(from) ||
        ShapedType::isDynamic(to))
      continue;
    int64_t kernel =
        to - (from - 1) * stride[axis] - pad[2 * axis] - pad[2 * axis + 1];
    if (kernel > 0)
      shape[1 + axis] = kernel;
  }
  if (ArrayRef(shape) == weight.getShape())
    return;
  op->getContext()->getOrLoadDialect<tensor::TensorDialect>();
  OpBuilder b(op);
  op->setOperand(1, tensor::CastOp::create(b, op->getLoc(), weight.clone(shape),
                                           op->getOperand(1)));
}

void mlir::symshape::fixTosaOps(Block &block) {
  if (block.empty())
    return;
  // What a verifier says is said again when the whole program is verified.
  ScopedDiagnosticHandler quiet(block.front().getContext(),
                                [](Diagnostic &) { return success(); });
  ConstantShapes shapes;
  block.walk([&](Operation *op) {
    shapes.see(op);
    if (isa<tosa::PadOp>(op))
      fixPad(op, shapes);
    else if (isa<tosa::RescaleOp>(op))
      fixRescale(op);
    else if (isa<tosa::TransposeConv2DOp>(op))
      fixTransposeConv(op);
  });
}
