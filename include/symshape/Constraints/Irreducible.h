//===- Irreducible.h - A part of which nothing can go -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For: naming the few of many facts or conditions that matter.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONSTRAINTS_IRREDUCIBLE_H
#define SYMSHAPE_CONSTRAINTS_IRREDUCIBLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::symshape {

/// Drops items one by one, the last first, while `holds` stays true of the
/// rest, which keeps its order; empty when it is false of all of them. Cost:
/// one question for each item. `Items` is a vector.
template <typename Items>
Items irreducible(
    Items kept,
    llvm::function_ref<bool(llvm::ArrayRef<typename Items::value_type>)>
        holds) {
  if (!holds(kept))
    return {};
  for (size_t i = kept.size(); i-- > 0;) {
    Items fewer = kept;
    fewer.erase(fewer.begin() + i);
    if (holds(fewer))
      kept = std::move(fewer);
  }
  return kept;
}

} // namespace mlir::symshape

#endif // SYMSHAPE_CONSTRAINTS_IRREDUCIBLE_H
