//===- OpParts.cpp - Which part of an op an expression is -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `field` of triples, for ops whose rules name their requirements in words.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ShapeAnalysis.h"

using namespace mlir;
using namespace mlir::symshape;

std::string mlir::symshape::partOf(FunctionShapes &shapes, Operation *op,
                                   Expr e) {
  if (e.isConstant())
    return "";
  auto isShaped = [](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank();
  };
  bool isOnly = llvm::count_if(op->getOperands(), isShaped) == 1;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::string name = "operand[" + std::to_string(number) + "]";
    if (!isShaped(operand)) {
      if (operand.getType().isIntOrIndex() && shapes.value(operand) == e)
        return name;
      continue;
    }
    for (int64_t d = 0; d < cast<ShapedType>(operand.getType()).getRank(); ++d)
      if (shapes.dim(operand, d) == e)
        return (isOnly ? "operand" : name) + ".shape[" + std::to_string(d) +
               "]";
  }
  return "";
}

std::optional<Relation>
mlir::symshape::decisiveRelation(const Formula &condition) {
  const Formula &f =
      condition.kind == Formula::Or ? condition.parts.back() : condition;
  if (!f.isLiteral() || f.negated || f.relation.kind == Relation::Divides)
    return std::nullopt;
  return f.relation;
}

std::string mlir::symshape::partOf(FunctionShapes &shapes, Operation *op,
                                   const Formula &condition) {
  std::optional<Relation> relation = decisiveRelation(condition);
  if (!relation)
    return "";
  std::string part = partOf(shapes, op, relation->rhs);
  return part.empty() ? partOf(shapes, op, relation->lhs) : part;
}
