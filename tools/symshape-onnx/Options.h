//===- Options.h - The command line of symshape-onnx ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which verb was asked for, and how. Not for: doing it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TOOLS_SYMSHAPE_ONNX_OPTIONS_H
#define SYMSHAPE_TOOLS_SYMSHAPE_ONNX_OPTIONS_H

#include "symshape/Import/Extents/Claims.h"
#include <optional>

enum class Verb { Show, Import, Infer, Check, Explain, Fix, Diff, Ops };

/// Options that are used as they stand; those that a verb does not have are
/// empty.
struct OnnxOptions {
  Verb verb;
  std::string input, other; ///< models; the other one of diff
  std::string value;        ///< that is explained; empty: all outputs
  std::string output;       ///< the file to write
  bool bytecode, all, isJson, isQuiet;
  mlir::symshape::onnx::MergePolicy policy;
};

/// Reads the command line; none, after a message, where it is no such, or the
/// file to write cannot be written.
std::optional<OnnxOptions> parseCommandLine(int argc, char **argv);

/// What the options of extents, and the files that they name, say.
llvm::Expected<mlir::symshape::onnx::ExtentOptions> readExtentOptions();

#endif // SYMSHAPE_TOOLS_SYMSHAPE_ONNX_OPTIONS_H
