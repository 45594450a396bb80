//===- Explain.cpp - Where an extent comes from ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verb explain. An extent is followed backwards through nodes that keep it,
// to the node that makes it from others.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Verbs.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
/// Collects the steps of a chain, each after those that it needs.
class Explainer {
public:
  explicit Explainer(ModelExtents &extents);
  llvm::json::Object explain(const KnownValue &value);

private:
  /// An extent of a value, or an element of an integer list.
  struct Place {
    StringRef name;
    size_t number;
    bool isElement;
  };
  void addStep(std::string step) {
    if (told.insert(step).second)
      steps.push_back(std::move(step));
  }
  void follow(const Place &place, Expr e);
  void followOperands(size_t node, Expr e);
  std::optional<Place> findSame(const NodeData &node, Expr e) const;
  void followUnknown(StringRef name);
  const std::vector<Expr> &partsOf(StringRef name, bool elements) const;
  std::string describe(StringRef name);

  ModelExtents &extents;
  llvm::StringMap<std::vector<Expr>> dims, elements;
  std::vector<std::string> steps;
  llvm::StringSet<> told;
  llvm::StringSet<> visited;
};
} // namespace

Explainer::Explainer(ModelExtents &extents) : extents(extents) {
  for (const KnownValue &value : extents.values()) {
    dims[value.name].assign(value.dims.begin(), value.dims.end());
    if (auto list = extents.elements(value.name))
      elements[value.name].assign(list->begin(), list->end());
  }
  for (const TensorData &data : extents.model().graph.initializers) {
    constexpr int64_t longest = 64;
    if (data.type == DataType::Int64 && data.dims.size() <= 1 &&
        data.getNumElements() <= longest)
      for (int64_t i = 0; i < data.getNumElements(); ++i) {
        int64_t element;
        std::memcpy(&element, data.bytes.data() + 8 * i, 8);
        elements[data.name].push_back(extents.arena().constant(element));
      }
  }
}

const std::vector<Expr> &Explainer::partsOf(StringRef name,
                                            bool isElement) const {
  static const std::vector<Expr> none;
  const auto &all = isElement ? elements : dims;
  auto it = all.find(name);
  return it == all.end() ? none : it->second;
}

std::string Explainer::describe(StringRef name) {
  std::string text = "'" + escaped(name) + "' ";
  if (const KnownValue *value = extents.find(name))
    text += (value->isStored ? "constant " : "") + extents.text(*value);
  const std::vector<Expr> &list = partsOf(name, true);
  if (!list.empty()) {
    text += " = (";
    for (auto [i, e] : llvm::enumerate(list))
      text += (i ? ", " : "") + (e ? extents.text(e) : std::string("data"));
    text += ")";
  }
  return text;
}

/// The place of an input of the node that is the same expression: elements
/// first, since they decide extents of results if there are any.
std::optional<Explainer::Place> Explainer::findSame(const NodeData &node,
                                                    Expr e) const {
  for (bool isElement : {true, false})
    for (StringRef name : node.inputs)
      for (auto [i, part] : llvm::enumerate(partsOf(name, isElement)))
        if (part == e)
          return Place{name, i, isElement};
  return std::nullopt;
}

static bool sharesSymbol(Expr a, Expr b) {
  SmallVector<Expr> right = b.symbols();
  return llvm::any_of(a.symbols(),
                      [&](Expr s) { return llvm::is_contained(right, s); });
}

void Explainer::followOperands(size_t number, Expr e) {
  const NodeData &node = extents.model().graph.nodes[number];
  for (StringRef name : node.inputs)
    for (bool isElement : {true, false})
      for (auto [i, part] : llvm::enumerate(partsOf(name, isElement)))
        if (part && sharesSymbol(part, e))
          follow({name, i, isElement}, part);
}

void Explainer::follow(const Place &place, Expr e) {
  std::string key = place.name.str() + (place.isElement ? "\\1" : "\\2") +
                    std::to_string(place.number);
  if (!visited.insert(key).second)
    return;
  std::string part = (place.isElement ? "element " : "dim ") +
                     std::to_string(place.number) + " of ";
  std::string text = extents.text(e);
  const KnownValue *value = extents.find(place.name);
  if (!value || value->isStored) {
    addStep(text + " is " + part + "constant '" + escaped(place.name) + "'");
    return;
  }
  if (!value->node) {
    addStep(text + " is " + part + "input '" + escaped(place.name) + "'");
    return;
  }
  const NodeData &node = extents.model().graph.nodes[*value->node];
  if (std::optional<Place> same = findSame(node, e))
    return follow(*same, e);
  followOperands(*value->node, e);
  std::string step = text + " is " + part + "'" + escaped(place.name) +
                     "', made by " + describeNode(extents.model(), *value);
  if (extents.isDeclaredOnly(*value->node))
    step += ", of which only the rank is known, as declared";
  else if (e.asSymbol() && !extents.isOverInputs(e))
    step += ", which decides it by data";
  for (auto [i, name] : llvm::enumerate(node.inputs))
    if (!name.empty())
      step += (i ? ", " : " from ") + describe(name);
  addStep(step);
}

/// If nothing is known of the value: the first node that causes this.
void Explainer::followUnknown(StringRef name) {
  const KnownValue *value = extents.find(name);
  if (!value || value->isKnown || !visited.insert(name).second)
    return;
  for (const ImportTrace::Skipped &skipped : extents.skipped()) {
    if (skipped.node != *value->node)
      continue;
    if (skipped.cause != ImportTrace::Skipped::Follows)
      addStep("nothing is known of '" + escaped(name) +
              "': " + escaped(skipped.reason));
    for (StringRef input : extents.model().graph.nodes[skipped.node].inputs)
      followUnknown(input);
  }
}

llvm::json::Object Explainer::explain(const KnownValue &value) {
  llvm::json::Object fields{
      {"name", escaped(value.name)},
      {"says", "'" + escaped(value.name) + "' " + extents.text(value)}};
  auto take = [&] {
    llvm::json::Array because;
    for (const std::string &step : steps)
      because.push_back(escaped(step)); // an extent may be any text
    steps.clear();
    told.clear();
    visited.clear();
    return because;
  };
  if (!value.isKnown) {
    followUnknown(value.name);
    fields["because"] = take();
    return fields;
  }
  llvm::json::Array dims;
  for (auto [i, dim] : llvm::enumerate(value.dims)) {
    follow({value.name, i, false}, dim);
    dims.push_back(llvm::json::Object{{"extent", escaped(extents.text(dim))},
                                      {"because", take()}});
  }
  fields["extents"] = std::move(dims);
  return fields;
}

llvm::Expected<Outcome>
mlir::symshape::onnx::explainFields(ModelExtents &extents, StringRef name,
                                    llvm::json::Array &values) {
  Explainer explainer(extents);
  if (!name.empty()) {
    const KnownValue *value = extents.find(name);
    if (!value) {
      ArrayRef<ValueInfo> outputs = extents.model().graph.outputs;
      return llvm::createStringError(
          "expected a value of the main graph" +
          (outputs.empty()
               ? ""
               : ", such as '" + escaped(outputs.front().name) + "'") +
          ", but got '" + escaped(name) + "'");
    }
    values.push_back(explainer.explain(*value));
    return Outcome::Done;
  }
  for (const ValueInfo &output : extents.model().graph.outputs)
    if (const KnownValue *value = extents.find(output.name))
      values.push_back(explainer.explain(*value));
  return Outcome::Done;
}

static void printSteps(StringRef indent, const llvm::json::Object &of,
                       raw_ostream &os) {
  for (const llvm::json::Value &step : *of.getArray("because"))
    os << indent << *step.getAsString() << '\n';
}

llvm::Expected<Outcome>
mlir::symshape::onnx::explainModel(ModelExtents &extents, StringRef name,
                                   raw_ostream &os) {
  llvm::json::Array values;
  auto outcome = explainFields(extents, name, values);
  if (!outcome)
    return outcome;
  if (name.empty())
    tellSkipped(extents, os);
  for (const llvm::json::Value &each : values) {
    const llvm::json::Object &value = *each.getAsObject();
    os << *value.getString("says") << '\n';
    const llvm::json::Array *dims = value.getArray("extents");
    if (!dims) {
      printSteps("  ", value, os);
      continue;
    }
    for (auto [i, dim] : llvm::enumerate(*dims)) {
      const llvm::json::Object &fields = *dim.getAsObject();
      os << "  dim " << i << " = " << *fields.getString("extent") << '\n';
      printSteps("    ", fields, os);
    }
  }
  return outcome;
}
