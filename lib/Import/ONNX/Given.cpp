//===- Given.cpp - What messages say of a node ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A refusal says what was expected; most definitions leave it to this file to
// say what the node was given instead: its operands, and short attributes.
//
//===----------------------------------------------------------------------===//

#include "Given.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Longer lists and texts are left out.
static constexpr size_t longestValue = 16;

std::string mlir::symshape::onnx::describe(const NodeData &node) {
  std::string text = "node ";
  if (!node.name.empty())
    text += "'" + escaped(node.name) + "' ";
  return text + "(" + escaped(node.opType) + " #" +
         std::to_string(node.number) + ")";
}

/// `?` for one that is made of extents without a name.
static std::string spellExtent(Expr e, const DimNames &names) {
  auto isWritten = [&](Expr symbol) {
    return names.isWritten(*symbol.asSymbol());
  };
  if (!llvm::all_of(e.symbols(), isWritten))
    return "?";
  std::string text = printDimText(
      e, [&](StringRef symbol) { return names.textOf(symbol).str(); },
      [](Expr, Expr) { return false; });
  return text.empty() ? "?" : escaped(text);
}

/// `float[batch, 3]`, a sequence by its word, and nothing by `none`.
static std::string spellOperand(const Operand &operand, ExprArena &arena,
                                const DimNames &names) {
  if (operand.kind == Operand::Absent)
    return "none";
  std::optional<SmallVector<Expr, 4>> dims = operand.extents(arena);
  if (!dims)
    return operand.kind == Operand::IsSequence ? "a sequence" : "?";
  SmallVector<std::string> texts;
  for (Expr dim : *dims)
    texts.push_back(spellExtent(dim, names));
  return nameOf(operand.type) + "[" + llvm::join(texts, ", ") + "]";
}

template <typename T>
static std::string spellList(const T &list) {
  return llvm::formatv("[{0:$[, ]}]",
                       llvm::make_range(list.begin(), list.end()));
}

/// `axis = 2`; empty for tensors, graphs, what is long, and what the import
/// itself says to a node.
static std::string spellAttribute(const AttributeData &attribute) {
  if (attribute.name.starts_with("\1"))
    return "";
  std::string value;
  switch (attribute.type) {
  case AttributeData::Float:
    value = llvm::formatv("{0:g}", attribute.f);
    break;
  case AttributeData::Int:
    value = std::to_string(attribute.i);
    break;
  case AttributeData::String:
    if (attribute.s.size() <= longestValue)
      value = "'" + escaped(attribute.s) + "'";
    break;
  case AttributeData::Floats:
    if (attribute.floats.size() <= longestValue)
      value = spellList(attribute.floats);
    break;
  case AttributeData::Ints:
    if (attribute.ints.size() <= longestValue)
      value = spellList(attribute.ints);
    break;
  default:
    break;
  }
  return value.empty() ? "" : attribute.name.str() + " = " + value;
}

std::string mlir::symshape::onnx::describeGiven(const NodeData &node,
                                                ArrayRef<Operand> operands,
                                                ExprArena &arena,
                                                const DimNames &names) {
  SmallVector<std::string> given, attributes;
  for (const Operand &operand : operands)
    given.push_back(spellOperand(operand, arena, names));
  for (const AttributeData &attribute : node.attributes)
    if (std::string text = spellAttribute(attribute); !text.empty())
      attributes.push_back(text);
  std::string text = given.empty() ? "no operands" : llvm::join(given, ", ");
  if (!attributes.empty())
    text += " with " + llvm::join(attributes, ", ");
  return text;
}
