//===- OneOpFacts.cpp - What the rule of one op says alone ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/OneOpFacts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::symshape;

Expr OneOpFacts::makeSymbol(Value, std::optional<int64_t>,
                            symshape::Range range) {
  Expr symbol = exprs.freshSymbol("%v");
  set.declare(symbol, {range});
  return symbol;
}

Expr OneOpFacts::dim(Value shaped, int64_t d) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(d))
    return constant(type.getDimSize(d));
  Expr &known = extents[{shaped, d}];
  if (!known)
    known = makeSymbol(shaped, d, symshape::Range::between(0, INT64_MAX));
  return known;
}

Expr OneOpFacts::value(Value scalar) {
  if (std::optional<int64_t> number = getConstantIntValue(scalar))
    return constant(*number);
  Expr &known = values[scalar];
  if (!known)
    known = makeSymbol(scalar, std::nullopt,
                       symshape::Range::between(INT64_MIN, INT64_MAX));
  return known;
}
