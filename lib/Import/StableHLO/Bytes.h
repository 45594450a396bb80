//===- Bytes.h - Part of an artifact that is being read ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives of MLIR's bytecode. A reader of broken files: what is not
// there is 0, and the part is broken from then on.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_STABLEHLO_BYTES_H
#define SYMSHAPE_LIB_IMPORT_STABLEHLO_BYTES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

namespace mlir::symshape::stablehlo {

class Bytes {
public:
  Bytes() = default;
  /// `start`: of the whole file, to which alignment is relative.
  Bytes(llvm::StringRef part, const char *start) : rest(part), start(start) {}

  bool isBroken() const { return broken; }
  bool isRead() const { return !broken && rest.empty(); }
  size_t left() const { return rest.size(); }

  llvm::StringRef take(uint64_t length) {
    if (length > rest.size()) {
      markBroken();
      return "";
    }
    llvm::StringRef taken = rest.take_front(length);
    rest = rest.drop_front(length);
    return taken;
  }
  uint8_t byte() {
    llvm::StringRef one = take(1);
    return one.empty() ? 0 : static_cast<uint8_t>(one.front());
  }
  /// The low zeros of the first byte say how many bytes follow.
  uint64_t number() {
    uint8_t first = byte();
    unsigned more = llvm::countr_zero(first);
    uint64_t value = 0;
    for (auto [i, c] : llvm::enumerate(take(more)))
      value |= static_cast<uint64_t>(static_cast<uint8_t>(c)) << (8 * i);
    // Of the first byte, what stands above the bit that ends the zeros.
    return more == 8 ? value : value << (7 - more) | first >> (more + 1);
  }
  int64_t signedNumber() {
    uint64_t value = number();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  /// How many things follow, each of which takes a byte at least.
  size_t count() {
    uint64_t value = number();
    if (value <= rest.size())
      return value;
    markBroken();
    return 0;
  }
  std::pair<uint64_t, bool> numberAndFlag() {
    uint64_t value = number();
    return {value >> 1, value & 1};
  }
  /// The number of a section, and what it holds.
  std::pair<unsigned, Bytes> section() {
    uint8_t head = byte();
    uint64_t length = number();
    if (head & 0x80)
      align(number());
    return {head & 0x7f, Bytes(take(length), start)};
  }

private:
  void markBroken() {
    broken = true;
    rest = "";
  }
  void align(uint64_t alignment) {
    constexpr uint8_t filler = 0xcb;
    if (!llvm::isPowerOf2_64(alignment))
      markBroken();
    while (!broken &&
           (rest.data() - start) & static_cast<ptrdiff_t>(alignment - 1))
      if (byte() != filler)
        markBroken();
  }

  llvm::StringRef rest;
  const char *start = nullptr;
  bool broken = false;
};

} // namespace mlir::symshape::stablehlo

#endif // SYMSHAPE_LIB_IMPORT_STABLEHLO_BYTES_H
