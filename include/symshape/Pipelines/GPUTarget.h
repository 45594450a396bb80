//===- GPUTarget.h - The GPU that code is generated for ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM is told of a GPU, in one place. Not for: choosing tiles
// (Conversion).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_GPUTARGET_H
#define SYMSHAPE_PIPELINES_GPUTARGET_H

#include "symshape/Conversion/WgmmaUse.h"

#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir::symshape {

/// A GPU of NVIDIA: its name for LLVM, and the version of PTX to write.
struct GPUTarget {
  std::string chip = "sm_80";
  std::string features = "+ptx80"; ///< LLVM ends the process without

  /// Which products of bf16 and f16 use `wgmma`; all but `Off` need a GPU that
  /// has it.
  WgmmaUse wgmma = WgmmaUse::Off;

  /// Whether the GPU has `wgmma`.
  bool hasWgmma() const { return chip == "sm_90a"; }

  /// The GPU of this name, such as sm_80 or sm_90a. Fails if LLVM does not know
  /// it, or if it is older than sm_80, which has no asynchronous copies.
  static llvm::Expected<GPUTarget> get(llvm::StringRef chip);

  /// The GPU of a compute capability, such as 80 for sm_80; 90 is sm_90a.
  static llvm::Expected<GPUTarget> getForCapability(int64_t capability);

  /// LLVM's code generator.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine() const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_GPUTARGET_H
