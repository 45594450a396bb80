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

int64_t mlir::symshape::onnx::getOldestVersion(StringRef opType) {
  // Before that, an attribute said which axes are broadcast.
  static const StringRef broadcasting[] = {
      "Add", "And", "Div", "Equal", "Gemm", "Greater", "Less",
      "Mul", "Or",  "Pow", "PRelu", "Sub",  "Xor"};
  constexpr int64_t broadcastingByRank = 7;
  return llvm::is_contained(broadcasting, opType) ? broadcastingByRank : 1;
}

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

std::optional<NodeData> mlir::symshape::onnx::normalise(
    const NodeData &node, int64_t opset,
    llvm::function_ref<StringRef(TensorData)> addConstant) {
  std::optional<NodeData> changed;
  auto change = [&]() -> NodeData & {
    if (!changed)
      changed = node;
    return *changed;
  };
  for (const Move &move : moves) {
    if (node.opType != move.opType || opset >= move.before)
      continue;
    for (const AttributeData &attribute : node.attributes) {
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
    AttributeData mode;
    mode.name = "coordinate_transformation_mode";
    mode.s = "asymmetric";
    changed->attributes.push_back(mode);
    AttributeData rounding;
    rounding.name = "nearest_mode";
    rounding.s = "floor";
    changed->attributes.push_back(rounding);
  }
  if (node.opType == "Upsample") {
    std::vector<StringRef> &inputs = change().inputs;
    if (inputs.size() >= 2)
      inputs.insert(inputs.begin() + 1, StringRef());
    changed->opType = "Resize";
    AttributeData mode;
    mode.name = "coordinate_transformation_mode";
    mode.s = "asymmetric";
    changed->attributes.push_back(mode);
    AttributeData rounding;
    rounding.name = "nearest_mode";
    rounding.s = "floor";
    changed->attributes.push_back(rounding);
  }
  return changed;
}
