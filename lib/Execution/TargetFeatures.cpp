//===- TargetFeatures.cpp - Instructions that code asks for ---------------===//
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

#include "TargetFeatures.h"

#include "symshape/Conversion/CPUTile.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace mlir::symshape;
using llvm::StringRef;

/// Intrinsics that ops of the dialect `amx` become, and those of instructions
/// that are left alone for their roundings, by how their names begin, and the
/// feature that they need; the first row that fits counts.
static constexpr std::pair<StringRef, StringRef> intrinsicFamilies[] = {
    {"llvm.x86.tdpbf16", "amx-bf16"},
    {"llvm.x86.tdpfp16", "amx-fp16"},
    {"llvm.x86.tdpb", "amx-int8"},
    {"llvm.x86.tile", "amx-tile"},
    {"llvm.x86.avx512bf16", "avx512bf16"},
    {"llvm.x86.vcvtneps2bf16", "avxneconvert"}};

/// What functions were given.
using Grants = llvm::DenseMap<const llvm::Function *, std::string>;

static llvm::Error refuse(StringRef what, StringRef feature) {
  return makeRunError(RunStatus::CannotCompile,
                      "'" + what + "' needs a processor with " + feature);
}

/// Whether all calls of `intrinsic` are in functions that were given `feature`.
static bool isGranted(const llvm::Function &intrinsic, StringRef feature,
                      const Grants &grants) {
  return llvm::all_of(intrinsic.users(), [&](const llvm::User *user) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    return call && grants.lookup(call->getFunction()) == ("+" + feature).str();
  });
}

/// An error if `module` calls an intrinsic of these without its feature.
static llvm::Error checkIntrinsics(const llvm::Module &module,
                                   const llvm::TargetMachine &machine,
                                   const Grants &grants) {
  for (const llvm::Function &function : module)
    for (auto [prefix, feature] : intrinsicFamilies) {
      if (!function.getName().starts_with(prefix))
        continue;
      if (machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str()) ||
          isGranted(function, feature, grants))
        break;
      return refuse(function.getName(), feature);
    }
  return llvm::Error::success();
}

llvm::Error mlir::symshape::grantFeatures(llvm::Module &module,
                                          const CPUTarget &target,
                                          const llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::MCSubtargetInfo> all(
      machine.getTarget().createMCSubtargetInfo(target.triple, target.cpu,
                                                target.features));
  Grants grants;
  for (llvm::Function &function : module) {
    std::string needed =
        function.getFnAttribute(kNeededFeatures).getValueAsString().str();
    if (needed.empty())
      continue;
    if (!all->checkFeatures(needed))
      return refuse(function.getName(), StringRef(needed).drop_front());
    function.removeFnAttr(kNeededFeatures);
    function.addFnAttr("target-features",
                       (machine.getTargetFeatureString() + "," + needed).str());
    grants[&function] = needed;
  }
  return checkIntrinsics(module, machine, grants);
}
