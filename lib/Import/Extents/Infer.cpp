//===- Infer.cpp - Inferred extents as declarations -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verbs that write a model: infer and fix.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Verbs.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
class Inference {
public:
  Inference(ModelExtents &extents, MergePolicy policy, ModelChanges &changes,
            raw_ostream &os)
      : extents(extents), policy(policy), changes(changes), os(os) {}

  WrittenExtents run();

private:
  WrittenExtent write(Expr e);
  WrittenExtent write(const Dimension &dim, Expr declared, Expr chosen);
  void narrowInputs();
  void merge(const ShapeClaim &claim);
  void addValue(const KnownValue &value, const Graph &graph);
  void addValues(ArrayRef<ShapeClaim> claims);
  void count(Expr e);

  ModelExtents &extents;
  MergePolicy policy;
  ModelChanges &changes;
  raw_ostream &os;
  WrittenExtents written;
};
} // namespace

/// Open where it depends on an extent of an input that stays without a name.
WrittenExtent Inference::write(Expr e) {
  bool isNameless =
      e && policy == MergePolicy::Skip &&
      llvm::any_of(e.symbols(), [&](Expr s) {
        return extents.isOverInputs(s) && !extents.isNamedByAuthor(s);
      });
  if (!e || isNameless)
    return {};
  if (std::optional<int64_t> value = e.asInt64(); value && *value >= 0)
    return WrittenExtent::ofNumber(*value);
  return WrittenExtent::ofText(extents.text(e));
}

/// What is already declared keeps its spelling.
WrittenExtent Inference::write(const Dimension &dim, Expr declared,
                               Expr chosen) {
  if (!chosen || (declared == chosen && !chosen.isConstant()))
    return {dim.value, dim.param.str()};
  return write(chosen);
}

static bool isSame(const Dimension &dim, const WrittenExtent &extent) {
  return dim.value == extent.value && dim.param == extent.text;
}

void Inference::count(Expr e) {
  if (!e)
    return;
  if (e.isConstant())
    ++written.numNumbers;
  else if (extents.isOverInputs(e) || extents.isNamedByAuthor(e))
    ++written.numOverInputs;
  else
    ++written.numOfData;
}

/// Names the extents of inputs that have no name, so that other extents can
/// refer to them, and writes what all valid calls have in common.
void Inference::narrowInputs() {
  const Model &model = extents.model();
  for (const ValueInfo &info : model.graph.inputs) {
    const KnownValue *value = extents.find(info.name);
    if (!value || value->node || value->isStored || !value->isKnown ||
        info.type.dims.size() != value->dims.size())
      continue;
    WrittenShape shape;
    bool isChanged = false;
    for (auto [dim, known] : llvm::zip(info.type.dims, value->dims)) {
      Expr declared = extents.parse(dim);
      Expr chosen = declared && !known.isConstant() ? declared : known;
      if (declared && declared != chosen && !declared.isConstant())
        os << "input '" << escaped(info.name)
           << "': " << escaped(extents.text(declared)) << " is "
           << escaped(extents.text(chosen)) << " in every valid call\n";
      shape.push_back(write(dim, declared, chosen));
      isChanged |= !isSame(dim, shape.back());
    }
    if (isChanged)
      changes.shapes[info.offset] = {value->type, std::move(shape)};
  }
}

void Inference::merge(const ShapeClaim &claim) {
  const TypeInfo &type = claim.info->type;
  const KnownValue *value = claim.value;
  bool isTensor = type.kind == TypeInfo::Tensor || type.kind == TypeInfo::None;
  if (!value || !value->isKnown || !isTensor)
    return;
  bool keepsRank = claim.hasOtherRank && policy == MergePolicy::Skip;
  if (keepsRank || (type.hasShape && policy == MergePolicy::Skip))
    return;
  WrittenShape shape;
  bool isChanged = !type.hasShape || claim.hasOtherRank;
  if (isChanged) {
    for (Expr dim : value->dims) {
      shape.push_back(write(dim));
      count(dim);
    }
  } else {
    for (auto [dim, each] : llvm::zip(type.dims, claim.extents)) {
      Expr chosen = mergeExtent(
          policy, each, each.inferred && extents.isOverInputs(each.inferred));
      shape.push_back(write(dim, each.declared, chosen));
      isChanged |= !isSame(dim, shape.back());
      if (each.inferred)
        count(each.standing == Standing::Proved ||
                      each.standing == Standing::Definition
                  ? each.inferred
                  : chosen);
    }
  }
  if (isChanged)
    changes.shapes[claim.info->offset] = {value->type, std::move(shape)};
}

void Inference::addValue(const KnownValue &value, const Graph &graph) {
  if (!value.isKnown || value.type == DataType::Undefined)
    return;
  ModelChanges::NewValue added{graph.offset, value.name, {value.type, {}}};
  for (Expr dim : value.dims) {
    added.type.shape.push_back(write(dim));
    count(dim);
  }
  changes.values.push_back(std::move(added));
}

/// Values that the model says nothing of.
void Inference::addValues(ArrayRef<ShapeClaim> claims) {
  llvm::DenseSet<std::pair<const Graph *, StringRef>> declared;
  for (const ShapeClaim &claim : claims)
    declared.insert({claim.graph, claim.info->name});
  for (const KnownValue &value : extents.values())
    if (value.node && !declared.contains({nullptr, value.name}))
      addValue(value, extents.model().graph);
  // Those of the main graph that stand in both arms of a branch are inner ones.
  const Graph *main = &extents.model().graph;
  for (const KnownValue &value : extents.innerValues())
    if (!declared.contains(
            {value.graph == main ? nullptr : value.graph, value.name}))
      addValue(value, *value.graph);
}

WrittenExtents Inference::run() {
  tellSkipped(extents, os);
  if (!extents.isPossible()) {
    tellGuards(extents, /*all=*/false, os);
    return written;
  }
  std::vector<ShapeClaim> claims = judgeClaims(extents);
  tellClaims(extents, claims, /*all=*/true, os);
  for (const ShapeClaim &claim : claims) {
    if (isRefused(policy, claim))
      return written;
    for (const ExtentClaim &each : claim.extents)
      if (isRefused(policy, each.standing))
        return written;
  }
  if (policy != MergePolicy::Skip)
    narrowInputs();
  for (const ShapeClaim &claim : claims)
    merge(claim);
  addValues(claims);
  written.numUnknownValues = llvm::count_if(
      extents.values(), [](const KnownValue &value) { return !value.isKnown; });
  os << written.numNumbers + written.numOverInputs + written.numOfData
     << " extents: " << written.numNumbers << " numbers, "
     << written.numOverInputs << " by inputs, " << written.numOfData
     << " by data; " << written.numUnknownValues << " values unknown\n";
  written.outcome = extents.isRefused() ? Outcome::Incomplete : Outcome::Done;
  return written;
}

WrittenExtents mlir::symshape::onnx::inferModel(ModelExtents &extents,
                                                MergePolicy policy,
                                                ModelChanges &changes,
                                                raw_ostream &os) {
  return Inference(extents, policy, changes, os).run();
}

/// Nodes whose results are all integers that are now known, and those results
/// that others use. Returns how many nodes there are.
static unsigned foldNodes(ModelExtents &extents, ModelChanges &changes,
                          raw_ostream &os) {
  const Graph &graph = extents.model().graph;
  llvm::DenseMap<size_t, unsigned> numKnown;
  std::vector<ModelChanges::NewConstant> constants;
  std::vector<size_t> nodeOf;
  for (const KnownValue &value : extents.values()) {
    auto elements = extents.elements(value.name);
    if (!value.node || !elements || value.dims.size() > 1)
      continue;
    ModelChanges::NewConstant constant{
        value.name, value.type, value.dims.empty(), {}};
    for (Expr e : *elements)
      if (e && e.asInt64())
        constant.values.push_back(*e.asInt64());
    if (constant.values.size() != elements->size())
      continue;
    ++numKnown[*value.node];
    constants.push_back(std::move(constant));
    nodeOf.push_back(*value.node);
  }
  auto isFolded = [&](size_t number) {
    const NodeData &node = graph.nodes[number];
    unsigned wanted = llvm::count_if(
        node.outputs, [](StringRef name) { return !name.empty(); });
    return wanted != 0 && numKnown.lookup(number) == wanted;
  };
  llvm::StringSet<> used;
  for (const ValueInfo &output : graph.outputs)
    used.insert(output.name);
  std::function<void(const NodeData &)> useAllOf = [&](const NodeData &node) {
    used.insert_range(node.inputs);
    for (const AttributeData &attribute : node.attributes) {
      if (!attribute.graph)
        continue;
      for (const ValueInfo &output : attribute.graph->outputs)
        used.insert(output.name);
      llvm::for_each(attribute.graph->nodes, useAllOf);
    }
  };
  unsigned numFolded = 0;
  llvm::StringSet<> gone;
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    if (!isFolded(number)) {
      useAllOf(node);
      continue;
    }
    changes.nodes.insert(node.offset);
    gone.insert_range(node.outputs);
    ++numFolded;
  }
  for (auto [constant, number] : llvm::zip(constants, nodeOf))
    if (isFolded(number) && used.contains(constant.name))
      changes.constants.push_back(std::move(constant));
  // A value that no longer exists needs no declaration.
  llvm::erase_if(changes.values, [&](const ModelChanges::NewValue &value) {
    return value.graph == graph.offset && gone.contains(value.name);
  });
  os << numFolded << " nodes folded\n";
  return numFolded;
}

WrittenExtents mlir::symshape::onnx::fixModel(ModelExtents &extents,
                                              ModelChanges &changes,
                                              raw_ostream &os) {
  WrittenExtents written =
      inferModel(extents, MergePolicy::Refine, changes, os);
  if (written.outcome != Outcome::Done)
    return written;
  written.numFoldedNodes = foldNodes(extents, changes, os);
  tellGuards(extents, /*all=*/false, os);
  return written;
}
