//===- Signals.cpp - Windows and transforms of signals --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Fourier transform is a product with a matrix of sines and cosines: good for
// any length, and as quick as products are.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Windows of signals
//===----------------------------------------------------------------------===//

/// The sum of coefficients[k] * cos(2 pi k i / N), with alternating signs.
static LogicalResult signalWindow(Node &n, ArrayRef<double> coefficients) {
  Emitter &e = n.emit();
  Expr count = n.oneInt(0);
  if (!count)
    return failure();
  DataType type = static_cast<DataType>(
      n.intAttr("output_datatype", static_cast<int64_t>(DataType::Float)));
  if (!isFloat(type))
    return n.fail("expected a type of floats");
  bool periodic = n.intAttr("periodic", 1);
  Value length = e.index(periodic ? count : count - 1);
  return n.set(0, e.generate(count, type, [&](Scalars &s, ArrayRef<Value> at) {
    Value turn =
        s.div(s.mul(toF64(s, at[0]), f64(s, 2 * M_PI)), toF64(s, length));
    Value sum = f64(s, coefficients[0]);
    for (size_t k = 1; k < coefficients.size(); ++k) {
      Value wave = s.create<math::CosOp>(s.mul(turn, f64(s, k)));
      Value part = s.mul(wave, f64(s, coefficients[k]));
      sum = k % 2 ? s.sub(sum, part) : s.add(sum, part);
    }
    return s.cast(sum, DataType::Double, type);
  }));
}

static LogicalResult hannWindow(Node &n) { return signalWindow(n, {0.5, 0.5}); }
static LogicalResult hammingWindow(Node &n) {
  return signalWindow(n, {25.0 / 46, 1 - 25.0 / 46});
}
static LogicalResult blackmanWindow(Node &n) {
  return signalWindow(n, {0.42, 0.5, 0.08});
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

namespace {
/// A transform of `length` numbers along the last axis of a signal.
struct Transform {
  Expr length;
  bool isInverse = false;
  /// For a real signal only the first half is made; the reverse reads that
  /// half, and makes a real signal.
  bool isOneSided = false;

  bool makesReal() const { return isInverse && isOneSided; }
};

/// Numbers of a complex signal; if it has no imaginary part, a real one.
struct Complex {
  Tensor real, imaginary;
};
} // namespace

/// cos or sin of 2 pi * row * column / length, with what the reverse divides
/// by. Rows of half a spectrum stand for their mirror images, too.
static Tensor waves(Emitter &e, const Transform &t, Expr rows, Expr columns,
                    bool isSine) {
  DataType type = DataType::Double;
  Value length = e.index(t.length);
  // Only as many angles as the signal is long: k and j are multiplied as
  // integers, so that no angle is large.
  Tensor wave = e.generate(t.length, type, [&](Scalars &s, ArrayRef<Value> at) {
    Value turn = s.mul(f64(s, 2 * M_PI), toF64(s, at[0]));
    Value angle = s.div(turn, toF64(s, length));
    Value value =
        isSine ? s.create<math::SinOp>(angle) : s.create<math::CosOp>(angle);
    if (t.isInverse)
      value = s.div(value, toF64(s, length));
    return value;
  });
  return e.generate({rows, columns}, type, [&](Scalars &s, ArrayRef<Value> at) {
    Value steps = s.create<arith::RemUIOp>(s.mul(at[0], at[1]), length);
    Value value = Emitter::at(s, wave, steps);
    if (!t.makesReal())
      return value;
    // All but 0, and the middle of an even length, have a mirror image.
    Value isFirst = s.equal(at[0], s.index(0));
    Value isMiddle = s.equal(s.add(at[0], at[0]), length);
    Value isAlone = s.logicalOr(isFirst, isMiddle);
    return s.select(isAlone, value, s.add(value, value));
  });
}

/// The transform of each row; missing numbers are zeros, others are not read.
/// Sums are of doubles, since much in them cancels.
static Complex transform(Emitter &e, const Transform &t, Complex x) {
  ExprArena &arena = e.arena();
  DataType given = x.real.type, type = DataType::Double;
  Expr half = arena.floorDiv(t.length, e.constant(2)) + 1;
  // Not max(length, 0): a negative one has been refused.
  Expr columns = t.isOneSided && !t.isInverse ? half : t.length;
  int64_t last = x.real.rank() - 1;
  Expr rows =
      e.simplify(arena.min(x.real.dims[last], t.makesReal() ? half : t.length));
  Tensor cosines = waves(e, t, rows, columns, false);
  Tensor sines = waves(e, t, rows, columns, true);
  auto times = [&](const Tensor &part, const Tensor &table) {
    Tensor head = part.dims[last] == rows
                      ? part
                      : e.slice(part, last, e.constant(0), rows);
    return e.matmul(e.cast(head, type), table, type);
  };
  // (a + bi) (cos -/+ i sin), + for the reverse.
  Complex result{times(x.real, cosines), {}};
  if (!t.makesReal()) {
    result.imaginary = times(x.real, sines);
    if (!t.isInverse)
      result.imaginary = e.unary(result.imaginary,
                                 [](Scalars &s, Value v) { return s.neg(v); });
  }
  if (x.imaginary) {
    Tensor turned = times(x.imaginary, sines);
    result.real =
        t.isInverse ? e.sub(result.real, turned) : e.add(result.real, turned);
    if (!t.makesReal())
      result.imaginary = e.add(result.imaginary, times(x.imaginary, cosines));
  }
  result.real = e.cast(result.real, given);
  if (result.imaginary)
    result.imaginary = e.cast(result.imaginary, given);
  return result;
}

/// The parts of a signal whose last axis has an element for each. If it is not
/// known whether there are one or two, a real signal gets zeros.
static std::optional<Complex> splitParts(Node &n, const Tensor &x) {
  Emitter &e = n.emit();
  int64_t last = x.rank() - 1;
  Expr count = x.dims[last];
  if (!isFloat(x.type) ||
      (count.asInt64() && !count.isConstant(1) && !count.isConstant(2))) {
    (void)n.fail("expected floats, and a last axis of extent 1 or 2");
    return std::nullopt;
  }
  Complex parts;
  parts.real = e.squeeze(e.slice(x, last, e.constant(0), e.constant(1)), last);
  if (count.isConstant(1))
    return parts;
  e.require(Relation::le(count, e.constant(2)),
            "a complex number has two parts");
  Tensor second = e.squeeze(e.slice(x, last, count - 1, e.constant(1)), last);
  if (count.isConstant(2)) {
    parts.imaginary = second;
    return parts;
  }
  Scalars outside(e.builder(), e.loc());
  Value isComplex = outside.equal(e.index(count), outside.index(2));
  parts.imaginary = e.unary(second, [&](Scalars &s, Value v) {
    return s.select(isComplex, v, s.number(v.getType(), 0));
  });
  return parts;
}

/// The reverse of splitParts.
static Tensor joinParts(Emitter &e, const Complex &x) {
  Tensor real = e.unsqueeze(x.real, x.real.rank());
  if (!x.imaginary)
    return real;
  return e.concat({real, e.unsqueeze(x.imaginary, x.real.rank())},
                  x.real.rank());
}

static LogicalResult dft(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  SmallVector<int64_t, 4> given{n.opset() < 20 ? 1 : -2};
  if (n.has(2)) {
    auto list = n.neededInts(2);
    if (!list)
      return failure();
    given = *list;
  }
  if (given.size() != 1 || x.rank() < 2)
    return n.fail("expected one axis, and a signal of rank 2 or more");
  auto axis = n.axis(given.front(), x.rank());
  if (!axis)
    return failure();
  int64_t last = x.rank() - 1;
  if (*axis == last)
    return n.fail("expected another axis than that of the parts");
  Transform t;
  t.isInverse = n.intAttr("inverse", 0);
  t.isOneSided = n.intAttr("onesided", 0);
  Expr extent = x.dims[*axis];
  t.length = t.makesReal() ? (extent - 1) * 2 : extent;
  if (n.has(1) && !(t.length = n.oneInt(1)))
    return failure();
  e.require(Relation::ge(t.length, e.constant(1)),
            "a transform is of one number or more");
  if (t.isOneSided)
    e.require(Relation::eq(x.dims[last], e.constant(t.isInverse ? 2 : 1)),
              t.isInverse ? "half a spectrum must be of complex numbers"
                          : "only a real signal has half a spectrum");
  auto parts = splitParts(n, x);
  if (!parts)
    return failure();
  parts->real = e.moveAxis(parts->real, *axis, last - 1);
  if (parts->imaginary)
    parts->imaginary = e.moveAxis(parts->imaginary, *axis, last - 1);
  Tensor result = joinParts(e, transform(e, t, *parts));
  return n.set(0, e.moveAxis(result, last - 1, *axis));
}

static LogicalResult stft(Node &n) {
  Emitter &e = n.emit();
  Tensor signal = n.wideTensor(0);
  // Exporters leave out that a number has one part, and ONNX Runtime takes it.
  if (signal.rank() == 2)
    signal = e.unsqueeze(signal, {2});
  Expr step = n.oneInt(1);
  if (!step || signal.rank() != 3)
    return n.fail("expected a signal of rank 2 or 3, and steps between frames");
  Tensor window;
  Transform t;
  t.isOneSided = n.intAttr("onesided", 1);
  if (t.isOneSided)
    e.require(Relation::eq(signal.dims[2], e.constant(1)),
              "only a real signal has half a spectrum");
  t.length = signal.dims[1];
  if (n.has(2)) {
    window = n.wideTensor(2);
    if (window.rank() != 1 || window.type != signal.type)
      return n.fail("expected a window of rank 1, of the type of the signal");
    t.length = window.dims[0];
  }
  if (n.has(3)) {
    if (!(t.length = n.oneInt(3)))
      return failure();
    if (window)
      e.require(Relation::eq(window.dims[0], t.length),
                "a frame must be as long as its window");
  }
  Expr one = e.constant(1);
  e.require(Relation::ge(step, one), "frames are one element apart or more");
  e.require(Relation::ge(t.length, one),
            "a transform is of one number or more");
  e.require(Relation::ge(signal.dims[1], t.length),
            "a frame must fit into the signal");
  Expr frames = e.arena().floorDiv(signal.dims[1] - t.length, step) + 1;
  auto parts = splitParts(n, signal);
  if (!parts)
    return failure();
  Value distance = e.index(step);
  auto cut = [&](const Tensor &x) {
    if (!x)
      return x;
    return e.generate({x.dims[0], frames, t.length}, x.type,
                      [&](Scalars &s, ArrayRef<Value> at) {
                        Value place = s.add(s.mul(at[1], distance), at[2]);
                        Value element = Emitter::at(s, x, {at[0], place});
                        return window ? s.mul(element,
                                              Emitter::at(s, window, at[2]))
                                      : element;
                      });
  };
  Complex framed{cut(parts->real), cut(parts->imaginary)};
  return n.setRounded(0, joinParts(e, transform(e, t, framed)));
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

/// The weight of a row between the places of three neighbouring bands: it rises
/// from the first to the second, and falls to the third.
static Value triangle(Scalars &s, Value row, Value low, Value middle,
                      Value high) {
  Value zero = f64(s, 0), one = f64(s, 1);
  auto share = [&](Value part, Value whole) {
    Value isEmpty = s.equal(whole, zero);
    return s.div(part, s.select(isEmpty, one, whole));
  };
  Value rising = share(s.sub(row, low), s.sub(middle, low));
  Value falling = share(s.sub(high, row), s.sub(high, middle));
  Value side = s.select(s.less(row, middle), rising, falling);
  side = s.select(s.equal(row, middle), one, side);
  Value isInside = s.logicalAnd(s.lessOrEqual(low, row), s.less(row, high));
  return s.select(s.logicalOr(isInside, s.equal(row, middle)), side, zero);
}

static LogicalResult melWeightMatrix(Node &n) {
  Emitter &e = n.emit();
  Expr bands = n.oneInt(0), length = n.oneInt(1), rate = n.oneInt(2);
  if (!bands || !length || !rate)
    return failure();
  DataType type = static_cast<DataType>(
      n.intAttr("output_datatype", static_cast<int64_t>(DataType::Float)));
  if (!elementType(e.context(), type) || type == DataType::Bool)
    return n.fail("expected a type of numbers");
  Scalars outside(e.builder(), e.loc());
  e.require(Relation::ge(length, e.constant(0)),
            "the length of a transform must be at least 0");
  e.require(Relation::ge(rate, e.constant(1)),
            "a sample rate must be at least 1");
  Value bins = toF64(outside, e.index(length + 1));
  Value sampleRate = toF64(outside, e.index(rate));
  Expr rows = e.arena().floorDiv(length, e.constant(2)) + 1;
  auto mel = [&](size_t i) {
    Value hertz = n.oneElement(i);
    if (!hertz)
      return hertz;
    hertz = outside.cast(hertz, n.type(i), DataType::Double);
    Value place = outside.div(outside.mul(bins, hertz), sampleRate);
    e.requireThat(
        outside.logicalAnd(outside.lessOrEqual(f64(outside, 0), place),
                           outside.less(place, toF64(outside, e.index(rows)))),
        "the edges must lie within the spectrum");
    Value share = outside.div(hertz, f64(outside, 700));
    Value log =
        outside.create<math::Log10Op>(outside.add(f64(outside, 1), share));
    return outside.mul(f64(outside, 2595), log);
  };
  Value low = mel(3), high = mel(4);
  if (!low || !high)
    return failure();
  Value step =
      outside.div(outside.sub(high, low), toF64(outside, e.index(bands + 2)));
  return n.set(
      0, e.generate({rows, bands}, type, [&](Scalars &s, ArrayRef<Value> at) {
        auto place = [&](int64_t next) {
          Value band = toF64(s, s.add(at[1], s.index(next)));
          Value exponent = s.div(s.add(s.mul(band, step), low), f64(s, 2595));
          Value power = s.create<math::PowFOp>(f64(s, 10), exponent);
          Value hertz = s.mul(f64(s, 700), s.sub(power, f64(s, 1)));
          return s.create<math::FloorOp>(s.div(s.mul(bins, hertz), sampleRate));
        };
        Value weight =
            triangle(s, toF64(s, at[0]), place(0), place(1), place(2));
        return s.cast(weight, DataType::Double, type);
      }));
}

void mlir::symshape::onnx::addSignalOps(Registry &registry) {
  registry.add("HannWindow", 1, hannWindow);
  registry.add("HammingWindow", 1, hammingWindow);
  registry.add("BlackmanWindow", 1, blackmanWindow);
  registry.add("DFT", 1, dft);
  registry.add("STFT", 2, stft);
  registry.add("MelWeightMatrix", 5, melWeightMatrix);
}
