//===- Signature.h - What an entry function exchanges -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments and results of a function as they were before any pass ran,
// free of the MLIRContext, and the checks of a caller's tensors against them.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_SIGNATURE_H
#define SYMSHAPE_EXECUTION_SIGNATURE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/Execution/TensorBuffer.h"
#include <string>
#include <vector>

namespace mlir::symshape {

/// Where the type of a buffer says that its elements lie, in elements; nullopt:
/// where the caller has them.
struct BufferLayout {
  llvm::SmallVector<std::optional<int64_t>, 4> strides;
  std::optional<int64_t> offset;
};

/// A tensor of fixed rank, a buffer, or a scalar.
struct ValueSignature {
  std::string name;      ///< as spelled in messages, e.g. `%q`
  std::string typeText;  ///< e.g. `tensor<?x64xf32>`
  bool isTensor = false; ///< or a buffer
  /// Of a buffer, a memref that a program reads: the elements of other tensors
  /// lie in row-major order.
  std::optional<BufferLayout> layout;
  bool isSignless = false; ///< an integer that is read as signed or unsigned
  ElementType type;
  /// The bits that values may have where these are fewer than those of `type`.
  std::optional<unsigned> valueBits;
  llvm::SmallVector<int64_t, 4> shape; ///< dynamic extents are negative
  std::vector<std::string> declared;   ///< extents as declared, if they are
  /// The name of the weight that binds the argument (`symshape.weight`).
  std::optional<std::string> weight;
  /// The number of the result that may be returned in the argument's memory.
  std::optional<unsigned> donatedTo;

  unsigned getRank() const { return shape.size(); }

  /// The first dimension along which elements do not lie as the type says; of
  /// no strides, in row-major order. Those along a dim of one element may lie
  /// anywhere.
  std::optional<unsigned> findUnfit(llvm::ArrayRef<int64_t> extents,
                                    llvm::ArrayRef<int64_t> strides) const;

  /// `%q: [B, 64] f32`, of a scalar `%n: i64`, as in a report.
  std::string describe() const;

  /// All that a call rests on, as one text: code holds it, so that a signature
  /// from elsewhere can be compared. lib/Bundle/Signature.c makes the same
  /// text.
  std::string getRecord() const;
};

/// Arguments and results of one function.
struct FunctionSignature {
  std::string name; ///< without `@`
  std::vector<ValueSignature> arguments, results;

  /// How many arguments are not weights.
  size_t countInputs() const;

  /// The names of the arguments that are not weights, without `%`, in order;
  /// none if one has no name.
  std::vector<std::string> getInputNames() const;

  /// Reads a function's types and argument attributes. An error names the first
  /// argument or result that is neither a ranked tensor nor a scalar, nor as an
  /// argument a buffer, or whose element type has no run-time form.
  static llvm::Expected<FunctionSignature> read(FunctionOpInterface function);

  /// Whether `tensor` may be passed as `argument`. Makes text only if not. A
  /// wrong element type or rank is `BadInput`, and so is a value, if there are
  /// any, that the argument's type does not have; an extent or a stride that
  /// contradicts the type is `GuardFailed`, an error for each extent.
  llvm::Error check(const ValueSignature &argument, TensorView tensor) const;

  /// Whether a call may pass `inputs` for the arguments that are not weights.
  /// All that is wrong is reported, types before extents.
  llvm::Error checkInputs(llvm::ArrayRef<TensorView> inputs) const;
  /// The same, as far as the inputs are known.
  llvm::Error
  checkInputs(llvm::ArrayRef<std::optional<TensorBuffer>> inputs) const;

private:
  llvm::Error checkNumInputs(size_t number) const;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_SIGNATURE_H
