//===- SplitLoads.cpp - Loads that LLVM has no code for -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitLoads.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace mlir;

static bool isUnsupported(const llvm::LoadInst &load) {
  auto *type = dyn_cast<llvm::FixedVectorType>(load.getType());
  return type && type->getElementType()->isBFloatTy() && load.isSimple() &&
         type->getNumElements() > 8 && type->getNumElements() % 8 == 1;
}

static void split(llvm::LoadInst &load) {
  llvm::IRBuilder<> builder(&load);
  llvm::Type *element = load.getType()->getScalarType();
  unsigned last =
      cast<llvm::FixedVectorType>(load.getType())->getNumElements() - 1;
  llvm::Value *from = load.getPointerOperand();
  llvm::Value *front = builder.CreateAlignedLoad(
      llvm::FixedVectorType::get(element, last), from, load.getAlign());
  llvm::Value *back = builder.CreateAlignedLoad(
      element, builder.CreateConstInBoundsGEP1_64(element, from, last),
      llvm::commonAlignment(load.getAlign(), 2 * last));
  SmallVector<int> lanes = llvm::to_vector(llvm::seq<int>(0, last));
  lanes.push_back(llvm::PoisonMaskElem);
  llvm::Value *whole = builder.CreateInsertElement(
      builder.CreateShuffleVector(front, lanes), back, last);
  load.replaceAllUsesWith(whole);
  load.eraseFromParent();
}

void mlir::symshape::splitBFloatLoads(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &each :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *load = dyn_cast<llvm::LoadInst>(&each);
          load && isUnsupported(*load))
        split(*load);
}
