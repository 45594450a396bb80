//===- Lists.cpp - Arithmetic on sizes ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lists.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

bool mlir::symshape::onnx::mapLists(Node &n, DataType type, ListBody body) {
  size_t length = 1;
  bool isScalar = true;
  SmallVector<SmallVector<Expr, 4>> lists;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    if (!n.isKnownList(i))
      return false;
    lists.push_back(*n.knownInts(i));
    isScalar &= n.rank(i) == 0;
    if (lists.back().size() != 1) {
      if (length != 1 && length != lists.back().size())
        return false;
      length = lists.back().size();
    }
  }
  SmallVector<Expr, 4> result;
  for (size_t k = 0; k < length; ++k) {
    SmallVector<Expr, 4> elements;
    for (const auto &list : lists)
      elements.push_back(list.size() == 1 ? list[0] : list[k]);
    Expr e = body(elements);
    if (!e)
      return false;
    result.push_back(e);
  }
  return succeeded(n.setList(0, result, isScalar, type));
}

// For y > 0: x / y rounded to zero is max(x, 0) floordiv y where x >= 0, and
// -(max(-x, 0) floordiv y) where x <= 0; the other of these is 0.
Expr mlir::symshape::onnx::divideToZero(Emitter &e, Expr x, Expr y) {
  ExprArena &arena = e.arena();
  if (!e.isProvably(Relation::ge(y, arena.one())))
    return Expr();
  if (e.isNonNegative(x))
    return arena.floorDiv(x, y);
  Expr zero = arena.zero();
  return arena.floorDiv(arena.max(x, zero), y) -
         arena.floorDiv(arena.max(-x, zero), y);
}
