//===- QuickCode.cpp - LLVM's part of code that is soon there -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuickCode.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

using namespace mlir::symshape;

/// Passes that take less time than they save.
static constexpr llvm::StringLiteral quickPasses =
    "globaldce,function(simplifycfg,early-cse,loop-mssa(licm))";

/// `value` as a product that may be fused with the only op that uses it.
static llvm::BinaryOperator *asProduct(llvm::Value *value) {
  auto *op = llvm::dyn_cast<llvm::BinaryOperator>(value);
  bool isProduct = op && op->getOpcode() == llvm::Instruction::FMul &&
                   op->hasOneUse() && op->hasAllowContract();
  return isProduct ? op : nullptr;
}

static bool isSum(const llvm::Instruction &instruction) {
  unsigned opcode = instruction.getOpcode();
  return (opcode == llvm::Instruction::FAdd ||
          opcode == llvm::Instruction::FSub) &&
         instruction.hasAllowContract();
}

/// Replaces x * y + z, x * y - z and z - x * y.
static void fuseProduct(llvm::Instruction &sum) {
  unsigned number = asProduct(sum.getOperand(0)) ? 0 : 1;
  llvm::BinaryOperator *product = asProduct(sum.getOperand(number));
  if (!product)
    return;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *x = product->getOperand(0), *y = product->getOperand(1);
  llvm::Value *z = sum.getOperand(1 - number);
  if (sum.getOpcode() == llvm::Instruction::FSub) {
    llvm::Value *&negated = number == 0 ? z : x;
    negated = builder.CreateFNeg(negated);
  }
  sum.replaceAllUsesWith(builder.CreateIntrinsic(llvm::Intrinsic::fma,
                                                 {sum.getType()}, {x, y, z}));
  sum.eraseFromParent();
  product->eraseFromParent();
}

static void fuseProducts(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> sums;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (isSum(instruction))
      sums.push_back(&instruction);
  for (llvm::Instruction *sum : sums)
    fuseProduct(*sum);
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::FPMathOperator>(instruction))
      instruction.setHasAllowContract(false);
}

void mlir::symshape::optimizeQuickly(
    llvm::Module &module, llvm::PassBuilder &builder,
    llvm::AnalysisManager<llvm::Module> &analyses, bool fma) {
  if (fma)
    for (llvm::Function &function : module)
      fuseProducts(function);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, quickPasses));
  passes.run(module, analyses);
}
