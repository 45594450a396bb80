//===- Rotations.cpp - Rotations of two lines of a matrix -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rotations.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

Rotation Rotation::diagonalize(Matrices &m, Value first, Value second,
                               Value off, Value isDone) {
  Value one = m.s.number(m.wide, 1);
  Value safe = m.s.select(isDone, one, off);
  Value half =
      m.over(m.minus(second, first), m.times(m.s.number(m.wide, 2), safe));
  // t = sign(half) / (|half| + sqrt(half^2 + 1)), the smaller root of
  // t^2 + 2 half t - 1.
  Value root = m.s.create<math::SqrtOp>(m.plus(m.times(half, half), one));
  Value size = m.plus(m.s.create<math::AbsFOp>(half), root);
  Value tangent = m.s.create<math::CopySignOp>(m.over(one, size), half);
  tangent = m.s.select(isDone, m.s.zero(m.wide), tangent);
  Value length =
      m.s.create<math::SqrtOp>(m.plus(m.times(tangent, tangent), one));
  Value cosine = m.over(one, length);
  return {cosine, m.times(tangent, cosine)};
}

Value Rotation::turn(Matrices &m, Value matrix, Value length, Value one,
                     Value other, bool areRows) const {
  auto read = [&](Value from, Value line, Value k) {
    return areRows ? m.read(from, {}, line, k) : m.read(from, {}, k, line);
  };
  auto write = [&](Value v, Value into, Value line, Value k) {
    return areRows ? m.write(v, into, {}, line, k)
                   : m.write(v, into, {}, k, line);
  };
  return m
      .loop(m.index(0), length, matrix,
            [&](Value k, ValueRange carried) {
              Value x = read(carried[0], one, k);
              Value y = read(carried[0], other, k);
              Value first = m.minus(m.times(cosine, x), m.times(sine, y));
              Value second = m.plus(m.times(sine, x), m.times(cosine, y));
              Value half = write(first, carried[0], one, k);
              return SmallVector<Value>{write(second, half, other, k)};
            })
      .front();
}
