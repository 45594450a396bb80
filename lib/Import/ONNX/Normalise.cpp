//===- Normalise.cpp - One form of each op --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows how opsets differ, except for meanings that a
// definition takes from Node::opset: attributes that became operands.
//
//===----------------------------------------------------------------------===//

#include "Normalise.h"
#include <deque>
#include <limits>

using namespace mlir;
using namespace mlir::symshape::onnx;

namespace {
/// An attribute of opsets below `before`, since then operand `input`.
struct Move {
  StringRef opType;
  StringRef attribute;
  unsigned input;
  int64_t before;
  enum Kind { Integers, Integer, Float, Floats } kind;
};
} // namespace

static const Move moves[] = {
    {"Reshape", "shape", 1, 5, Move::Integers},
    {"Slice", "starts", 1, 10, Move::Integers},
    {"Slice", "ends", 2, 10, Move::Integers},
    {"Slice", "axes", 3, 10, Move::Integers},
    {"TopK", "k", 1, 10, Move::Integer},
    {"Pad", "pads", 1, 11, Move::Integers},
    {"Pad", "paddings", 1, 2, Move::Integers},
    {"Pad", "value", 2, 11, Move::Float},
    {"Clip", "min", 1, 11, Move::Float},
    {"Clip", "max", 2, 11, Move::Float},
    {"Upsample", "scales", 1, 9, Move::Floats},
    {"Squeeze", "axes", 1, 13, Move::Integers},
    {"Unsqueeze", "axes", 1, 13, Move::Integers},
    {"Split", "split", 1, 13, Move::Integers},
    {"ReduceSum", "axes", 1, 13, Move::Integers},
    {"ReduceL1", "axes", 1, 18, Move::Integers},
    {"ReduceL2", "axes", 1, 18, Move::Integers},
    {"ReduceLogSum", "axes", 1, 18, Move::Integers},
    {"ReduceLogSumExp", "axes", 1, 18, Move::Integers},
    {"ReduceMax", "axes", 1, 18, Move::Integers},
    {"ReduceMean", "axes", 1, 18, Move::Integers},
    {"ReduceMin", "axes", 1, 18, Move::Integers},
    {"ReduceProd", "axes", 1, 18, Move::Integers},
    {"ReduceSumSquare", "axes", 1, 18, Move::Integers},
    {"DFT", "axis", 2, 20, Move::Integer},
};

/// The value of an attribute as a constant: a list has rank 1.
static TensorData toTensor(const AttributeData &attribute, Move::Kind kind) {
  TensorData data;
  auto kept = std::make_shared<std::string>();
  auto hold = [&](DataType type, const auto *values, size_t count) {
    data.type = type;
    kept->append(reinterpret_cast<const char *>(values),
                 count * sizeof(*values));
  };
  switch (kind) {
  case Move::Integers:
    hold(DataType::Int64, attribute.ints.data(), attribute.ints.size());
    data.dims.push_back(attribute.ints.size());
    break;
  case Move::Integer:
    hold(DataType::Int64, &attribute.i, 1);
    data.dims.push_back(1);
    break;
  case Move::Floats:
    hold(DataType::Float, attribute.floats.data(), attribute.floats.size());
    data.dims.push_back(attribute.floats.size());
    break;
  case Move::Float:
    hold(DataType::Float, &attribute.f, 1);
    break;
  }
  data.bytes = *kept;
  data.owner = kept;
  return data;
}

/// DFT's axis is a scalar, TopK's k a list of one.
static bool isScalarOperand(const Move &move) { return move.opType == "DFT"; }

static bool hasAttribute(const NodeData &node, StringRef name) {
  return llvm::any_of(node.attributes, [&](const AttributeData &attribute) {
    return attribute.name == name;
  });
}

static void setInt(NodeData &node, StringRef name, int64_t value) {
  AttributeData attribute;
  attribute.name = name;
  attribute.i = value;
  node.attributes.push_back(attribute);
}
static void setFloat(NodeData &node, StringRef name, float value) {
  AttributeData attribute;
  attribute.name = name;
  attribute.f = value;
  node.attributes.push_back(attribute);
}
static void setText(NodeData &node, StringRef name, StringRef value) {
  AttributeData attribute;
  attribute.name = name;
  attribute.s = value;
  node.attributes.push_back(attribute);
}

/// Attributes that a node leaves out, and for which its opset has another
/// default than the newest.
static void addDefaults(NodeData &node, int64_t opset) {
  struct Default {
    StringRef opType, attribute;
    int64_t before;
    double value;
    bool isFloat;
  };
  static const Default defaults[] = {
      {"Concat", "axis", 4, 1, false},
      {"Selu", "alpha", 6, 1.6732f, true},
      {"Selu", "gamma", 6, 1.0507f, true},
  };
  for (const Default &each : defaults)
    if (node.opType == each.opType && opset < each.before &&
        !hasAttribute(node, each.attribute)) {
      if (each.isFloat)
        setFloat(node, each.attribute, each.value);
      else
        setInt(node, each.attribute, each.value);
    }
  // Infinities are clipped, too.
  if (node.opType == "Clip" && opset >= 6 && opset < 11)
    for (auto [name, sign] : {std::pair("min", -1), {"max", 1}})
      if (!hasAttribute(node, name))
        setFloat(node, name, sign * std::numeric_limits<float>::max());
}

/// A type by the name that Cast gave it before opset 6.
static DataType typeByName(StringRef name) {
  static const std::pair<StringRef, DataType> names[] = {
      {"FLOAT", DataType::Float},     {"UINT8", DataType::UInt8},
      {"INT8", DataType::Int8},       {"UINT16", DataType::UInt16},
      {"INT16", DataType::Int16},     {"INT32", DataType::Int32},
      {"INT64", DataType::Int64},     {"BOOL", DataType::Bool},
      {"FLOAT16", DataType::Float16}, {"DOUBLE", DataType::Double},
      {"UINT32", DataType::UInt32},   {"UINT64", DataType::UInt64}};
  for (auto [known, type] : names)
    if (name == known)
      return type;
  return DataType::Undefined;
}

/// Scan of opset 8 has a batch axis: it is one that scans batches, whose body
/// scans the axis behind, in the form of opset 9.
static void scanBatches(NodeData &node) {
  struct Body {
    Graph graph;
    std::deque<std::string> names;
  };
  auto body = std::make_shared<Body>();
  auto nameOf = [&](const Twine &name) {
    body->names.push_back("\1scan." + name.str());
    return StringRef(body->names.back());
  };
  NodeData inner = node;
  inner.number = 0;
  inner.inputs.erase(inner.inputs.begin()); // the lengths
  for (AttributeData &attribute : inner.attributes)
    if (attribute.name == "directions")
      attribute.name = "scan_input_directions";
  auto rename = [&](std::vector<StringRef> &values, StringRef kind,
                    std::vector<ValueInfo> &infos) {
    for (auto [i, name] : llvm::enumerate(values)) {
      ValueInfo info;
      info.name = name = nameOf(kind + Twine(i));
      infos.push_back(info);
    }
  };
  rename(inner.inputs, "in", body->graph.inputs);
  rename(inner.outputs, "out", body->graph.outputs);
  setInt(inner, isWithoutBatch, 1);
  node.inputs.erase(node.inputs.begin());
  node.attributes.clear();
  setInt(node, "num_scan_inputs", node.inputs.size());
  setInt(node, isWithoutBatch, 1);
  AttributeData attribute;
  attribute.name = "body";
  body->graph.nodes.push_back(std::move(inner));
  attribute.graph = std::shared_ptr<Graph>(body, &body->graph);
  node.attributes.push_back(attribute);
}

/// The scales of Upsample before opset 7, of an image with channels.
static void joinScales(NodeData &node) {
  AttributeData scales;
  scales.name = "scales";
  scales.floats = {1, 1, 1, 1};
  for (const AttributeData &attribute : node.attributes)
    for (auto [i, name] : {std::pair(2, "height_scale"), {3, "width_scale"}})
      if (attribute.name == name)
        scales.floats[i] = attribute.f;
  node.attributes.push_back(scales);
}

/// What is not about operands.
static void normaliseAttributes(NodeData &node, int64_t opset) {
  addDefaults(node, opset);
  if (node.opType == "Cast" && opset < 6)
    for (AttributeData &attribute : node.attributes)
      if (attribute.name == "to" && attribute.i == 0)
        attribute.i = static_cast<int64_t>(typeByName(attribute.s));
  if (node.opType == "Upsample" && opset < 7)
    joinScales(node);
  if (node.opType == "Scan" && opset < 9 && !node.inputs.empty() &&
      node.inputs.front().empty() && !hasAttribute(node, isWithoutBatch))
    scanBatches(node);
}

std::optional<NodeData> mlir::symshape::onnx::normalise(
    const NodeData &node, int64_t opset,
    llvm::function_ref<StringRef(TensorData)> addConstant) {
  std::optional<NodeData> changed;
  constexpr int64_t newestOfOwnForm = 11;
  if (opset < newestOfOwnForm) {
    changed = node;
    normaliseAttributes(*changed, opset);
  }
  const NodeData &given = changed ? *changed : node;
  auto change = [&]() -> NodeData & {
    if (!changed)
      changed = node;
    return *changed;
  };
  for (const Move &move : moves) {
    if (node.opType != move.opType || opset >= move.before)
      continue;
    for (const AttributeData &attribute : given.attributes) {
      if (attribute.name != move.attribute)
        continue;
      TensorData data = toTensor(attribute, move.kind);
      if (isScalarOperand(move))
        data.dims.clear();
      std::vector<StringRef> &inputs = change().inputs;
      if (inputs.size() <= move.input)
        inputs.resize(move.input + 1);
      inputs[move.input] = addConstant(std::move(data));
    }
  }
  // Resize got its second operand, a region, in opset 11.
  if (node.opType == "Resize" && opset < 11 && node.inputs.size() == 2) {
    change().inputs.insert(changed->inputs.begin() + 1, StringRef());
    setText(*changed, "coordinate_transformation_mode", "asymmetric");
    setText(*changed, "nearest_mode", "floor");
  }
  if (node.opType == "Upsample") {
    std::vector<StringRef> &inputs = change().inputs;
    if (inputs.size() >= 2)
      inputs.insert(inputs.begin() + 1, StringRef());
    changed->opType = "Resize";
    setText(*changed, "coordinate_transformation_mode", "asymmetric");
    setText(*changed, "nearest_mode", "floor");
    setText(*changed, isUpsample, "1");
  }
  return changed;
}
