//===- Entailments.h - Random elementary entailments ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small problems of the kinds that the engine promises to decide, with answers
// that follow from how they are made. For: measuring. The numbers, and which
// symbol plays which part, come from a seed.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_BENCHMARKS_ENTAILMENTS_H
#define SYMSHAPE_BENCHMARKS_ENTAILMENTS_H

#include "symshape/Constraints/ConstraintSet.h"

namespace mlir::symshape {

/// Facts and one question.
struct Entailment {
  /// What it is about: "linear", "residues", "divisions", "min and max",
  /// "products" or "joint".
  llvm::StringRef kind;
  std::vector<std::pair<Expr, SymbolInfo>> symbols;
  std::vector<Relation> facts;
  Relation question;
  /// Whether the facts imply the question; if not, they imply its negation.
  bool holds = true;
};

/// `count` entailments, as many of each kind; the same for the same seed.
std::vector<Entailment> makeEntailments(ExprArena &arena, unsigned count,
                                        unsigned seed);

/// Writes them as one problem file, with the answers expected.
void printProblems(llvm::ArrayRef<Entailment> entailments,
                   llvm::raw_ostream &os);

} // namespace mlir::symshape

#endif // SYMSHAPE_BENCHMARKS_ENTAILMENTS_H
