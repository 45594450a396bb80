//===- Signature.h - What inputs declare ------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the import: the extents of the inputs as expressions over names,
// and which input says what a name stands for.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_ONNX_SIGNATURE_H
#define SYMSHAPE_LIB_IMPORT_ONNX_SIGNATURE_H

#include "symshape/Import/ONNX/DimText.h"
#include "symshape/Import/ONNX/Model.h"

namespace mlir::symshape::onnx {

/// Keeps generated names apart from all names in the model.
void reserveNames(const Model &model, DimNames &names);

/// The extents of the inputs of a model.
///
/// Invariant: each symbol in them is an extent itself, or of `solved`.
struct DeclaredExtents {
  /// A name that occurs only in expressions: `value` over `extent`, the symbol
  /// of that dimension of that input.
  struct Solved {
    Expr symbol;
    size_t input, dim;
    Expr extent, value;
  };
  std::vector<llvm::SmallVector<Expr, 4>> dims;
  std::vector<Solved> solved;
};

/// Reads what `inputs` declare. Names in `values` stand for these numbers; an
/// error if one of them is not a name of theirs, or makes an extent negative.
llvm::Expected<DeclaredExtents>
readDeclaredExtents(llvm::ArrayRef<const ValueInfo *> inputs,
                    const llvm::StringMap<int64_t> &values, ExprArena &arena,
                    DimNames &names);

/// The names and expressions in the extents of inputs, the first eight, as `
/// (B, L)` for a message; empty if there are none.
std::string listNames(llvm::ArrayRef<const ValueInfo *> inputs);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_LIB_IMPORT_ONNX_SIGNATURE_H
