//===- FormInfo.cpp - What is known of one form ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormInfo.h"

using namespace mlir::symshape;

Range mlir::symshape::alignTo(Range range, const Residue &r) {
  if (r.modulus <= 1)
    return range;
  if (range.min)
    range.min = *range.min + mod(r.remainder - *range.min, r.modulus);
  if (range.max)
    range.max = *range.max - mod(*range.max - r.remainder, r.modulus);
  return range;
}
