//===- MendTosa.cpp - What upstream refuses without need ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's verifiers take a `tosa.pad` by constants only, and compare extents
// of a `tosa.rescale` as if an open one were a number. Programs are read
// without them, mended, and verified then.
//
//===----------------------------------------------------------------------===//

#include "MendTosa.h"

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

static void mendPad(Operation *op, const ConstantShapes &shapes) {
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
static void mendRescale(Operation *op) {
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

void mlir::symshape::mendTosa(Block &block) {
  if (block.empty())
    return;
  // What a verifier says is said again when the whole program is verified.
  ScopedDiagnosticHandler quiet(block.front().getContext(),
                                [](Diagnostic &) { return success(); });
  ConstantShapes shapes;
  block.walk([&](Operation *op) {
    shapes.see(op);
    if (isa<tosa::PadOp>(op))
      mendPad(op, shapes);
    else if (isa<tosa::RescaleOp>(op))
      mendRescale(op);
  });
}
