//===- Claims.cpp - Declared extents beside inferred ones -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names first, since one may be used before the entry that defines it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Claims.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

StringRef mlir::symshape::onnx::nameOf(Standing standing) {
  switch (standing) {
  case Standing::Anonymous:
    return "not declared";
  case Standing::Unknown:
    return "not inferred";
  case Standing::Proved:
    return "proved";
  case Standing::Definition:
    return "definition";
  case Standing::Undecided:
    return "not decided";
  case Standing::Contradicted:
    return "contradicted";
  }
  llvm_unreachable("all standings are above");
}

StringRef mlir::symshape::onnx::nameOf(ShapeClaim::Kind kind) {
  return kind == ShapeClaim::Output  ? "output"
         : kind == ShapeClaim::Input ? "input"
                                     : "value_info";
}

std::string mlir::symshape::onnx::describeSource(const Model &model,
                                                 const KnownValue &value) {
  if (value.node)
    return describeNode(model, value);
  return value.isStored ? "the initializer" : "an input";
}

std::string ShapeClaim::describe() const {
  return (nameOf(kind) + " '" + escaped(info->name) + "' (byte " +
          Twine(info->offset) + ")")
      .str();
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

namespace {
class ClaimJudge {
public:
  explicit ClaimJudge(ModelExtents &extents) : extents(extents) {}
  std::vector<ShapeClaim> judge();

private:
  void add(const ValueInfo &info, ShapeClaim::Kind kind,
           const Graph *inside = nullptr);
  void addInner(const Graph &graph);
  void define(ShapeClaim &claim);
  void judge(ExtentClaim &claim, const Graph *graph);

  ModelExtents &extents;
  std::vector<ShapeClaim> claims;
  /// Names of claims, and what they stand for: everywhere, or in a graph inside
  /// the main one.
  DenseMap<std::pair<const Graph *, Expr>, Expr> definitions;
};
} // namespace

void ClaimJudge::add(const ValueInfo &info, ShapeClaim::Kind kind,
                     const Graph *inside) {
  ShapeClaim claim;
  claim.info = &info;
  claim.kind = kind;
  claim.graph = inside;
  claim.value =
      inside ? extents.findInner(*inside, info.name) : extents.find(info.name);
  const TypeInfo &type = info.type;
  if (claim.value && claim.value->isKnown && type.kind == TypeInfo::Tensor) {
    claim.hasOtherType = type.element != DataType::Undefined &&
                         type.element != claim.value->type;
    claim.hasOtherRank =
        type.hasShape && type.dims.size() != claim.value->dims.size();
  }
  if (type.hasShape && claim.value && !claim.hasOtherRank)
    for (auto [i, dim] : llvm::enumerate(type.dims)) {
      ExtentClaim each;
      each.declared = extents.parse(dim);
      if (claim.value->isKnown)
        each.inferred = claim.value->dims[i];
      claim.extents.push_back(std::move(each));
    }
  claims.push_back(std::move(claim));
}

/// Those of graphs inside `graph`.
void ClaimJudge::addInner(const Graph &graph) {
  for (const NodeData &node : graph.nodes)
    for (const AttributeData &attribute : node.attributes) {
      const Graph *inside = attribute.graph.get();
      if (!inside)
        continue;
      for (const ValueInfo &info : inside->outputs)
        add(info, ShapeClaim::Output, inside);
      for (const ValueInfo &info : inside->values)
        add(info, ShapeClaim::Between, inside);
      for (const ValueInfo &info : inside->inputs)
        add(info, ShapeClaim::Input, inside);
      addInner(*inside);
    }
}

/// A name that no input binds stands for the first extent that is declared as
/// it. Sound as a fact: nothing else is known of it, and extents are at least
/// 0, as names are. In an inner graph it holds for that graph alone: only one
/// of two branches runs, so each may use a name in its own sense.
void ClaimJudge::define(ShapeClaim &claim) {
  for (ExtentClaim &each : claim.extents) {
    if (!each.declared || !each.inferred || !each.declared.asSymbol() ||
        extents.shapes().definition(each.declared) ||
        definitions.contains({nullptr, each.declared}) ||
        !definitions.try_emplace({claim.graph, each.declared}, each.inferred)
             .second)
      continue;
    each.standing = Standing::Definition;
    if (claim.graph)
      continue;
    extents.facts().assume(Relation::eq(each.declared, each.inferred));
    if (each.inferred.asSymbol() && !extents.isOverInputs(each.inferred))
      extents.callAs(each.inferred, each.declared);
  }
}

void ClaimJudge::judge(ExtentClaim &claim, const Graph *graph) {
  if (claim.standing == Standing::Definition)
    return;
  if (!claim.declared || !claim.inferred) {
    claim.standing = claim.declared ? Standing::Unknown : Standing::Anonymous;
    return;
  }
  Expr declared = extents.arena().substitute(claim.declared, [&](Expr symbol) {
    Expr everywhere = definitions.lookup({nullptr, symbol});
    return everywhere ? everywhere : definitions.lookup({graph, symbol});
  });
  Relation equal = Relation::eq(declared, claim.inferred);
  Answer answer = extents.facts().prove(equal);
  claim.standing = answer.isYes()  ? Standing::Proved
                   : answer.isNo() ? Standing::Contradicted
                                   : Standing::Undecided;
  claim.reason = answer.reason;
}

std::vector<ShapeClaim> ClaimJudge::judge() {
  const Graph &graph = extents.model().graph;
  for (const ValueInfo &info : graph.outputs)
    add(info, ShapeClaim::Output);
  for (const ValueInfo &info : graph.values)
    add(info, ShapeClaim::Between);
  // Stored data says more than its declaration.
  for (const ValueInfo &info : graph.inputs)
    if (const KnownValue *value = extents.find(info.name);
        value && value->isStored)
      add(info, ShapeClaim::Input);
  addInner(graph);
  for (ShapeClaim &claim : claims)
    define(claim);
  for (ShapeClaim &claim : claims)
    for (ExtentClaim &each : claim.extents)
      judge(each, claim.graph);
  return std::move(claims);
}

std::vector<ShapeClaim>
mlir::symshape::onnx::judgeClaims(ModelExtents &extents) {
  return ClaimJudge(extents).judge();
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

Expr mlir::symshape::onnx::mergeExtent(MergePolicy policy,
                                       const ExtentClaim &claim,
                                       bool isOverInputs) {
  if (policy == MergePolicy::Skip)
    return claim.declared;
  if (policy == MergePolicy::Override && claim.inferred)
    return claim.inferred;
  switch (claim.standing) {
  case Standing::Anonymous:
  case Standing::Contradicted:
    return claim.inferred;
  case Standing::Unknown:
    return claim.declared;
  case Standing::Proved:
    return claim.inferred.isConstant() ? claim.inferred : claim.declared;
  case Standing::Definition:
    // A number, or a name that an input binds, says more.
    return claim.inferred.isConstant() ||
                   (isOverInputs && claim.inferred.asSymbol())
               ? claim.inferred
               : claim.declared;
  case Standing::Undecided:
    return isOverInputs ? claim.inferred : claim.declared;
  }
  llvm_unreachable("all standings are above");
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

std::vector<unsigned>
mlir::symshape::onnx::tellClaims(ModelExtents &extents,
                                 ArrayRef<ShapeClaim> claims, bool all,
                                 raw_ostream &os) {
  std::vector<unsigned> counts(static_cast<size_t>(Standing::Contradicted) + 1);
  auto count = [&](Standing standing) -> unsigned & {
    return counts[static_cast<size_t>(standing)];
  };
  auto tellPlace = [&](const KnownValue &value) {
    os << ", by " << describeSource(extents.model(), value);
  };
  unsigned numLeftOut = 0;
  for (const ShapeClaim &claim : claims) {
    const KnownValue *value = claim.value;
    if (!value)
      continue;
    if (claim.hasOtherType) {
      os << claim.describe() << ": declared "
         << nameOf(claim.info->type.element) << ", inferred "
         << nameOf(value->type);
      tellPlace(*value);
      os << ": contradicted\n";
      ++count(Standing::Contradicted);
    }
    if (claim.hasOtherRank) {
      os << claim.describe() << ": declared rank "
         << claim.info->type.dims.size() << ", inferred rank "
         << value->dims.size() << " " << extents.text(*value);
      tellPlace(*value);
      os << ": contradicted\n";
      ++count(Standing::Contradicted);
    }
    for (auto [i, each] : llvm::enumerate(claim.extents)) {
      ++count(each.standing);
      bool isOpen = each.standing == Standing::Undecided;
      if (isOpen && claim.kind == ShapeClaim::Between && !all) {
        ++numLeftOut;
        continue;
      }
      bool isTold = isOpen || each.standing == Standing::Contradicted ||
                    (all && each.standing == Standing::Definition);
      if (!isTold)
        continue;
      os << claim.describe() << " dim " << i << ": declared "
         << escaped(extents.text(each.declared)) << ", inferred "
         << escaped(extents.text(each.inferred));
      tellPlace(*value);
      os << ": " << nameOf(each.standing) << '\n';
    }
  }
  if (numLeftOut)
    os << "extents of intermediate values, as declared, that are not decided: "
       << numLeftOut << " (--all)\n";
  return counts;
}
