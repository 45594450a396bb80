//===- Precision.h - In which type products are formed ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `symshape.precision`: `f32`; `bf16`, which rounds operands of
// products of f32; `int8` or `int4`, which keeps weights that such products
// read in 8 or 4 bits. Behind it come the names of layers that stay as they
// are, each after a comma and a minus: `bf16,-head,-layer.0`. It holds for a
// module and all in it, unless a module in it says otherwise. Not for: rounding
// (RoundProducts, QuantizeWeights).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_PRECISION_H
#define SYMSHAPE_IR_PRECISION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace mlir::symshape {

inline constexpr llvm::StringLiteral kPrecision = "symshape.precision";

struct Precision {
  enum class Kind { F32, BF16, Int8, Int4 };
  Kind kind = Kind::F32;
  /// Layers whose products stay: those with such a name, or with one that goes
  /// on behind it with a slash, a dot, a colon or an underscore.
  SmallVector<StringRef> kept;

  /// Nullopt if `text` is not of the form above. Refers to it.
  static std::optional<Precision> parse(StringRef text);
};

/// What is expected of a text, for messages.
inline constexpr llvm::StringLiteral kPrecisionForm =
    "f32, bf16, int8 or int4, the last three maybe with names of layers that "
    "stay, as in bf16,-head";

/// Gives `module`, and all modules in it, a precision.
void setPrecision(ModuleOp module, StringRef text);

/// The precision that holds for single ops, and which names of layers were of
/// use.
class ProductPrecision {
public:
  using Kind = Precision::Kind;
  /// Asks of some kinds alone.
  explicit ProductPrecision(ArrayRef<Kind> kinds) : kinds(kinds) {}
  /// That of a product `op`; F32 also if it is none of those asked of.
  Kind of(Operation *op);
  /// Warns of names in `root` that belong to no product of those `of` was asked
  /// of.
  void warnOfUnused(Operation *root) const;

private:
  std::optional<Precision> parse(StringAttr text) const;

  SmallVector<Kind, 2> kinds;
  llvm::StringSet<> used;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_PRECISION_H
