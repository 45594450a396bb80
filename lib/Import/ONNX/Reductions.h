//===- Reductions.h - Sums and the like along axes --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_REDUCTIONS_H
#define SYMSHAPE_LIB_IMPORT_ONNX_REDUCTIONS_H

#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// The least number of a type, with `greatest` the other end: infinite for
/// floats.
Value leastOf(Scalars &s, DataType type, bool greatest);

// Along axes. Sums, and what is made of them, are of the type of sums: floats
// for halves, which the caller rounds.
Tensor sumOf(Emitter &e, const Tensor &x, ArrayRef<int64_t> axes, bool keep);
Tensor maxOf(Emitter &e, const Tensor &x, ArrayRef<int64_t> axes, bool keep);
Tensor meanOf(Emitter &e, const Tensor &x, ArrayRef<int64_t> axes, bool keep);
/// How many elements the axes have, as a tensor of rank 0 of the type of sums.
Tensor countOf(Emitter &e, const Tensor &x, ArrayRef<int64_t> axes);
/// With `mayHideAll`, a row of minus infinities gives zeros, not NaN.
Tensor softmaxOf(Emitter &e, const Tensor &x, int64_t axis, bool logs,
                 bool mayHideAll = false);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_REDUCTIONS_H
