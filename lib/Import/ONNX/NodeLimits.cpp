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

namespace {
/// The attributes of an op in one opset.
struct Attributes {
  llvm::SmallVector<StringRef> known, needed;
};
} // namespace

/// Those of an op of ai.onnx; nullopt for other ops.
static std::optional<Attributes> findAttributes(StringRef opType,
                                                int64_t opset) {
  // NAME[>N][<N][@N]: from opset N on it is there, no more there, and needed.
  static const llvm::StringMap<StringRef> rows = {
#include "AttributeNames.inc"
  };
  auto row = rows.find(opType);
  if (row == rows.end())
    return std::nullopt;
  llvm::SmallVector<StringRef> words;
  row->second.split(words, ' ', -1, /*KeepEmpty=*/false);
  Attributes found;
  for (StringRef word : words) {
    auto isFrom = [&](char sign, bool otherwise) {
      StringRef digits = word.split(sign).second.take_while(llvm::isDigit);
      int64_t first;
      return digits.getAsInteger(10, first) ? otherwise : opset >= first;
    };
    StringRef name =
        word.take_until([](char c) { return StringRef("><@").contains(c); });
    if (!isFrom('>', true) || isFrom('<', false))
      continue;
    found.known.push_back(name);
    if (isFrom('@', false))
      found.needed.push_back(name);
  }
  return found;
}

/// An attribute that the op does not have, such as a misspelt one, or that is
/// missing.
static std::string describeOther(const NodeData &node, int64_t opset) {
  std::optional<Attributes> attributes = findAttributes(node.opType, opset);
  // A node that the import has made itself, of another version, says so.
  bool isMade = llvm::any_of(node.attributes, [](const AttributeData &given) {
    return given.name.starts_with("\1");
  });
  if (!attributes || isMade)
    return "";
  for (const AttributeData &given : node.attributes) {
    llvm::erase(attributes->needed, given.name);
    if (!llvm::is_contained(attributes->known, given.name))
      return (attributes->known.empty()
                  ? "expected no attributes"
                  : "expected an attribute of " +
                        llvm::join(attributes->known, ", ")) +
             " in opset " + std::to_string(opset) + ", but got '" +
             given.name.str() + "'";
  }
  if (attributes->needed.empty())
    return "";
  return "expected the attribute " + attributes->needed.front().str() +
         ", but got none";
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

std::string mlir::symshape::onnx::describeAttributeFault(const NodeData &node,
                                                         int64_t opset) {
  if (std::string fault = describeOther(node, opset); !fault.empty())
    return fault;
  for (const AttributeData &attribute : node.attributes) {
    if (!attribute.reference.empty())
      continue;
    if (attribute.name == "pads" && hasTwoBorders(node, attribute))
      return "expected no pads beside auto_pad";
    for (const Choice &choice : choices) {
      if (attribute.name != choice.attribute ||
          !(choice.ops.empty() || isOneOf(node.opType, choice.ops)))
        continue;
      std::string value = attribute.type == AttributeData::Int
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
