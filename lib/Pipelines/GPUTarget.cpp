//===- GPUTarget.cpp - The GPU that code is generated for -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are those of LLVM's code generator.
//
//===----------------------------------------------------------------------===//

#include "symshape/Pipelines/GPUTarget.h"

#include "llvm/ADT/Twine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir::symshape;
using llvm::StringRef;

/// The oldest chip with asynchronous copies and products of bf16.
static constexpr unsigned leastCapability = 80;
/// The first chip that needs PTX of a version above the default.
static constexpr unsigned newCapability = 100;

static const llvm::Triple &getTriple() {
  static const llvm::Triple triple("nvptx64-nvidia-cuda");
  return triple;
}

static llvm::Expected<const llvm::Target *> findGPUTarget() {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
  std::string message;
  if (const auto *target =
          llvm::TargetRegistry::lookupTarget(getTriple(), message))
    return target;
  return llvm::createStringError("no code generator for GPUs of NVIDIA");
}

llvm::Expected<GPUTarget> GPUTarget::get(StringRef chip) {
  auto target = findGPUTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*target)->createMCSubtargetInfo(getTriple(), "", ""));
  StringRef digits = chip;
  unsigned capability = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, capability) ||
      capability < leastCapability || !info || !info->isCPUStringValid(chip))
    return llvm::createStringError("expected the chip to be sm_80 or a later "
                                   "one that LLVM knows, such as sm_90a, but "
                                   "got '" +
                                   chip + "'");
  GPUTarget result;
  result.chip = chip;
  if (capability >= newCapability)
    result.features = "+ptx88";
  return result;
}

llvm::Expected<GPUTarget> GPUTarget::getForCapability(int64_t capability) {
  return get(capability == 90 ? "sm_90a" : "sm_" + std::to_string(capability));
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
GPUTarget::createMachine() const {
  auto target = findGPUTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      getTriple(), chip, features, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no code generator for '" + chip + "'");
  return machine;
}
