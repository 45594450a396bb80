//===- OpenNodes.cpp - Nodes that may not run -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node in an arm or a loop that may not run, with extents that it cannot
// have, must not refuse the program: it is imported as if its extents were not
// known, so that what it asks of them is checked where it runs.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The same value, with extents and sizes that are not known. Numbers of the
/// model stay: they are the same whatever is declared.
Operand GraphImporter::open(Operand operand) {
  if (operand.kind == Operand::IsConstant && isFloat(operand.type) &&
      elementType(builder.getContext(), operand.type))
    operand = Operand::of(materialise(operand.constant));
  if (operand.kind == Operand::IsTensor && operand.list.empty()) {
    SmallVector<Expr, 4> dims = llvm::map_to_vector<4>(
        operand.tensor.dims, [&](Expr dim) { return emitter.open(dim); });
    operand.tensor = emitter.wrap(operand.tensor.value, dims, operand.type);
  }
  if (operand.kind == Operand::IsList || operand.kind == Operand::IsTable)
    for (auto [i, number] : llvm::enumerate(operand.list))
      if (i >= operand.given.size() || !operand.given[i])
        number = emitter.open(number);
  return operand;
}

/// As if nothing were known of what it asks for.
LogicalResult GraphImporter::importOpen(const NodeData &node, Block *block,
                                        Operation *last) {
  bool hasBody =
      llvm::any_of(node.attributes, [](const AttributeData &attribute) {
        return attribute.graph != nullptr;
      });
  // Nodes of a body or function had their chance each.
  if (numUnsure == 0 || isBroken || needsValues || hasBody ||
      findFunction(node))
    return failure();
  eraseNode(node, block, last);
  std::string reason = std::exchange(error, "");
  (void)emitter.takeFault();
  if (succeeded(importOp(node, /*isOpen=*/true)) &&
      succeeded(verifySince(block, last)))
    return success();
  error = reason;
  return failure();
}
