//===- ValueSources.h - What a value is computed from -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps backwards from scalars and dims. Private to lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_VALUESOURCES_H
#define SYMSHAPE_LIB_ANALYSIS_VALUESOURCES_H

#include "symshape/Analysis/ValueBounds.h"

namespace mlir::symshape {

/// The places of `value`: itself, when it is a scalar; its dynamic dims.
void appendPlaces(Value value, SmallVectorImpl<ValueDim> &places);

/// The values of which `value` may be a function: the operands of its op and
/// what its regions yield; of an argument of a region, the operands of the op
/// around it and what is yielded to it. Empty for arguments of the function.
SmallVector<Value> sourcesOf(Value value);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_VALUESOURCES_H
