//===- Integers.h - Helpers for exact integers ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small questions about DynamicAPInt. For: narrowing, hashing and printing
// exact integers the same way everywhere. Not for: arithmetic, which
// DynamicAPInt has.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXPR_INTEGERS_H
#define SYMSHAPE_EXPR_INTEGERS_H

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <optional>
#include <string>

namespace mlir::symshape {

/// The value, when it fits 64 bits.
inline std::optional<int64_t> tryInt64(const llvm::DynamicAPInt &x) {
  if (x < std::numeric_limits<int64_t>::min() ||
      x > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return int64_t(x);
}

/// 2^exponent, for exponent >= 0.
inline llvm::DynamicAPInt powerOfTwo(unsigned exponent) {
  return llvm::DynamicAPInt(llvm::APInt::getOneBitSet(exponent + 2, exponent));
}

/// Whether |x| <= 2^bits.
inline bool fitsBits(const llvm::DynamicAPInt &x, unsigned bits) {
  if (bits >= 64 && tryInt64(x))
    return true;
  // A quotient is cheaper than numbers of many words.
  if (bits >= 125 && tryInt64(x / llvm::DynamicAPInt(int64_t(1) << 62)))
    return true;
  llvm::DynamicAPInt bound = powerOfTwo(bits);
  return x <= bound && x >= -bound;
}

/// Equal values hash alike, however they are stored.
inline llvm::hash_code hashInteger(const llvm::DynamicAPInt &x) {
  if (std::optional<int64_t> small = tryInt64(x))
    return llvm::hash_value(*small);
  return llvm::hash_value(int64_t(x % llvm::DynamicAPInt(1000000007)));
}

inline std::string toString(const llvm::DynamicAPInt &x) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << x;
  return text;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_EXPR_INTEGERS_H
