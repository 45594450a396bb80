//===- FactSet.h - Facts that a C caller holds ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to CAPI.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CAPI_FACTSET_H
#define SYMSHAPE_LIB_CAPI_FACTSET_H

#include "symshape-c/Facts.h"
#include "symshape/Constraints/ConstraintSet.h"
#include <memory>
#include <mutex>

/// A set of the caller's own, or that of a program, which is only asked.
struct symshape_facts {
  symshape_facts();
  /// `owner` keeps the set alive; whoever uses it holds `mutex`.
  symshape_facts(mlir::symshape::ConstraintSet &set,
                 std::shared_ptr<void> owner, std::mutex &mutex)
      : owner(std::move(owner)), set(set), mutex(mutex) {}

  bool isOwn() const { return own != nullptr; }

  struct Own;
  std::shared_ptr<Own> own;
  std::shared_ptr<void> owner;
  mlir::symshape::ConstraintSet &set;
  std::mutex &mutex;
  unsigned depth = 0; ///< of `push`
};

struct symshape_facts::Own {
  mlir::symshape::ExprArena arena;
  mlir::symshape::ConstraintSet set{arena};
  std::mutex mutex;
};

#endif // SYMSHAPE_LIB_CAPI_FACTSET_H
