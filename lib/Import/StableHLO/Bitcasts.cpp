//===- Bitcasts.cpp - Bits read as another type ---------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bitcast_convert`: of one width, from one wide element to a last axis of
// narrow ones, the low bits first, and back.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// The bits of an element as an integer.
static Value toBits(Scalars &s, Value x) {
  return s.recast(x, s.b.getIntegerType(x.getType().getIntOrFloatBitWidth()));
}

/// Several elements, along a new last axis, per element.
static Value divide(Node &n, Value x, Type to, int64_t parts) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  sizes.push_back(n.b.getIndexAttr(parts));
  Type narrow = n.b.getIntegerType(to.getIntOrFloatBitWidth());
  return n.generate(sizes, to, [&](OpBuilder &b, Location loc, ValueRange at) {
    Scalars s(b, loc);
    Value v = tensor::ExtractOp::create(b, loc, x, at.drop_back());
    Value bits = toBits(s, v);
    Value part = s.create<arith::IndexCastOp>(bits.getType(), at.back());
    Value distance = s.create<arith::MulIOp>(
        part,
        s.integer(bits.getType(), APInt(bits.getType().getIntOrFloatBitWidth(),
                                        to.getIntOrFloatBitWidth())));
    Value shifted = s.create<arith::ShRUIOp>(bits, distance);
    return s.recast(s.create<arith::TruncIOp>(narrow, shifted), to);
  });
}

/// One element per last axis of several.
static Value join(Node &n, Value x, Type to, int64_t parts) {
  SmallVector<OpFoldResult> sizes = n.extents(x);
  sizes.pop_back();
  unsigned width = to.getIntOrFloatBitWidth();
  Type wide = n.b.getIntegerType(width);
  SmallVector<Value> places;
  for (int64_t i = 0; i < parts; ++i)
    places.push_back(n.index(n.b.getIndexAttr(i)));
  return n.generate(sizes, to, [&](OpBuilder &b, Location loc, ValueRange at) {
    Scalars s(b, loc);
    Value all = s.integer(wide, APInt(width, 0));
    for (int64_t i = 0; i < parts; ++i) {
      SmallVector<Value> place(at);
      place.push_back(places[i]);
      Value v = tensor::ExtractOp::create(b, loc, x, place);
      Value bits = s.create<arith::ExtUIOp>(wide, toBits(s, v));
      APInt distance(width, i * (width / parts));
      all = s.create<arith::OrIOp>(
          all, s.create<arith::ShLIOp>(bits, s.integer(wide, distance)));
    }
    return s.recast(all, to);
  });
}

static LogicalResult bitcastConvert(Node &n) {
  Value x = n.tensor(0);
  auto declared = n.resultType();
  if (!x || !declared)
    return failure();
  Type from = getElementTypeOrSelf(x), to = signless(declared.getElementType());
  int64_t added = declared.getRank() - n.rank(0);
  if (from == to && added == 0)
    return n.set(0, x);
  auto partOf = [](Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    return complex ? complex.getElementType() : Type();
  };
  if (partOf(from) == to && added == 1)
    return n.set(0, toExchanged(n, x));
  if (partOf(to) == from && added == -1 && n.type(0).getShape().back() == 2)
    return n.set(0, fromExchanged(n, x, declared));
  if (!from.isIntOrFloat() || !to.isIntOrFloat())
    return n.fail("elements of type " + llvm::to_string(from) +
                  " are not supported");
  int64_t source = from.getIntOrFloatBitWidth(),
          target = to.getIntOrFloatBitWidth();
  if (source == target && added == 0)
    return n.set(
        0, n.map(x, to, [&](Scalars &s, Value v) { return s.recast(v, to); }));
  if (source > target && source % target == 0 && added == 1)
    return n.set(0, divide(n, x, to, source / target));
  if (source < target && target % source == 0 && added == -1 &&
      n.type(0).getShape().back() == target / source)
    return n.set(0, join(n, x, to, target / source));
  return n.fail("expected a last axis for the ratio of the widths");
}

void mlir::symshape::stablehlo::addBitcastOps(Registry &registry) {
  registry["bitcast_convert"] = Definition{bitcastConvert, 1, 1};
}
