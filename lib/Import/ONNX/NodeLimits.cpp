//===- NodeLimits.cpp - Attributes and ranks that nodes may have ----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::symshape::onnx;
using llvm::StringRef;

namespace {
/// Words that an attribute may be, or integers in words. Lists are apart by
/// blanks; no ops: whatever op has that attribute.
struct Choice {
  StringRef ops, attribute, values;
};
/// The rank of some operands of ops, from an opset on.
struct Rank {
  StringRef ops;
  llvm::SmallVector<size_t, 4> operands;
  int64_t rank, since;
};
} // namespace

static constexpr Choice choices[] = {
    {"", "auto_pad", "NOTSET SAME_UPPER SAME_LOWER VALID"},
    {"BitShift", "direction", "LEFT RIGHT"},
    {"GRU LSTM RNN", "direction", "forward reverse bidirectional"},
    {"GRU LSTM RNN", "layout", "0 1"},
    {"GridSample", "mode", "linear nearest cubic bilinear bicubic"},
    {"GridSample", "padding_mode", "zeros border reflection"},
    {"DepthToSpace", "mode", "DCR CRD"},
    {"LpNormalization", "p", "1 2"},
    {"MaxPool", "storage_order", "0 1"},
    {"Mod", "fmod", "0 1"},
    {"ReverseSequence", "batch_axis", "0 1"},
    {"ReverseSequence", "time_axis", "0 1"},
    {"RoiAlign", "mode", "avg max"},
    {"TensorScatter", "mode", "linear circular"},
    {"Unique", "sorted", "0 1"},
};

/// Amounts, axes and sizes are lists, and parameters of channels too.
static const Rank ranks[] = {
    {"ConstantOfShape", {0}, 1, 9},
    {"Slice", {1, 2, 3, 4}, 1, 10},
    {"Pad", {1, 3}, 1, 11},
    {"Expand Tile", {1}, 1, 8},
    {"CenterCropPad", {1}, 1, 18},
    {"Col2Im", {1, 2}, 1, 18},
    {"Compress", {1}, 1, 9},
    {"RoiAlign", {2}, 1, 10},
    {"STFT", {2}, 1, 17},
    {"Resize", {2, 3}, 1, 11},
    {"Conv ConvTranspose", {2}, 1, 1},
    {"QLinearConv", {8}, 1, 10},
    {"DeformConv", {3}, 1, 19},
    {"ReverseSequence", {1}, 1, 10},
    {"TensorScatter", {2}, 1, 24},
    {"InstanceNormalization", {1, 2}, 1, 1},
    {"GroupNormalization", {1, 2}, 1, 18},
    {"NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", {2}, 1, 12},
};

static bool isOneOf(StringRef word, StringRef list) {
  llvm::SmallVector<StringRef> words;
  list.split(words, ' ', -1, /*KeepEmpty=*/false);
  return llvm::is_contained(words, word);
}

/// Attributes that an op of ai.onnx has, apart by blanks; null for other ops.
static const StringRef *findAttributes(StringRef opType) {
  static const llvm::StringMap<StringRef> attributes = {
#include "AttributeNames.inc"
  };
  auto it = attributes.find(opType);
  return it == attributes.end() ? nullptr : &it->second;
}

/// An attribute that the op does not have, such as a misspelt one.
static std::string describeUnknown(const NodeData &node) {
  const StringRef *known = findAttributes(node.opType);
  if (!known)
    return "";
  auto unknown =
      llvm::find_if(node.attributes, [&](const AttributeData &attribute) {
        return !isOneOf(attribute.name, *known);
      });
  if (unknown == node.attributes.end())
    return "";
  llvm::SmallVector<StringRef> names;
  known->split(names, ' ', -1, /*KeepEmpty=*/false);
  return (names.empty()
              ? "expected no attributes"
              : "expected an attribute of " + llvm::join(names, ", ")) +
         ", but got '" + unknown->name.str() + "'";
}

/// Which borders an attribute asks for, if another one asks for them too.
static bool hasTwoBorders(const NodeData &node, const AttributeData &pads) {
  return llvm::any_of(node.attributes,
                      [&](const AttributeData &other) {
                        return other.name == "auto_pad" &&
                               other.s != "NOTSET" && !other.s.empty();
                      }) &&
         llvm::any_of(pads.ints, [](int64_t pad) { return pad != 0; });
}

std::string mlir::symshape::onnx::describeAttributeFault(const NodeData &node) {
  if (std::string fault = describeUnknown(node); !fault.empty())
    return fault;
  constexpr int32_t integer = 2;
  for (const AttributeData &attribute : node.attributes) {
    if (!attribute.reference.empty())
      continue;
    if (attribute.name == "pads" && hasTwoBorders(node, attribute))
      return "expected no pads beside auto_pad";
    for (const Choice &choice : choices) {
      if (attribute.name != choice.attribute ||
          !(choice.ops.empty() || isOneOf(node.opType, choice.ops)))
        continue;
      std::string value = attribute.type == integer
                              ? std::to_string(attribute.i)
                              : attribute.s.str();
      if (value.empty() || isOneOf(value, choice.values))
        continue;
      llvm::SmallVector<StringRef> words;
      choice.values.split(words, ' ');
      return "expected " + attribute.name.str() + " to be one of " +
             llvm::join(words, ", ") + ", but got " + value;
    }
  }
  return "";
}

std::optional<int64_t>
mlir::symshape::onnx::requiredRank(StringRef opType, int64_t opset, size_t i) {
  for (const Rank &each : ranks)
    if (opset >= each.since && llvm::is_contained(each.operands, i) &&
        isOneOf(opType, each.ops))
      return each.rank;
  return std::nullopt;
}
