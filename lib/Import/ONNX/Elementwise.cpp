//===- Elementwise.cpp - Ops on one element at a time ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, functions and activations. Not for: comparisons, logic and bits
// (Comparison.cpp).
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Lists.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Two operands of one type.
static LogicalResult binary(Node &n, Emitter::Body body) {
  Tensor x = n.tensor(0), y = n.broadcastOperand(1, x.dims);
  if (x.type != y.type)
    return n.fail("expected operands of one type, but got " + nameOf(x.type) +
                  " and " + nameOf(y.type));
  return n.set(0, n.emit().map({x, y}, x.type, body));
}

static LogicalResult add(Node &n) {
  if (mapLists(n, n.type(0), [](ArrayRef<Expr> v) { return v[0] + v[1]; }))
    return success();
  return binary(
      n, [](Scalars &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); });
}

static LogicalResult sub(Node &n) {
  if (mapLists(n, n.type(0), [](ArrayRef<Expr> v) { return v[0] - v[1]; }))
    return success();
  return binary(
      n, [](Scalars &s, ArrayRef<Value> v) { return s.sub(v[0], v[1]); });
}

static LogicalResult mul(Node &n) {
  if (mapLists(n, n.type(0), [](ArrayRef<Expr> v) { return v[0] * v[1]; }))
    return success();
  return binary(
      n, [](Scalars &s, ArrayRef<Value> v) { return s.mul(v[0], v[1]); });
}

/// Divides elements; integers are required not to be divided by 0.
static LogicalResult divide(Node &n, Emitter::Body body) {
  auto divisors = n.constantNumbers(1);
  bool isChecked =
      isInteger(n.type(0)) && (!divisors || llvm::is_contained(*divisors, 0.0));
  return binary(n, [&](Scalars &s, ArrayRef<Value> v) {
    if (isChecked)
      s.requireNonzero(v[1], n.type(1), "an integer must not be divided by 0");
    return body(s, v);
  });
}

static LogicalResult div(Node &n) {
  Emitter &e = n.emit();
  if (mapLists(n, n.type(0),
               [&](ArrayRef<Expr> v) { return divideToZero(e, v[0], v[1]); }))
    return success();
  bool noSign = isUnsigned(n.type(0));
  return divide(n, [noSign](Scalars &s, ArrayRef<Value> v) {
    return s.div(v[0], v[1], noSign);
  });
}

/// The remainder has the sign of the divisor, with `fmod` that of the dividend.
static Value remainder(Scalars &s, Value x, Value y, bool noSign, bool fmod) {
  if (Scalars::isFloat(x))
    return s.create<arith::RemFOp>(x, y);
  Type type = x.getType();
  Value zero = s.integer(type, 0), one = s.integer(type, 1);
  Value safe = s.select(s.equal(y, zero), one, y);
  if (noSign)
    return s.create<arith::RemUIOp>(x, safe);
  // The least number by -1 overflows; the remainder by 1 is 0 as well.
  safe = s.select(s.equal(y, s.integer(type, -1)), one, safe);
  Value rest = s.create<arith::RemSIOp>(x, safe);
  if (fmod)
    return rest;
  Value isOther = s.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                          s.less(rest, zero), s.less(y, zero));
  Value isRest = s.create<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, zero);
  return s.select(s.logicalAnd(isOther, isRest), s.add(rest, y), rest);
}

static LogicalResult mod(Node &n) {
  Emitter &e = n.emit();
  bool fmod = n.intAttr("fmod", 0);
  if (isFloat(n.type(0)) && !fmod)
    return n.fail("expected fmod to be 1 for floats");
  if (mapLists(n, n.type(0), [&](ArrayRef<Expr> v) {
        bool isPlain = e.isProvably(Relation::ge(v[1], e.constant(1))) &&
                       (!fmod || e.isNonNegative(v[0]));
        return isPlain ? e.arena().mod(v[0], v[1]) : Expr();
      }))
    return success();
  bool noSign = isUnsigned(n.type(0));
  return divide(n, [=](Scalars &s, ArrayRef<Value> v) {
    return remainder(s, v[0], v[1], noSign, fmod);
  });
}

/// x to the power of y < 2^32, modulo 2^64; with a negative power the quotient
/// rounded to zero.
static Value integerPower(Scalars &s, Value x, Value y) {
  Type type = x.getType();
  Value zero = s.integer(type, 0), one = s.integer(type, 1);
  Value minusOne = s.integer(type, -1), result = one, square = x;
  for (int64_t bit = 0; bit < 32; ++bit) {
    Value mask = s.integer(type, int64_t(1) << bit);
    Value isSet = s.logicalNot(s.equal(s.logicalAnd(y, mask), zero));
    result = s.select(isSet, s.mul(result, square), result);
    square = s.mul(square, square);
  }
  // Any power of 1 and -1 is one of these.
  Value isUnit = s.logicalOr(s.equal(x, one), s.equal(x, minusOne));
  return s.select(s.less(y, zero), s.select(isUnit, result, zero), result);
}

/// x to the power of y, of the type of x.
static Value power(Scalars &s, Value x, DataType type, Value y,
                   DataType exponentType) {
  bool isFloatBase = Scalars::isFloat(x), isFloatPower = Scalars::isFloat(y);
  if (!isFloatBase && !isFloatPower) {
    Value wide = integerPower(s, s.cast(x, type, DataType::Int64),
                              s.cast(y, exponentType, DataType::Int64));
    return s.cast(wide, DataType::Int64, type);
  }
  // No power may be rounded to what is not the number: its last bit says the
  // sign.
  bool isNarrow =
      sumType(type) == DataType::Float &&
      (sumType(exponentType) == DataType::Float || bytesOf(exponentType) <= 2);
  DataType common = isNarrow ? DataType::Float : DataType::Double;
  Value result = s.create<math::PowFOp>(s.cast(x, type, common),
                                        s.cast(y, exponentType, common));
  return s.cast(result, common, type);
}

/// Sizes to the power of a small constant.
static bool raiseLists(Node &n) {
  constexpr int64_t largest = 4;
  auto exponent = n.constantNumber(1);
  auto x = readSizes(n, 0);
  if (!x || n.operand(0).list.empty() || !isInteger(n.type(0)) ||
      n.rank(1) > static_cast<int64_t>(x->shape.size()) || !exponent ||
      *exponent != std::floor(*exponent) || *exponent < 0 ||
      *exponent > largest)
    return false;
  for (Number &number : x->numbers) {
    SmallVector<Expr> factors(static_cast<size_t>(*exponent), number.value);
    number.value = n.emit().product(factors);
  }
  return succeeded(setSizes(n, 0, *x, n.type(0)));
}

static LogicalResult pow(Node &n) {
  if (raiseLists(n))
    return success();
  Tensor x = n.tensor(0);
  if (n.rank(1) == 0 && isFloat(x.type)) {
    std::optional<double> exponent = n.constantNumber(1);
    if (exponent == 2.0)
      return n.set(0, n.emit().unary(
                          x, [](Scalars &s, Value v) { return s.mul(v, v); }));
    if (exponent == 0.5)
      return n.set(0, n.emit().unary(x, [](Scalars &s, Value v) {
        return s.create<math::SqrtOp>(v);
      }));
  }
  Tensor y = n.broadcastOperand(1, x.dims);
  return n.set(0,
               n.emit().map({x, y}, x.type, [&](Scalars &s, ArrayRef<Value> v) {
                 return power(s, v[0], x.type, v[1], y.type);
               }));
}

/// Any number of operands of one type, some at a time: the time to compile a
/// loop grows with the square of what it reads.
static LogicalResult variadic(Node &n, Emitter::Body pair, bool isMean) {
  Emitter &e = n.emit();
  SmallVector<Tensor> all;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    all.push_back(n.wideTensor(i));
    if (n.type(i) != n.type(0))
      return n.fail("expected operands of one type");
    constexpr int64_t broadcasts = 8; // since that opset
    if (all[i].rank() != all[0].rank() && n.opset() < broadcasts)
      return n.fail("expected operands of one rank, since they do not "
                    "broadcast before opset 8");
    if (n.opset() < broadcasts)
      for (auto [own, first] : llvm::zip(all[i].dims, all[0].dims))
        e.require(Relation::eq(own, first),
                  "extents must be equal, since operands do not broadcast "
                  "before opset 8");
  }
  SmallVector<Expr, 4> dims = e.broadcastDims(all);
  constexpr size_t mostAtOnce = 8;
  Tensor result = e.stretchTo(all.front(), dims);
  for (size_t i = 1; i < all.size(); i += mostAtOnce) {
    SmallVector<Tensor> some{result};
    for (const Tensor &x :
         ArrayRef(all).slice(i, std::min(mostAtOnce, all.size() - i)))
      some.push_back(e.stretchTo(x, dims));
    result = e.map(some, result.type, [&](Scalars &s, ArrayRef<Value> v) {
      Value folded = v[0];
      for (Value next : v.slice(1, some.size() - 1))
        folded = pair(s, {folded, next});
      return folded;
    });
  }
  if (isMean)
    result = e.unary(result, [&](Scalars &s, Value v) {
      return s.div(v, s.number(v.getType(), all.size()));
    });
  return n.setRounded(0, result);
}

static LogicalResult max(Node &n) {
  Emitter &e = n.emit();
  if (mapLists(n, n.type(0),
               [&](ArrayRef<Expr> v) { return e.arena().max(v); }))
    return success();
  bool noSign = isUnsigned(n.type(0));
  return variadic(
      n,
      [=](Scalars &s, ArrayRef<Value> v) { return s.max(v[0], v[1], noSign); },
      false);
}

static LogicalResult min(Node &n) {
  Emitter &e = n.emit();
  if (mapLists(n, n.type(0),
               [&](ArrayRef<Expr> v) { return e.arena().min(v); }))
    return success();
  bool noSign = isUnsigned(n.type(0));
  return variadic(
      n,
      [=](Scalars &s, ArrayRef<Value> v) { return s.min(v[0], v[1], noSign); },
      false);
}

static LogicalResult sum(Node &n) {
  return variadic(
      n, [](Scalars &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); },
      false);
}

static LogicalResult mean(Node &n) {
  return variadic(
      n, [](Scalars &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); }, true);
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static LogicalResult unary(Node &n,
                           llvm::function_ref<Value(Scalars &, Value)> f) {
  return n.set(0, n.emit().unary(n.tensor(0), f));
}

/// The same of several steps: for halves in floats, rounded at the end.
static LogicalResult composed(Node &n,
                              llvm::function_ref<Value(Scalars &, Value)> f) {
  return n.setRounded(0, n.emit().unary(n.wideTensor(0), f));
}

/// A function of floats that is an op of the math dialect.
template <typename OpT>
static LogicalResult function(Node &n) {
  if (!isFloat(n.type(0)))
    return n.fail("expected floats, but got " + nameOf(n.type(0)));
  return unary(n, [](Scalars &s, Value x) { return s.create<OpT>(x); });
}

/// Of integers it is -1, 0 or 1, the result truncated, as the evaluator of ONNX
/// has it.
static LogicalResult erf(Node &n) {
  Emitter &e = n.emit();
  if (isFloat(n.type(0)))
    return function<math::ErfOp>(n);
  Tensor y =
      e.unary(e.cast(n.tensor(0), DataType::Double),
              [](Scalars &s, Value x) { return s.create<math::ErfOp>(x); });
  return n.set(0, e.cast(y, n.type(0)));
}

static LogicalResult abs(Node &n) {
  bool noSign = isUnsigned(n.type(0));
  ExprArena &arena = n.emit().arena();
  if (mapLists(n, n.type(0), [&](ArrayRef<Expr> v) {
        return noSign ? v[0] : arena.max(v[0], -v[0]);
      }))
    return success();
  return unary(n, [=](Scalars &s, Value x) {
    if (Scalars::isFloat(x))
      return s.create<math::AbsFOp>(x);
    return noSign ? x : s.create<math::AbsIOp>(x);
  });
}

static LogicalResult neg(Node &n) {
  if (mapLists(n, n.type(0), [](ArrayRef<Expr> v) { return -v[0]; }))
    return success();
  return unary(n, [](Scalars &s, Value x) { return s.neg(x); });
}

static LogicalResult reciprocal(Node &n) {
  return unary(n, [](Scalars &s, Value x) {
    return s.div(s.number(x.getType(), 1), x);
  });
}

static LogicalResult sign(Node &n) {
  bool noSign = isUnsigned(n.type(0));
  Emitter &e = n.emit();
  if (mapLists(n, n.type(0), [&](ArrayRef<Expr> v) {
        return e.arena().max(e.arena().min(v[0], e.constant(1)),
                             e.constant(-1));
      }))
    return success();
  return unary(n, [=](Scalars &s, Value x) {
    Value zero = s.number(x.getType(), 0), one = s.number(x.getType(), 1);
    Value positive = s.select(s.less(zero, x, noSign), one, x);
    if (noSign)
      return positive;
    return s.select(s.less(x, zero), s.number(x.getType(), -1), positive);
  });
}

static LogicalResult sigmoidOp(Node &n) {
  return composed(n, [](Scalars &s, Value x) { return s.sigmoid(x); });
}

static LogicalResult relu(Node &n) {
  bool noSign = isUnsigned(n.type(0));
  ExprArena &arena = n.emit().arena();
  if (mapLists(n, n.type(0),
               [&](ArrayRef<Expr> v) { return arena.max(v[0], arena.zero()); }))
    return success();
  return unary(n, [=](Scalars &s, Value x) {
    return s.max(x, s.number(x.getType(), 0), noSign);
  });
}

static LogicalResult leakyRelu(Node &n) {
  double alpha = n.floatAttr("alpha", 0.01f);
  return composed(n, [=](Scalars &s, Value x) {
    Value zero = s.number(x.getType(), 0);
    Value scaled = s.mul(x, s.number(x.getType(), alpha));
    return s.select(s.less(x, zero), scaled, x);
  });
}

static LogicalResult thresholdedRelu(Node &n) {
  double alpha = n.floatAttr("alpha", 1);
  return composed(n, [=](Scalars &s, Value x) {
    return s.select(s.less(s.number(x.getType(), alpha), x), x,
                    s.number(x.getType(), 0));
  });
}

/// scale * x where x > 0, else scale * alpha * (exp(x / width) - 1).
static LogicalResult exponential(Node &n, double alpha, double scale,
                                 double width) {
  return composed(n, [=](Scalars &s, Value x) {
    Type type = x.getType();
    Value inner = width == 1 ? x : s.div(x, s.number(type, width));
    Value curve = s.create<math::ExpM1Op>(inner);
    Value low = s.mul(curve, s.number(type, alpha));
    Value result = s.select(s.less(s.number(type, 0), x), x, low);
    return scale == 1 ? result : s.mul(result, s.number(type, scale));
  });
}

static LogicalResult elu(Node &n) {
  return exponential(n, n.floatAttr("alpha", 1), 1, 1);
}
static LogicalResult celu(Node &n) {
  double alpha = n.floatAttr("alpha", 1);
  return exponential(n, alpha, 1, alpha);
}
static LogicalResult selu(Node &n) {
  return exponential(n, n.floatAttr("alpha", 1.67326319217681884765625),
                     n.floatAttr("gamma", 1.05070102214813232421875), 1);
}

static Value clampToUnit(Scalars &s, Value x) {
  return s.max(s.min(x, s.number(x.getType(), 1)), s.number(x.getType(), 0));
}

static LogicalResult hardSigmoid(Node &n) {
  double alpha = n.floatAttr("alpha", 0.2f), beta = n.floatAttr("beta", 0.5f);
  return composed(n, [=](Scalars &s, Value x) {
    Value line = s.add(s.mul(x, s.number(x.getType(), alpha)),
                       s.number(x.getType(), beta));
    return clampToUnit(s, line);
  });
}

static LogicalResult hardSwish(Node &n) {
  return composed(n, [](Scalars &s, Value x) {
    Value line = s.add(s.mul(x, s.number(x.getType(), 1.0 / 6)),
                       s.number(x.getType(), 0.5));
    return s.mul(x, clampToUnit(s, line));
  });
}

static LogicalResult swish(Node &n) {
  double alpha = n.floatAttr("alpha", 1);
  return composed(n, [=](Scalars &s, Value x) {
    return s.mul(x, s.sigmoid(s.mul(x, s.number(x.getType(), alpha))));
  });
}

/// Swish of the first operand, the gate, times the second. Nothing broadcasts.
static LogicalResult swiGlu(Node &n) {
  Emitter &e = n.emit();
  if (n.type(0) != n.type(1))
    return n.fail("expected operands of one type, but got " +
                  nameOf(n.type(0)) + " and " + nameOf(n.type(1)));
  Tensor gate = n.wideTensor(0), factor = n.wideTensor(1);
  if (gate.rank() != factor.rank())
    return n.fail("expected operands of one rank, but got " +
                  Twine(gate.rank()) + " and " + Twine(factor.rank()));
  for (auto [a, b] : llvm::zip_equal(gate.dims, factor.dims))
    e.require(Relation::eq(a, b), "both operands must have one shape");
  double alpha = n.floatAttr("alpha", 1);
  auto body = [=](Scalars &s, ArrayRef<Value> v) {
    Value scaled = s.mul(v[0], s.number(v[0].getType(), alpha));
    return s.mul(s.mul(v[0], s.sigmoid(scaled)), v[1]);
  };
  return n.setRounded(0, e.map({gate, factor}, gate.type, body));
}

static LogicalResult softplusOp(Node &n) {
  return composed(n, [](Scalars &s, Value x) { return s.softplus(x); });
}

static LogicalResult softsign(Node &n) {
  return composed(n, [](Scalars &s, Value x) {
    return s.div(x, s.add(s.number(x.getType(), 1), s.create<math::AbsFOp>(x)));
  });
}

static LogicalResult mish(Node &n) {
  return composed(n, [](Scalars &s, Value x) {
    return s.mul(x, s.create<math::TanhOp>(s.softplus(x)));
  });
}

static LogicalResult shrink(Node &n) {
  double bias = n.floatAttr("bias", 0), bound = n.floatAttr("lambd", 0.5);
  DataType type = n.type(0);
  return unary(n, [=](Scalars &s, Value x) {
    // A bias is a float, and floats do not hold all integers of 32 bits.
    DataType wide = isFloat(type) ? wideType(type) : DataType::Double;
    Value v = s.cast(x, type, wide);
    Type t = v.getType();
    Value low = s.add(v, s.number(t, bias)), high = s.sub(v, s.number(t, bias));
    Value result =
        s.select(s.less(s.number(t, bound), v), high, s.number(t, 0));
    result = s.select(s.less(v, s.number(t, -bound)), low, result);
    return s.cast(result, wide, type);
  });
}

static LogicalResult prelu(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), slope = n.tensor(1);
  if (x.type != slope.type)
    return n.fail("expected operands of one type, but got " + nameOf(x.type) +
                  " and " + nameOf(slope.type));
  // Before opset 7 one of rank 1 has a number for each channel.
  if (n.opset() < 7 && slope.rank() == 1 && x.rank() > 2) {
    SmallVector<int64_t> behind;
    for (int64_t axis = 1; axis + 1 < x.rank(); ++axis)
      behind.push_back(axis);
    slope = e.unsqueeze(slope, behind);
  }
  e.requireBroadcast(slope, x.dims, "the slope must broadcast to the input");
  bool noSign = isUnsigned(x.type);
  Tensor y = e.map({x, slope}, x.type, [=](Scalars &s, ArrayRef<Value> v) {
    return s.select(s.less(v[0], s.number(v[0].getType(), 0), noSign),
                    s.mul(v[0], v[1]), v[0]);
  });
  return n.set(0, e.wrap(y.value, x.dims, x.type));
}

/// Sizes between bounds, each of which is one number or left out.
static bool clipLists(Node &n) {
  ExprArena &arena = n.emit().arena();
  auto x = isInteger(n.type(0)) ? readSizes(n, 0) : std::nullopt;
  bool isOfSizes = false;
  for (size_t i = 0; x && i < 3; ++i) {
    auto bound = n.has(i) ? readSizes(n, i) : x;
    if (!bound || (i > 0 && n.has(i) && bound->numbers.size() != 1) ||
        (n.has(i) && n.type(i) != n.type(0)))
      return false;
    isOfSizes |= !n.operand(i).list.empty();
    for (Number &number : x->numbers)
      if (i > 0 && n.has(i)) {
        Expr end = bound->numbers.front().value;
        number.value = i == 1 ? arena.max(number.value, end)
                              : arena.min(number.value, end);
        number.isGiven &= bound->numbers.front().isGiven;
      }
  }
  return x && isOfSizes && succeeded(setSizes(n, 0, *x, n.type(0)));
}

static LogicalResult clip(Node &n) {
  if (clipLists(n))
    return success();
  Tensor x = n.tensor(0);
  bool noSign = isUnsigned(x.type);
  for (size_t i : {1, 2}) {
    if (!n.has(i))
      continue;
    Tensor bound = n.tensor(i);
    if (bound.type != x.type && n.opset() >= 11)
      return n.fail("expected bounds of the type of the input");
    for (Expr dim : bound.dims)
      n.emit().require(Relation::eq(dim, n.emit().constant(1)),
                       "a bound must be one number");
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(bound.rank()));
    bound = n.emit().squeeze(bound, axes); // one number
    DataType type = bound.type;
    x = n.emit().map({x, bound}, x.type, [&](Scalars &s, ArrayRef<Value> v) {
      Value end = s.cast(v[1], type, x.type);
      Value cut = i == 1 ? s.max(v[0], end, noSign) : s.min(v[0], end, noSign);
      // A NaN is no bound.
      return Scalars::isFloat(end) ? s.select(s.isNaN(end), v[0], cut) : cut;
    });
  }
  return n.set(0, x);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LogicalResult identity(Node &n) { return n.set(0, n.operand(0)); }

static LogicalResult castTo(Node &n, DataType type) {
  Type element = elementType(n.emit().context(), type);
  if (!element || !elementType(n.emit().context(), n.type(0)))
    return n.fail("expected types that symshape has, but got " +
                  nameOf(n.type(0)) + " to " + nameOf(type));
  if (castExactFloats(n, type))
    return success();
  bool isWide = type == DataType::Int64 || type == DataType::Int32;
  if (isWide && isInteger(n.type(0)) &&
      mapLists(n, type, [](ArrayRef<Expr> v) { return v[0]; }))
    return success();
  Emitter &e = n.emit();
  // 1 unless it is 0; a bool stays itself.
  bool fromBool = n.type(0) == DataType::Bool;
  if (type == DataType::Bool && (fromBool || isInteger(n.type(0))) &&
      mapLists(n, type, [&](ArrayRef<Expr> v) {
        if (fromBool)
          return v[0];
        return e.isNonNegative(v[0]) ? e.arena().min(v[0], e.constant(1))
                                     : Expr();
      }))
    return success();
  if (isWide && fromBool &&
      mapLists(n, type, [](ArrayRef<Expr> v) { return v[0]; }))
    return success();
  return n.set(0, e.cast(n.tensor(0), type));
}

static LogicalResult castOp(Node &n) {
  return castTo(n, static_cast<DataType>(n.intAttr("to", 0)));
}

static LogicalResult castLike(Node &n) {
  DataType type = n.type(1);
  return castTo(n, type);
}

/// Without training there is nothing to drop.
static LogicalResult dropout(Node &n) {
  if (n.opset() < 7 && !n.intAttr("is_test", 0) &&
      n.floatAttr("ratio", 0.5) != 0)
    return n.fail("expected is_test, or a ratio of 0");
  for (size_t i : {1, 2})
    if (n.has(i) && !n.oneElement(i))
      return failure();
  if (n.has(2)) {
    auto training = n.neededInts(2);
    if (!training)
      return failure();
    bool trains = !training->empty() && training->front() != 0;
    std::optional<SmallVector<double, 4>> ratio;
    if (trains && n.has(1))
      ratio = n.neededNumbers(1);
    if (trains && (!ratio || ratio->size() != 1 || ratio->front() != 0))
      return n.fail("expected no training mode, or a ratio of 0");
  }
  if (failed(n.set(0, n.operand(0))) || !n.wants(1))
    return success();
  // The mask was a tensor of the same type.
  DataType mask = n.opset() < 10 ? n.type(0) : DataType::Bool;
  return n.set(1, n.emit().fill(n.tensor(0).dims, mask, 1));
}

void mlir::symshape::onnx::addElementwiseOps(Registry &registry) {
  registry.add("Add", 2, add);
  registry.add("Sub", 2, sub);
  registry.add("Mul", 2, mul);
  registry.add("Div", 2, div);
  registry.add("Mod", 2, mod);
  registry.add("Pow", 2, pow);
  registry.add("Max", 1, max);
  registry.add("Min", 1, min);
  registry.add("Sum", 1, sum);
  registry.add("Mean", 1, mean);
  registry.add("Abs", 1, abs);
  registry.add("Neg", 1, neg);
  registry.add("Sign", 1, sign);
  registry.add("Reciprocal", 1, reciprocal);
  registry.add("Ceil", 1, function<math::CeilOp>);
  registry.add("Floor", 1, function<math::FloorOp>);
  registry.add("Round", 1, function<math::RoundEvenOp>);
  registry.add("Sqrt", 1, function<math::SqrtOp>);
  registry.add("Exp", 1, function<math::ExpOp>);
  registry.add("Log", 1, function<math::LogOp>);
  registry.add("Sin", 1, function<math::SinOp>);
  registry.add("Cos", 1, function<math::CosOp>);
  registry.add("Tan", 1, function<math::TanOp>);
  registry.add("Asin", 1, function<math::AsinOp>);
  registry.add("Acos", 1, function<math::AcosOp>);
  registry.add("Atan", 1, function<math::AtanOp>);
  registry.add("Sinh", 1, function<math::SinhOp>);
  registry.add("Cosh", 1, function<math::CoshOp>);
  registry.add("Tanh", 1, function<math::TanhOp>);
  registry.add("Asinh", 1, function<math::AsinhOp>);
  registry.add("Acosh", 1, function<math::AcoshOp>);
  registry.add("Atanh", 1, function<math::AtanhOp>);
  registry.add("Erf", 1, erf);
  registry.add("Sigmoid", 1, sigmoidOp);
  registry.add("Relu", 1, relu);
  registry.add("LeakyRelu", 1, leakyRelu);
  registry.add("ThresholdedRelu", 1, thresholdedRelu);
  registry.add("Elu", 1, elu);
  registry.add("Celu", 1, celu);
  registry.add("Selu", 1, selu);
  registry.add("HardSigmoid", 1, hardSigmoid);
  registry.add("HardSwish", 1, hardSwish);
  registry.add("Swish", 1, swish);
  registry.add("SwiGLU", 2, swiGlu);
  registry.add("Softplus", 1, softplusOp);
  registry.add("Softsign", 1, softsign);
  registry.add("Mish", 1, mish);
  registry.add("Shrink", 1, shrink);
  registry.add("PRelu", 2, prelu);
  registry.add("Clip", 1, clip);
  registry.add("Identity", 1, identity);
  registry.add("Cast", 1, castOp);
  registry.add("CastLike", 2, castLike);
  registry.add("Dropout", 1, dropout);
}
