//===- ProgramSource.h - A program before it is compiled --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a program and what its entry exchanges, free of the MLIRContext:
// what is compiled anew for other shapes. Not for: compiling it (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_PROGRAMSOURCE_H
#define SYMSHAPE_EXECUTION_PROGRAMSOURCE_H

#include "symshape/Execution/Diagnostics.h"
#include "symshape/Execution/Signature.h"
#include "symshape/Execution/WeightFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <memory>

namespace mlir::symshape {

namespace onnx {
class Registry;
} // namespace onnx

/// Definitions of ops of ONNX (Registry::standardAnd); null: of the standard.
using OnnxOps = std::shared_ptr<const onnx::Registry>;

enum class SymbolPolicy : uint32_t;

/// A dynamic dimension of an argument.
struct DynamicDim {
  unsigned argument;
  unsigned dim;
  /// Declared for the symbol that is this dim.
  SymbolPolicy policy;
};

/// Gives the inputs of the first call, for models that depend on the values of
/// some inputs: the program is then for these values, and checks them.
using FirstInputs = std::function<llvm::Expected<std::vector<TensorBuffer>>()>;

/// A program that parses and has its entry.
struct ProgramSource {
  /// Reads a file of text or bytecode, or an ONNX model, by its ending `.onnx`;
  /// `-` is standard input. An error if it cannot be read, does not parse, or
  /// has no entry function with a body.
  static llvm::Expected<ProgramSource>
  read(llvm::StringRef path, llvm::StringRef entry,
       const FirstInputs &firstInputs = nullptr,
       const DiagnosticSink &diagnostics = nullptr,
       const OnnxOps &ops = nullptr);
  /// The same of bytes in memory, named as in messages: of an ONNX model if
  /// `isModel`, whose external data lies in the folder of that name.
  static llvm::Expected<ProgramSource>
  parse(std::unique_ptr<llvm::MemoryBuffer> bytes, bool isModel,
        llvm::StringRef entry, const FirstInputs &firstInputs = nullptr,
        const DiagnosticSink &diagnostics = nullptr,
        const OnnxOps &ops = nullptr);

  /// The dynamic dims of all arguments, in order; negative for those of
  /// weights. `inputs` agree with the signature.
  std::vector<int64_t> getDims(llvm::ArrayRef<TensorView> inputs) const;

  /// Named as in messages; for a model, the bytecode it was imported as.
  std::shared_ptr<llvm::MemoryBuffer> bytes;
  /// The weights left in a model; null for other files.
  std::shared_ptr<const WeightFile> weights;
  FunctionSignature signature;  ///< of the entry
  std::vector<DynamicDim> dims; ///< in order
  /// About what compiling takes, in ops that give a tensor, constants excepted;
  /// a product, a convolution or a pool counts as several.
  unsigned work = 0;
};

/// The names of the inputs of a model, or of the arguments of a program's entry
/// that are no weights, in order; none for standard input, for a file that
/// cannot be read, or where an argument has no name.
std::vector<std::string> readInputNames(llvm::StringRef path,
                                        llvm::StringRef entry);

/// The text or bytecode of a program, named as in messages: of a file, of
/// standard input for `-`, or of what an ONNX model is imported as.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readProgramBytes(llvm::StringRef path);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_PROGRAMSOURCE_H
