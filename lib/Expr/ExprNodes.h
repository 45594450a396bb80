//===- ExprNodes.h - What an arena owns -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes behind the handles Expr and Atom, and the arena's tables. Private to
// Expr.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_EXPR_EXPRNODES_H
#define SYMSHAPE_LIB_EXPR_EXPRNODES_H

#include "symshape/Expr/Expr.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <vector>

namespace mlir::symshape {

using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using Powers = ArrayRef<std::pair<Atom, unsigned>>;

/// No polynomial has more terms; no atom a higher power; no coefficient more
/// bits. What would exceed a bound becomes a Named atom.
constexpr unsigned maxTerms = 64;
constexpr unsigned maxPower = 64;
constexpr unsigned maxCoefficientBits = 4096;
/// Products of polynomials with more pairs of terms than this are not expanded.
constexpr unsigned maxExpansion = 256;
/// Below this depth atoms are ordered by structure, above by creation, so that
/// no comparison recurses deeply.
constexpr unsigned maxOrderedDepth = 300;

struct ExprNode {
  ExprArena *arena;
  unsigned id;
  unsigned depth;
  unsigned hash;
  std::vector<Expr::Term> terms;
};

struct AtomNode {
  ExprArena *arena;
  unsigned id;
  unsigned depth;
  unsigned hash;
  AtomKind kind;
  bool isProduct;
  mutable bool isFresh; ///< a symbol that `freshSymbol` made
  std::string name;
  std::vector<Expr> operands;
  mutable Expr expr; ///< the polynomial that is this atom alone, once made
};

int compareMonomials(Powers a, Powers b);

struct ExprNodeInfo : llvm::DenseMapInfo<const ExprNode *> {
  struct Key {
    unsigned hash;
    ArrayRef<Expr::Term> terms;
  };
  static unsigned getHashValue(const ExprNode *node) { return node->hash; }
  static unsigned getHashValue(const Key &key) { return key.hash; }
  static bool isEqual(const ExprNode *a, const ExprNode *b) { return a == b; }
  static bool isEqual(const Key &key, const ExprNode *node);
};

struct AtomNodeInfo : llvm::DenseMapInfo<const AtomNode *> {
  struct Key {
    unsigned hash;
    AtomKind kind;
    bool isProduct;
    ArrayRef<Expr> operands;
  };
  static unsigned getHashValue(const AtomNode *node) { return node->hash; }
  static unsigned getHashValue(const Key &key) { return key.hash; }
  static bool isEqual(const AtomNode *a, const AtomNode *b) { return a == b; }
  static bool isEqual(const Key &key, const AtomNode *node);
};

struct ExprArena::Impl {
  std::deque<ExprNode> exprs;
  std::deque<AtomNode> atoms;
  llvm::DenseSet<const ExprNode *, ExprNodeInfo> exprTable;
  llvm::DenseSet<const AtomNode *, AtomNodeInfo> atomTable;
  llvm::StringMap<const AtomNode *> symbols;
  unsigned nextFresh = 0;
  unsigned nextNamed = 0;

  /// The polynomial of canonical `terms` (sorted, merged, no zero).
  Expr intern(ExprArena &arena, ArrayRef<Expr::Term> terms);
  /// An atom that is not a symbol.
  Atom internAtom(ExprArena &arena, AtomKind kind, ArrayRef<Expr> operands,
                  bool isProduct = false);
  Atom symbolAtom(ExprArena &arena, StringRef name);
  static Atom handle(const AtomNode *node) { return Atom(node); }
  static void markFresh(Atom atom) { atom.node->isFresh = true; }
};

/// Every atom reachable from `e`, operands before their users; no recursion.
SmallVector<Atom, 8> collectAtoms(Expr e);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXPR_EXPRNODES_H
