//===- Pickle.h - Tensors that torch.save wrote -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of files before torch 2.8. Nothing in a pickle is executed: of
// what it asks to be called, only what makes a tensor is known.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_PICKLE_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_PICKLE_H

#include "Archive.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape::pytorch {

/// The tensors of a dictionary in the form that files have from torch 2.8 on:
/// for each name, where its bytes are, and their type, extents and strides.
/// These bytes become files of `archive`, below `folder`.
llvm::Expected<llvm::json::Value> readPickledTensors(llvm::StringRef saved,
                                                     Archive &archive,
                                                     llvm::StringRef folder);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_PICKLE_H
