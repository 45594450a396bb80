//===- Questions.cpp - What a pass may ask of shapes ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Questions.h"
#include "CheckEmitter.h"

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

bool ShapeQuestions::isProved(const Formula &condition, Operation *op) {
  return prove(cursor.before(op), condition).isYes();
}

bool ShapeQuestions::proveOrDefault(const Formula &condition, Operation *op,
                                    bool whenUnknown) {
  Answer answer = prove(cursor.before(op), condition);
  return answer.verdict == Verdict::Unknown ? whenUnknown : answer.isYes();
}

LogicalResult ShapeQuestions::proveOrGuard(const Relation &relation,
                                           Operation *op, StringRef message) {
  Answer answer = cursor.before(op).prove(relation);
  if (answer.isYes())
    return success();
  DominanceInfo dominance;
  bool isKnown =
      isKnownBefore(shapes, dominance, Formula::literal(relation), op);
  if (answer.isNo() || frozen || !isKnown)
    return failure();
  emitAssert(shapes, relation, op, message);
  return success();
}
