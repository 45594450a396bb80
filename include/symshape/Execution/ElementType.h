//===- ElementType.h - Types of tensor elements at run time -----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a compiled program exchanges with its caller, without
// an MLIRContext. Not for: types that have no plain memory form (complex, f8).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_ELEMENTTYPE_H
#define SYMSHAPE_EXECUTION_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir {
class Type;
} // namespace mlir

namespace mlir::symshape {

/// An element type: a kind and a width in bits.
///
/// Invariant: one of i1, i8..i64, ui8..ui64, f16, bf16, f32, f64, index. An i1
/// takes one byte, 0 or 1; an index is a signed 64-bit integer. MLIR's signless
/// integers count as signed.
struct ElementType {
  enum class Kind { Bool, Signed, Unsigned, Float, BFloat, Index };

  Kind kind = Kind::Float;
  unsigned width = 32;

  /// The type in which elements of the type that `text` names as MLIR does
  /// (`f32`, `i1`, `ui8`, `index`) are stored: for a signless integer of
  /// another width below 64, such as `i48`, the next wider one.
  static std::optional<ElementType> parse(llvm::StringRef text);
  static std::optional<ElementType> get(Type type);

  int64_t getBytes() const { return width <= 8 ? 1 : width / 8; }
  bool isFloat() const { return kind == Kind::Float || kind == Kind::BFloat; }
  std::string getName() const;

  bool operator==(const ElementType &other) const {
    return kind == other.kind && width == other.width;
  }
  bool operator!=(const ElementType &other) const { return !(*this == other); }
};

/// The value of the element at `data` as a double; integers beyond 2^53 round.
double readAsDouble(ElementType type, const char *data);

/// The value of the signed element at `data`.
int64_t readAsInteger(ElementType type, const char *data);

/// Rounds `value` to the float type and stores it at `data`.
void writeFloat(ElementType type, double value, char *data);

/// Stores the low bits of `value` at `data`; an i1 becomes `value != 0`.
void writeInteger(ElementType type, int64_t value, char *data);

/// The element at `data` as text that reads back as the same value.
std::string elementToString(ElementType type, const char *data);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_ELEMENTTYPE_H
