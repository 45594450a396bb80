//===- MoveSmallFloats.cpp - bf16 moved as integers -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a processor that is not said to have AVX512-BF16, LLVM 22 makes a branch
// for each lane of a masked load or store of bf16 (isLegalMaskedLoadStore in
// X86TargetTransformInfo.cpp), and takes a vector of bf16 that is shuffled, or
// goes from one block to another, through f32, with a call for each lane. Code
// is not compiled for that extension: its conversions take denormals as zero
// (TargetFeatures.cpp). Integers of 16 bits are moved by one instruction.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_MOVESMALLFLOATSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The type of the bits of a bf16 or of a vector of them; null for other types.
static Type getMovedBits(Type type) {
  auto bits = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isBF16() ? vector.clone(bits) : Type();
  return type.isBF16() ? bits : Type();
}

/// True if `op` does the same to numbers as to their bits.
static bool movesBits(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::SelectOp, LLVM::FreezeOp, LLVM::ShuffleVectorOp,
             LLVM::InsertElementOp, LLVM::ExtractElementOp, LLVM::vector_insert,
             LLVM::vector_extract, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp,
             LLVM::BrOp, LLVM::CondBrOp, LLVM::SwitchOp>(op);
}

/// `value`, now one of bits, as the number that its uses take.
static void useAsNumber(RewriterBase &rewriter, Value value) {
  Type number = value.getType(), bits = getMovedBits(number);
  if (!bits)
    return;
  value.setType(bits);
  auto cast = LLVM::BitcastOp::create(rewriter, value.getLoc(), number, value);
  rewriter.replaceAllUsesExcept(value, cast, cast);
}

static void moveBits(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type bits = getMovedBits(operand.get().getType()))
      operand.set(rewriter.createOrFold<LLVM::BitcastOp>(op->getLoc(), bits,
                                                         operand.get()));
  rewriter.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    useAsNumber(rewriter, result);
}

namespace {
struct MoveSmallFloatsPass
    : symshape::impl::MoveSmallFloatsPassBase<MoveSmallFloatsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](LLVM::LLVMFuncOp function) {
      if (function.isExternal())
        return;
      for (Block &block : llvm::drop_begin(function.getBody()))
        for (BlockArgument argument : block.getArguments()) {
          rewriter.setInsertionPointToStart(&block);
          useAsNumber(rewriter, argument);
        }
      function.walk([&](Operation *op) {
        if (movesBits(op))
          moveBits(rewriter, op);
      });
    });
    // What is computed on bits may now take them as they are: uses first.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](LLVM::BitcastOp op) {
          auto number = op.getArg().getDefiningOp<LLVM::BitcastOp>();
          if (op->use_empty())
            rewriter.eraseOp(op);
          else if (number && number.getArg().getType() == op.getType())
            rewriter.replaceOp(op, number.getArg());
        });
  }
};
} // namespace
