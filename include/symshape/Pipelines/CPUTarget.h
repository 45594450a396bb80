//===- CPUTarget.h - The CPU that code is generated for ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tile sizes follow from, and what LLVM is told, in one place. Not for:
// choosing tiles (Conversion).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_CPUTARGET_H
#define SYMSHAPE_PIPELINES_CPUTARGET_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir::symshape {

/// A CPU: its names for LLVM, and the facts that code generation uses.
struct CPUTarget {
  llvm::Triple triple;
  std::string cpu;      ///< as LLVM calls it
  std::string features; ///< beside those of `cpu`, as LLVM spells them

  int64_t vectorBits = 128;      ///< of a vector register
  int64_t vectorRegisters = 16;  ///< that a register tile may use
  bool fma = false;              ///< multiplies and adds in one instruction
  bool halfConversions = false;  ///< between f16 and f32, of vectors
  bool scaleInstruction = false; ///< multiplies by 2^n in one (AVX-512)
  bool permutations = false;     ///< permutes 16 floats in one (AVX-512)
  bool dotProducts = false;      ///< adds four products of bytes in one (VNNI)
  /// Adds two products of bf16 to an f32 in one instruction (AVX512-BF16),
  /// which only functions use that ask for it.
  bool bfloatProducts = false;
  /// Bits of the smallest elements for which one instruction loads or stores a
  /// part of a vector; 0: there are none.
  int64_t maskedBits = 0;
  int64_t cacheBytes = 1 << 20; ///< second-level cache of a core

  /// The machine that runs this code.
  static CPUTarget getHost();

  /// The CPU that LLVM knows by this name for the triple; "native" is the
  /// machine that runs this code, "generic" any CPU of the architecture. An
  /// empty triple is that of this machine. An empty name is "native" for its
  /// architecture and "generic" for others. Fails if there is no such CPU, or
  /// if its architecture is neither that of this machine nor x86-64 or
  /// AArch64.
  static llvm::Expected<CPUTarget> get(llvm::StringRef cpu,
                                       llvm::StringRef triple = "");

  /// Rows of a block of an attention: several register tiles of `f32`.
  int64_t getBlockRows() const;

  /// An error, which names the features that are missing, unless the machine
  /// that runs this code can run code for the target.
  llvm::Error checkRunsHere() const;
  /// The same for an x86-64 machine with `features`.
  llvm::Error checkRunsOn(const llvm::StringMap<bool> &features) const;

  /// LLVM's code generator, for position-independent code.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(
      llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Aggressive) const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_CPUTARGET_H
