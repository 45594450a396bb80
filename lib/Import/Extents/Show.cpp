//===- Show.cpp - A model on one screen -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Show.h. The text is made of the fields.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/Show.h"
#include "symshape/Analysis/Validity.h"
#include "symshape/Import/Extents/Check.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
namespace json = llvm::json;

/// As the types of arguments are written: `f32`, where ONNX says `float`.
static std::string spellElement(DataType type) {
  switch (type) {
  case DataType::Float:
    return "f32";
  case DataType::Double:
    return "f64";
  case DataType::Float16:
    return "f16";
  case DataType::BFloat16:
    return "bf16";
  case DataType::Bool:
    return "i1";
  default:
    break;
  }
  if (!isInteger(type))
    return nameOf(type);
  return (isUnsigned(type) ? "ui" : "i") + std::to_string(8 * bytesOf(type));
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// An input or output whose extents are `dims`.
static json::Object describeValue(ModelExtents &extents, const ValueInfo &info,
                                  std::optional<ArrayRef<Expr>> dims,
                                  DataType type) {
  json::Object object{{"name", escaped(info.name)},
                      {"element", spellElement(type)},
                      {"extents", nullptr}};
  if (dims) {
    json::Array list;
    for (Expr dim : *dims)
      list.push_back(describeExtent(extents, dim));
    object["extents"] = std::move(list);
  }
  return object;
}

/// One of which nothing is inferred.
static json::Object describeDeclared(ModelExtents &extents,
                                     const ValueInfo &info) {
  SmallVector<Expr> dims;
  for (const Dimension &dim : info.type.dims)
    dims.push_back(extents.parse(dim));
  std::optional<ArrayRef<Expr>> known;
  if (info.type.hasShape)
    known = dims;
  json::Object object = describeValue(extents, info, known, info.type.element);
  if (info.type.element == DataType::Undefined)
    object["element"] = nullptr;
  object["isDeclared"] = true;
  return object;
}

static json::Array describeInputs(ModelExtents &extents) {
  ConditionNames names(extents.shapes(), extents.namesOfAuthor());
  json::Array list;
  for (const ValueInfo *info : extents.model().getInputs()) {
    const KnownValue *value = extents.find(info->name);
    if (!value || !value->isKnown) {
      list.push_back(describeDeclared(extents, *info));
      continue;
    }
    // What the model needs of a name is in the sentence, which calls extents
    // without an author's name as here.
    SmallVector<Expr, 4> dims = value->dims;
    for (auto [dim, declared] : llvm::zip(dims, info->type.dims)) {
      if (Expr given = extents.parse(declared))
        dim = given;
      if (dim && extents.isOverInputs(dim))
        dim = names.apply(dim);
    }
    list.push_back(describeValue(extents, *info, ArrayRef(dims), value->type));
  }
  return list;
}

/// A name that an output alone has says less than what it stands for, if that
/// is short.
static bool saysMore(ModelExtents &extents, Expr inferred) {
  constexpr size_t longest = 40;
  return extents.isOverInputs(inferred) &&
         extents.text(inferred).size() <= longest;
}

static json::Array describeOutputs(ModelExtents &extents) {
  ConditionNames names(extents.shapes(), extents.namesOfAuthor());
  std::vector<ShapeClaim> claims;
  if (extents.isPossible())
    claims = judgeClaims(extents);
  json::Array list;
  for (const ValueInfo &info : extents.model().graph.outputs) {
    const KnownValue *value = extents.find(info.name);
    if (!value || !value->isKnown) {
      list.push_back(describeDeclared(extents, info));
      continue;
    }
    SmallVector<Expr, 4> dims = value->dims;
    auto claim = llvm::find_if(claims, [&](const ShapeClaim &each) {
      return each.kind == ShapeClaim::Output && !each.graph &&
             each.info == &info;
    });
    if (claim != claims.end())
      for (auto [dim, each] : llvm::zip(dims, claim->extents))
        dim = each.standing == Standing::Definition &&
                      saysMore(extents, each.inferred)
                  ? each.inferred
                  : mergeExtent(MergePolicy::Refine, each,
                                each.inferred &&
                                    extents.isOverInputs(each.inferred));
    for (Expr &dim : dims)
      if (dim && extents.isOverInputs(dim))
        dim = names.apply(dim);
    list.push_back(describeValue(extents, info, ArrayRef(dims), value->type));
  }
  return list;
}

namespace {
struct Sizes {
  int64_t nodes = 0, parameters = 0, bytes = 0;
  llvm::StringSet<> domains; ///< of the nodes
};
} // namespace

static void addSizes(const Graph &first, Sizes &sizes) {
  SmallVector<const Graph *> graphs{&first};
  while (!graphs.empty()) {
    const Graph &graph = *graphs.pop_back_val();
    sizes.nodes += graph.nodes.size();
    auto add = [&](const TensorData &data) {
      sizes.parameters += data.getNumElements();
      sizes.bytes += data.bytes.size();
    };
    llvm::for_each(graph.initializers, add);
    for (const NodeData &node : graph.nodes) {
      sizes.domains.insert(canonicalDomain(node.domain));
      for (const AttributeData &attribute : node.attributes) {
        if (attribute.graph)
          graphs.push_back(attribute.graph.get());
        // Some exporters keep parameters in nodes.
        if (attribute.tensor && node.opType == "Constant")
          add(*attribute.tensor);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// All values, and nodes without a definition
//===----------------------------------------------------------------------===//

static json::Object describeKnown(ModelExtents &extents,
                                  const KnownValue &value) {
  ValueInfo info;
  info.name = value.name;
  std::optional<ArrayRef<Expr>> dims;
  if (value.isKnown)
    dims = value.dims;
  json::Object object = describeValue(extents, info, dims, value.type);
  if (value.type == DataType::Undefined)
    object["element"] = nullptr;
  return object;
}

static json::Value describeOperand(ModelExtents &extents, StringRef name) {
  const KnownValue *value = name.empty() ? nullptr : extents.find(name);
  if (!value)
    return nullptr;
  json::Object object = describeKnown(extents, *value);
  if (auto list = extents.elements(name)) {
    json::Array elements;
    for (Expr e : *list)
      elements.push_back(e ? describeExtent(extents, e) : nullptr);
    object["elements"] = std::move(elements);
  }
  return object;
}

/// Null for tensors and graphs.
static json::Value describeAttribute(const AttributeData &attribute) {
  auto listOf = [](const auto &values) {
    json::Array list;
    for (const auto &value : values)
      list.push_back(value);
    return list;
  };
  switch (attribute.type) {
  case 1:
    return attribute.f;
  case 2:
    return attribute.i;
  case 3:
    return json::fixUTF8(attribute.s);
  case 6:
    return listOf(attribute.floats);
  case 7:
    return listOf(attribute.ints);
  case 8: {
    json::Array texts;
    for (StringRef text : attribute.strings)
      texts.push_back(json::fixUTF8(text));
    return texts;
  }
  default:
    return nullptr;
  }
}

static json::Array describeUnknownNodes(ModelExtents &extents) {
  const Model &model = extents.model();
  json::Array nodes;
  for (const ImportTrace::Skipped &skipped : extents.skipped()) {
    if (skipped.cause != ImportTrace::Skipped::NoDefinition)
      continue;
    const NodeData &node = model.graph.nodes[skipped.node];
    StringRef domain = canonicalDomain(node.domain);
    int64_t version = 1;
    for (const OpsetId &id : model.opsets)
      if (canonicalDomain(id.domain) == domain)
        version = id.version;
    json::Object attributes;
    for (const AttributeData &attribute : node.attributes)
      attributes[escaped(attribute.name)] = describeAttribute(attribute);
    json::Array inputs, outputs;
    for (StringRef name : node.inputs)
      inputs.push_back(describeOperand(extents, name));
    for (StringRef name : node.outputs)
      outputs.push_back(escaped(name));
    nodes.push_back(
        json::Object{{"name", escaped(node.name)},
                     {"op", escaped(node.opType)},
                     {"domain", domain.empty() ? "ai.onnx" : escaped(domain)},
                     {"version", version},
                     {"attributes", std::move(attributes)},
                     {"inputs", std::move(inputs)},
                     {"outputs", std::move(outputs)}});
  }
  return nodes;
}

json::Object onnx::describeModel(ModelExtents &extents, bool all) {
  const Model &model = extents.model();
  json::Object fields, opsets;
  addValidity(extents, fields);
  fields["inputs"] = describeInputs(extents);
  fields["outputs"] = describeOutputs(extents);
  Sizes sizes;
  addSizes(model.graph, sizes);
  fields["numNodes"] = sizes.nodes;
  fields["numFunctions"] = static_cast<int64_t>(model.functions.size());
  fields["parameters"] =
      json::Object{{"count", sizes.parameters}, {"bytes", sizes.bytes}};
  for (const OpsetId &id : model.opsets) {
    StringRef domain = canonicalDomain(id.domain);
    opsets[domain.empty() ? "ai.onnx" : escaped(domain)] = id.version;
  }
  fields["opsets"] = std::move(opsets);
  if (!all)
    return fields;
  json::Object values;
  for (const KnownValue &value : extents.values())
    values[escaped(value.name)] = describeKnown(extents, value);
  fields["values"] = std::move(values);
  fields["unknownNodes"] = describeUnknownNodes(extents);
  return fields;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void showValues(const json::Array &values, bool all, raw_ostream &os) {
  constexpr size_t most = 12;
  size_t numShown = all || values.size() <= most + 1 ? values.size() : most;
  for (size_t i = 0; i < numShown; ++i) {
    const json::Object &value = *values[i].getAsObject();
    os << "  " << *value.getString("name") << ": ";
    if (const json::Array *extents = value.getArray("extents")) {
      os << '[';
      StringRef separator;
      for (const json::Value &extent : *extents) {
        os << separator;
        if (auto number = extent.getAsInteger())
          os << *number;
        else
          os << extent.getAsString().value_or("?");
        separator = ", ";
      }
      os << "] ";
    }
    std::optional<StringRef> element = value.getString("element");
    os << element.value_or("unknown");
    if (element && !value.getArray("extents"))
      os << " of unknown rank";
    else if (element && value.get("isDeclared"))
      os << ", as it is declared";
    os << '\n';
  }
  if (numShown < values.size())
    os << "  and " << values.size() - numShown << " more (--all)\n";
}

static std::string count(int64_t number, StringRef what) {
  return (Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

void onnx::showModel(ModelExtents &extents, bool all, raw_ostream &os) {
  json::Object fields = describeModel(extents);
  tellSkipped(extents, os);
  os << "inputs:\n";
  showValues(*fields.getArray("inputs"), all, os);
  os << "outputs:\n";
  showValues(*fields.getArray("outputs"), all, os);
  const json::Object &parameters = *fields.getObject("parameters");
  os << count(*fields.getInteger("numNodes"), "node") << ", "
     << count(*parameters.getInteger("count"), "parameter") << " ("
     << count(*parameters.getInteger("bytes"), "byte") << ")";
  if (int64_t functions = *fields.getInteger("numFunctions"))
    os << ", " << count(functions, "function");
  // Exporters name domains that no node is of.
  Sizes sizes;
  addSizes(extents.model().graph, sizes);
  for (const OpsetId &id : extents.model().opsets) {
    StringRef domain = canonicalDomain(id.domain);
    if (!domain.empty() && !sizes.domains.contains(domain))
      continue;
    os << ", " << (domain.empty() ? "opset" : escaped(domain)) << ' '
       << id.version;
  }
  os << '\n' << *fields.getString("sentence") << '\n';
}
