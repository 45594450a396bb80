//===- InputSpec.h - Inputs described in text -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The little language of symshape-run's --input: a file, or a type and a rule
// that fills it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_INPUTSPEC_H
#define SYMSHAPE_EXECUTION_INPUTSPEC_H

#include "symshape/Execution/TensorBuffer.h"

namespace mlir::symshape {

/// One input as written by the user.
///
///   spec  ::= `@` path | type `=` rule
///   type  ::= (extent `x`)* element-type (`[` stride (`,` stride)* `]`)?
///   rule  ::= `random:` seed (`:` low `:` high)? | `zeros` | `iota` | value
///   value ::= number | `[` (value (`,` value)*)? `]`
///
/// `random` is uniform in [low, high), by default [-1, 1) for floats and [0, 2)
/// for integers, and depends on the seed and the number of elements alone. A
/// value has as many brackets around a number as the type has dimensions, and
/// as many entries in them as these are long; blanks may stand between.
/// Strides, in elements from 0, say where elements lie, for a program that
/// reads buffers.
///
/// Examples: `2x17x64xf32=random:7`, `i64=5`, `2x2xf32=[[1, 2], [3, 4]]`,
/// `@ids.npy`, `2x3xf32[1,2]=iota`.
class InputSpec {
public:
  /// Reads `text`; an error names the part that is wrong.
  static llvm::Expected<InputSpec> parse(llvm::StringRef text);

  /// Whether `text` is a type without a rule, such as `2x3xf32`.
  static bool isType(llvm::StringRef text);

  /// The tensor: reads the file, or fills one.
  llvm::Expected<TensorBuffer> load() const;

  /// Type and extents of that tensor, as one without elements: reads the header
  /// of the file.
  llvm::Expected<TensorBuffer> loadType() const;

  /// The file that the tensor is in; empty if there is none.
  llvm::StringRef getPath() const { return path; }

private:
  enum class Rule { File, Random, Zeros, Iota, Values };

  llvm::Error parseRule(llvm::StringRef text);
  /// Takes strides from the end of the text of a type.
  llvm::Error parseStrides(llvm::StringRef &text);
  llvm::Error parseRandom(llvm::StringRef text);
  llvm::Error parseNumber(llvm::StringRef text);
  llvm::Error parseValues(llvm::StringRef text);
  /// Appends the number that all of the text is to `elements`; false: it is
  /// none of the type.
  bool appendNumber(llvm::StringRef text);
  void fillRandom(TensorBuffer &tensor) const;

  Rule rule = Rule::Zeros;
  std::string path;
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape, strides;
  uint64_t seed = 0;
  double low = 0, high = 0;         ///< floats
  int64_t lowInt = 0, highInt = 0;  ///< integers
  llvm::SmallVector<char> elements; ///< those of values, as in the tensor
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_INPUTSPEC_H
