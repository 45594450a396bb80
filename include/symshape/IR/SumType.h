//===- SumType.h - In which type numbers are added up -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says so, for whatever forms a sum or computes an op that
// is composed of several steps. Not for: arithmetic that a program writes out,
// which stays in its types.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SUMTYPE_H
#define SYMSHAPE_IR_SUMTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::symshape {

/// Whether numbers of the type are added up in a wider one: bf16 and f16.
inline bool isSmallFloat(Type type) { return type.isBF16() || type.isF16(); }

/// f32 for bf16 and f16, rounded once at the end; other types as they are.
inline Type getSumType(Type type) {
  return isSmallFloat(type) ? Float32Type::get(type.getContext()) : type;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_SUMTYPE_H
