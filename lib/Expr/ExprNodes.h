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

/// No polynomial has more terms, no atom a higher power, no coefficient more
/// bits. What would exceed a bound becomes a Named atom.
constexpr unsigned maxTerms = 64;
constexpr unsigned maxPower = 64;
constexpr unsigned maxCoefficientBits = 4096;
/// Products of polynomials with more pairs of terms than this are not expanded.
constexpr unsigned maxExpansion = 256;
/// Below this depth, atoms are ordered by structure, above it by creation, so
/// that no comparison recurses deeply.
constexpr unsigned maxOrderedDepth = 300;

struct ExprNode {
  ExprArena *arena;
  unsigned id;
  unsigned depth, size;
  std::vector<Expr::Term> terms;
};

struct AtomNode {
  ExprArena *arena;
  unsigned id;
  unsigned depth, size;
  AtomKind kind;
  bool isProduct;
  mutable bool isFresh; ///< a symbol that `freshSymbol` made
  std::string name;
  std::vector<Expr> operands;
  mutable Expr expr; ///< the polynomial that is this atom alone, once made
};

int compareMonomials(Powers a, Powers b);

/// A node as its table keeps it: the hash beside the pointer, so that passing
/// over a node does not fetch it.
template <typename NodeT>
struct TableEntry {
  const NodeT *node;
  unsigned hash;
};

template <typename NodeT>
struct TableInfo {
  using Entry = TableEntry<NodeT>;
  using Pointers = llvm::DenseMapInfo<const NodeT *>;
  static Entry getEmptyKey() { return {Pointers::getEmptyKey(), 0}; }
  static Entry getTombstoneKey() { return {Pointers::getTombstoneKey(), 0}; }
  static unsigned getHashValue(const Entry &entry) { return entry.hash; }
  static bool isEqual(const Entry &a, const Entry &b) {
    return a.node == b.node;
  }
  /// Whether the entry is a node, with that hash.
  static bool mayEqual(unsigned hash, const Entry &entry) {
    return entry.hash == hash && entry.node != Pointers::getEmptyKey() &&
           entry.node != Pointers::getTombstoneKey();
  }
};

struct ExprNodeInfo : TableInfo<ExprNode> {
  struct Key {
    unsigned hash;
    ArrayRef<Expr::Term> terms;
  };
  using TableInfo::getHashValue;
  using TableInfo::isEqual;
  static unsigned getHashValue(const Key &key) { return key.hash; }
  static bool isEqual(const Key &key, const Entry &entry);
};

struct AtomNodeInfo : TableInfo<AtomNode> {
  struct Key {
    unsigned hash;
    AtomKind kind;
    bool isProduct;
    ArrayRef<Expr> operands;
  };
  using TableInfo::getHashValue;
  using TableInfo::isEqual;
  static unsigned getHashValue(const Key &key) { return key.hash; }
  static bool isEqual(const Key &key, const Entry &entry);
};

struct ExprArena::Impl {
  std::deque<ExprNode> exprs;
  std::deque<AtomNode> atoms;
  llvm::DenseSet<TableEntry<ExprNode>, ExprNodeInfo> exprTable;
  llvm::DenseSet<TableEntry<AtomNode>, AtomNodeInfo> atomTable;
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

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_EXPR_EXPRNODES_H
