//===- BoundProjection.cpp - Bounds by elimination ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of BoundSearch that uses all linear facts around an expression:
// MLIR's Presburger library projects out what is not chosen.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "symshape/Constraints/BoundSearch.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr unsigned maxColumns = 20;
static constexpr unsigned maxRows = 40;

namespace {
/// Rows `sum >= 0` or `sum == 0` over monomials; column 0 is the question.
class ProjectedSystem {
public:
  explicit ProjectedSystem(ExprArena &arena) : arena(arena) {}

  /// States it if there is room; for an equality, `e == 0`.
  void addNonNegative(Expr e, bool isEquality);
  /// Defines column 0 as `e`.
  void setQuestion(Expr e);
  ArrayRef<Expr> monomials() const { return columns; }
  /// Bounds of the question after all columns but those that `isKept` names
  /// are projected out.
  SmallVector<Expr, 2> bounds(llvm::function_ref<bool(Expr)> isKept,
                              bool isUpper) const;

private:
  struct Row {
    SmallVector<std::pair<unsigned, DynamicAPInt>> terms;
    DynamicAPInt constant;
    bool isEquality;
  };
  std::optional<Row> makeRow(Expr e);

  ExprArena &arena;
  std::vector<Expr> columns; ///< of column 1 + i
  llvm::DenseMap<Expr, unsigned> columnOf;
  std::vector<Row> rows;
};
} // namespace

std::optional<ProjectedSystem::Row> ProjectedSystem::makeRow(Expr e) {
  Row row{{}, DynamicAPInt(0), false};
  for (const Expr::Term &term : e.terms()) {
    if (term.powers.empty()) {
      row.constant = term.coefficient;
      continue;
    }
    Expr key = monomial(arena, term.powers);
    auto [it, isNew] = columnOf.try_emplace(key, columns.size() + 1);
    if (isNew) {
      if (columns.size() >= maxColumns) {
        columnOf.erase(it);
        return std::nullopt;
      }
      columns.push_back(key);
    }
    row.terms.push_back({it->second, term.coefficient});
  }
  return row;
}

void ProjectedSystem::addNonNegative(Expr e, bool isEquality) {
  if (rows.size() >= maxRows)
    return;
  if (std::optional<Row> row = makeRow(e)) {
    row->isEquality = isEquality;
    rows.push_back(std::move(*row));
  }
}

void ProjectedSystem::setQuestion(Expr e) {
  if (std::optional<Row> row = makeRow(e)) {
    row->isEquality = true;
    row->terms.push_back({0, DynamicAPInt(-1)});
    rows.push_back(std::move(*row));
  }
}

// A row k*q + r >= 0 with k < 0 says q <= r floordiv -k; with k > 0, that
// q >= (-r) ceildiv k.
SmallVector<Expr, 2>
ProjectedSystem::bounds(llvm::function_ref<bool(Expr)> isKept,
                        bool isUpper) const {
  using namespace presburger;
  // Kept columns first, so that those to be projected out are the last ones.
  SmallVector<unsigned> position(columns.size() + 1, 0);
  SmallVector<Expr> kept;
  unsigned next = 1;
  for (bool keeps : {true, false})
    for (auto [i, e] : llvm::enumerate(columns))
      if (isKept(e) == keeps) {
        position[i + 1] = next++;
        if (keeps)
          kept.push_back(e);
      }
  IntegerPolyhedron set(PresburgerSpace::getSetSpace(next));
  for (const Row &row : rows) {
    SmallVector<DynamicAPInt> values(next + 1, DynamicAPInt(0));
    for (const auto &[column, coefficient] : row.terms)
      values[position[column]] = coefficient;
    values[next] = row.constant;
    row.isEquality ? set.addEquality(values) : set.addInequality(values);
  }
  set.projectOut(kept.size() + 1, next - kept.size() - 1);
  SmallVector<Expr, 2> found;
  auto read = [&](ArrayRef<DynamicAPInt> values, bool isNegated) {
    DynamicAPInt k = isNegated ? -values[0] : values[0];
    if (isUpper ? k >= 0 : k <= 0)
      return;
    Expr rest = arena.constant(values[kept.size() + 1]);
    for (auto [i, e] : llvm::enumerate(kept))
      rest = rest + e * arena.constant(values[i + 1]);
    if (isNegated)
      rest = -rest;
    found.push_back(isUpper ? arena.floorDiv(rest, arena.constant(-k))
                            : arena.ceilDiv(-rest, arena.constant(k)));
  };
  if (set.getNumLocalVars() != 0)
    return found;
  for (unsigned i = 0; i < set.getNumEqualities(); ++i)
    for (bool isNegated : {false, true})
      read(set.getEquality(i), isNegated);
  for (unsigned i = 0; i < set.getNumInequalities(); ++i)
    read(set.getInequality(i), /*isNegated=*/false);
  return found;
}

SmallVector<Expr, 2> BoundSearch::byProjection(Expr e, bool isUpper) {
  ProjectedSystem system(arena);
  system.setQuestion(e);
  llvm::DenseSet<FactId> seen;
  // Columns are added while they are visited: nearest facts first.
  for (size_t i = 0; i < system.monomials().size(); ++i) {
    Expr next = system.monomials()[i];
    if (isChosenOnly(next))
      continue;
    Range range = facts.bounds(next);
    if (range.min)
      system.addNonNegative(next - arena.constant(*range.min), false);
    if (range.max)
      system.addNonNegative(arena.constant(*range.max) - next, false);
    for (Expr symbol : next.symbols())
      for (FactId id : factsAbout(symbol)) {
        const Relation &fact = facts.fact(id);
        if ((fact.kind == Relation::Le || fact.kind == Relation::Eq) &&
            seen.insert(id).second)
          system.addNonNegative(fact.rhs - fact.lhs, fact.kind == Relation::Eq);
      }
    Atom atom = next.asAtom();
    if (!atom || atom.kind() == AtomKind::Symbol)
      continue;
    // What the atom's definition says of it, as in the affine tier.
    std::optional<DynamicAPInt> d = atom.kind() == AtomKind::FloorDiv
                                        ? atom.operands()[1].asConstant()
                                        : std::nullopt;
    if (d && *d > 0) {
      Expr rest = atom.operands()[0] - next * arena.constant(*d);
      system.addNonNegative(rest, false);
      system.addNonNegative(arena.constant(*d - 1) - rest, false);
    }
    for (Expr operand : atom.operands()) {
      if (atom.kind() == AtomKind::Min)
        system.addNonNegative(operand - next, false);
      else if (atom.kind() == AtomKind::Max)
        system.addNonNegative(next - operand, false);
    }
  }
  return system.bounds([&](Expr m) { return isChosenOnly(m); }, isUpper);
}
