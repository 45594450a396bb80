//===- WgmmaUse.h - When products are those of four warps -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice that passes, pipelines and tools hand on. Not for: what is chosen
// where (lib/Conversion/GPU/ContractionChoice.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_WGMMAUSE_H
#define SYMSHAPE_CONVERSION_WGMMAUSE_H

#include "llvm/Support/CommandLine.h"

namespace mlir::symshape {

/// Which products of `bf16` and `f16` use `wgmma`, which sm_90a has. `Narrow`
/// and `Wide` are for tests and measurements.
enum class WgmmaUse {
  Off,    ///< none
  On,     ///< those of many rows and columns
  Narrow, ///< all with 16 bytes to copy at a time, in tiles of 128 x 128
  Wide,   ///< the same in tiles of 128 x 256
};

/// How users name them.
inline llvm::cl::ValuesClass getWgmmaValues() {
  return llvm::cl::values(
      clEnumValN(WgmmaUse::Off, "off", "none"),
      clEnumValN(WgmmaUse::On, "on", "those of many rows and columns"),
      clEnumValN(WgmmaUse::Narrow, "narrow",
                 "all whose rows are multiples of 16 bytes, in tiles of 128 x "
                 "128, to measure"),
      clEnumValN(WgmmaUse::Wide, "wide", "the same, in tiles of 128 x 256"));
}

} // namespace mlir::symshape

#endif // SYMSHAPE_CONVERSION_WGMMAUSE_H
