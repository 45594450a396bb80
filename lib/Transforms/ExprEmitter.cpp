//===- ExprEmitter.cpp - Expressions as arith ops -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/ExprEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape;
using llvm::DynamicAPInt;

/// Bits of the widest integers that are computed with; LLVM takes too long for
/// products of wider ones.
static constexpr unsigned maxWidth = 2048;
static DynamicAPInt absOf(const DynamicAPInt &v) { return v < 0 ? -v : v; }

/// |sum of c*m| <= sum of |c|*|m|, and the same bounds every partial sum and
/// product. A quotient is no larger than its dividend, or -1. min, max and bc
/// are one of their operands.
DynamicAPInt ExprEmitter::magnitude(Expr e) {
  auto it = magnitudes.find(e);
  if (it != magnitudes.end())
    return it->second;
  DynamicAPInt total(1), largest(1);
  for (const Expr::Term &term : e.terms()) {
    DynamicAPInt product = absOf(term.coefficient);
    for (auto [atom, power] : term.powers) {
      DynamicAPInt factor(1);
      if (atom.kind() == AtomKind::Symbol) {
        Range range = rangeOf(atom.asExpr());
        DynamicAPInt unbounded = DynamicAPInt(INT64_MAX) + 1;
        factor = std::max(range.min ? absOf(*range.min) : unbounded,
                          range.max ? absOf(*range.max) : unbounded);
      } else if (atom.kind() == AtomKind::Named && atom.namedIsProduct()) {
        for (Expr operand : atom.operands())
          factor *= magnitude(operand);
      } else if (atom.kind() == AtomKind::Named) {
        for (Expr operand : atom.operands())
          factor += magnitude(operand);
      } else {
        for (Expr operand : atom.operands())
          factor = std::max(factor, magnitude(operand));
        // The divisor times the quotient, in the correction of a division.
        largest = std::max(largest, factor * 2);
      }
      if (factor < 1)
        factor = DynamicAPInt(1);
      for (unsigned rest = power; rest; rest /= 2, factor *= factor)
        if (rest % 2)
          product *= factor;
    }
    total += product;
  }
  DynamicAPInt result = std::max(total, largest);
  magnitudes[e] = result;
  return result;
}

unsigned ExprEmitter::widthFor(ArrayRef<Expr> exprs) {
  DynamicAPInt bound(1);
  for (Expr e : exprs)
    bound = std::max(bound, magnitude(e));
  // In words: at least `low`, and `high` are enough.
  auto isEnough = [&](unsigned words) {
    return fitsBits(bound + 1, 64 * words - 1);
  };
  unsigned low = 1, high = 1;
  for (; !isEnough(high); high *= 2)
    low = high + 1;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (isEnough(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return 64 * low;
}

/// Symbols and constants have 64 bits, whatever is known of them, and comparing
/// computes nothing.
unsigned ExprEmitter::widthToCompare(const Relation &r) {
  SmallVector<Expr, 2> computed;
  for (Expr e : {r.lhs, r.rhs})
    if (!e.asSymbol() && !e.asInt64())
      computed.push_back(e);
  return widthFor(computed);
}

static llvm::APInt toAPInt(const DynamicAPInt &value, unsigned width) {
  llvm::APInt result(width, llvm::to_string(absOf(value)), 10);
  return value < 0 ? -result : result;
}

Value ExprEmitter::constant(const DynamicAPInt &value, unsigned width) {
  Type type = builder.getIntegerType(width);
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, toAPInt(value, width)));
}

/// A sum of products of what is not negative, or of even powers of anything.
bool ExprEmitter::isNonNegative(Expr e) {
  auto [it, isNew] = signs.try_emplace(e, false);
  if (!isNew)
    return it->second;
  auto isNegativeAtom = [&](Atom atom) {
    if (atom.kind() != AtomKind::Symbol)
      return !llvm::all_of(atom.operands(), [&](Expr operand) {
        return isNonNegative(operand);
      });
    Range range = rangeOf(atom.asExpr());
    return !range.isAtLeast(0);
  };
  for (const Expr::Term &term : e.terms())
    if (term.coefficient < 0 || llvm::any_of(
                                    term.powers,
                                    [&](auto factor) {
                                      return factor.second % 2 &&
                                             isNegativeAtom(factor.first);
                                    }))
      return false;
  return signs[e] = true;
}

Value ExprEmitter::safeDivisor(Expr divisor, Value value, unsigned width) {
  if (divisor.isConstant() && !divisor.isConstant(0))
    return value;
  Value zero = constant(DynamicAPInt(0), width),
        one = constant(DynamicAPInt(1), width);
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       value, zero);
  return arith::SelectOp::create(builder, loc, isZero, one, value);
}

/// Rounds to minus infinity: one less than the truncating quotient if the
/// remainder is not zero and its sign is not that of the divisor.
Value ExprEmitter::emitFloorDiv(Expr a, Expr b, unsigned width) {
  Value x = emit(a, width), y = emit(b, width);
  if (!x || !y)
    return Value();
  y = safeDivisor(b, y, width);
  Value quotient = arith::DivSIOp::create(builder, loc, x, y);
  if (isNonNegative(a) && isNonNegative(b))
    return quotient;
  Value zero = constant(DynamicAPInt(0), width),
        one = constant(DynamicAPInt(1), width);
  Value rest = arith::SubIOp::create(
      builder, loc, x, arith::MulIOp::create(builder, loc, quotient, y));
  auto less = arith::CmpIPredicate::slt;
  Value signs = arith::XOrIOp::create(
      builder, loc, arith::CmpIOp::create(builder, loc, less, rest, zero),
      arith::CmpIOp::create(builder, loc, less, y, zero));
  Value inexact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
  Value lower = arith::AndIOp::create(builder, loc, signs, inexact);
  return arith::SelectOp::create(
      builder, loc, lower, arith::SubIOp::create(builder, loc, quotient, one),
      quotient);
}

void ExprEmitter::forgetOtherBlocks() {
  if (builder.getInsertionBlock() == block)
    return;
  computed.clear();
  block = builder.getInsertionBlock();
}

Value ExprEmitter::emitAtom(Atom atom, unsigned width) {
  forgetOtherBlocks();
  std::pair<Expr, unsigned> key(atom.asExpr(), width);
  if (Value known = computed.lookup(key))
    return known;
  Value value = computeAtom(atom, width);
  if (value)
    computed[key] = value;
  return value;
}

Value ExprEmitter::computeAtom(Atom atom, unsigned width) {
  if (atom.kind() == AtomKind::Symbol) {
    Value value = valueOf(atom.asExpr());
    if (!value)
      return Value();
    if (value.getType().isIndex())
      value =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    Type wide = builder.getIntegerType(width);
    if (value.getType().isInteger(1)) // true is 1
      value = arith::ExtUIOp::create(builder, loc, wide, value);
    else if (value.getType().getIntOrFloatBitWidth() < width)
      value = arith::ExtSIOp::create(builder, loc, wide, value);
    return value;
  }
  if (atom.kind() == AtomKind::FloorDiv)
    return emitFloorDiv(atom.operands()[0], atom.operands()[1], width);
  SmallVector<Value> operands;
  for (Expr operand : atom.operands()) {
    operands.push_back(emit(operand, width));
    if (!operands.back())
      return Value();
  }
  if (atom.kind() == AtomKind::Bc) {
    Value one = constant(DynamicAPInt(1), width), first = operands.back();
    for (Value operand : llvm::reverse(ArrayRef(operands).drop_back())) {
      Value isOne = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, operand, one);
      first = arith::SelectOp::create(builder, loc, isOne, first, operand);
    }
    return first;
  }
  Value result = operands.front();
  for (Value operand : ArrayRef<Value>(operands).drop_front()) {
    if (atom.kind() == AtomKind::Min)
      result = arith::MinSIOp::create(builder, loc, result, operand);
    else if (atom.kind() == AtomKind::Max)
      result = arith::MaxSIOp::create(builder, loc, result, operand);
    else if (atom.namedIsProduct())
      result = arith::MulIOp::create(builder, loc, result, operand);
    else
      result = arith::AddIOp::create(builder, loc, result, operand);
  }
  return result;
}

Value ExprEmitter::emit(Expr e, unsigned width) {
  forgetOtherBlocks();
  if (Value known = computed.lookup({e, width}))
    return known;
  Value sum;
  for (const Expr::Term &term : e.terms()) {
    Value product;
    for (auto [atom, power] : term.powers) {
      Value factor = emitAtom(atom, width);
      if (!factor)
        return Value();
      for (unsigned i = 0; i < power; ++i)
        product = product ? arith::MulIOp::create(builder, loc, product, factor)
                                .getResult()
                          : factor;
    }
    if (!product)
      product = constant(term.coefficient, width);
    else if (term.coefficient != 1)
      product = arith::MulIOp::create(builder, loc, product,
                                      constant(term.coefficient, width));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult()
              : product;
  }
  if (!sum)
    sum = constant(DynamicAPInt(0), width);
  computed[{e, width}] = sum;
  return sum;
}

/// Sums and products of symbols that are not negative.
bool ExprEmitter::isPolynomial(Expr e) {
  auto isPart = [&](auto factor) {
    Atom atom = factor.first;
    return atom.kind() == AtomKind::Symbol ||
           (atom.kind() == AtomKind::Named &&
            llvm::all_of(atom.operands(),
                         [&](Expr operand) { return isPolynomial(operand); }));
  };
  return isNonNegative(e) &&
         llvm::all_of(e.terms(), [&](const Expr::Term &term) {
           return llvm::all_of(term.powers, isPart);
         });
}

unsigned ExprEmitter::widthClamped(const DynamicAPInt &limit) {
  unsigned width = 64; // that of symbols
  // The square of 2^31 has 63 bits, and a sign.
  while (!fitsBits(limit - 1, (width - 2) / 2))
    width += 64;
  return width;
}

// A value v stands for an integer x >= v >= 0 up to the limit C >= 1 if v = x
// or v >= C. For integers x, y >= 0, what stands for them may be multiplied: if
// v < x, then v >= C, and v*w is 0 with x*y for w = 0, else at least C. The
// same holds for sums, and min(v, C) stands for x. So a step that would not fit
// takes smaller values. One side of a relation is at most C - 1, so it is
// exact, and compares with what stands for the other as with that itself.
Value ExprEmitter::emitClamped(Expr e, const DynamicAPInt &limit) {
  unsigned width = widthClamped(limit);
  struct Bounded {
    Value value;
    DynamicAPInt most;
  };
  Value highest;
  llvm::DenseMap<Expr, Bounded> known;
  auto clamp = [&](Bounded &a) {
    if (a.most <= limit)
      return;
    if (!highest)
      highest = constant(limit, width);
    a = {arith::MinSIOp::create(builder, loc, a.value, highest), limit};
  };
  auto combine = [&](Bounded a, Bounded b, bool isProduct) -> Bounded {
    if (!a.value || !b.value)
      return a.value ? a : b;
    auto most = [&] { return isProduct ? a.most * b.most : a.most + b.most; };
    if (!fitsBits(most() + 1, width - 1)) {
      clamp(a);
      clamp(b);
    }
    Value value;
    if (isProduct)
      value = arith::MulIOp::create(builder, loc, a.value, b.value);
    else
      value = arith::AddIOp::create(builder, loc, a.value, b.value);
    return {value, most()};
  };
  bool isMissing = false;
  std::function<Bounded(Expr)> compute = [&](Expr e) -> Bounded {
    if (auto it = known.find(e); it != known.end())
      return it->second;
    Bounded sum;
    for (const Expr::Term &term : e.terms()) {
      Bounded product;
      if (term.coefficient != 1 || term.powers.empty()) {
        DynamicAPInt factor = std::min(term.coefficient, limit);
        product = {constant(factor, width), factor};
      }
      for (auto [atom, power] : term.powers) {
        Bounded square;
        if (atom.kind() == AtomKind::Symbol)
          square = {emitAtom(atom, width), magnitude(atom.asExpr())};
        for (Expr operand : atom.operands())
          square = combine(square, compute(operand), atom.namedIsProduct());
        if (!square.value) {
          isMissing = true;
          return {};
        }
        for (unsigned rest = power; rest; rest /= 2) {
          if (rest % 2)
            product = combine(product, square, /*isProduct=*/true);
          if (rest > 1)
            square = combine(square, square, /*isProduct=*/true);
        }
      }
      sum = combine(sum, product, /*isProduct=*/false);
    }
    if (!sum.value && !isMissing)
      sum = {constant(DynamicAPInt(0), width), DynamicAPInt(0)};
    return known[e] = sum;
  };
  Value result = compute(e).value;
  return isMissing ? Value() : result;
}

Value ExprEmitter::emitIndex(Expr e) {
  unsigned width = widthFor(e);
  Value value = emit(e, width);
  if (!value)
    return Value();
  if (width > 64)
    value = arith::TruncIOp::create(builder, loc, builder.getI64Type(), value);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

SmallVector<Value, 1> ExprEmitter::emitWords(Expr e) {
  if (std::optional<int64_t> number = e.asInt64())
    return {arith::ConstantIndexOp::create(builder, loc, *number)};
  if (e.asSymbol())
    if (Value value = valueOf(e); value && value.getType().isIndex())
      return {value};
  // A symbol has 64 bits, whatever is known of it.
  unsigned width = e.asSymbol() ? 64 : widthFor(e);
  if (width > maxWidth)
    return SmallVector<Value, 1>(width / 64);
  Value value = emit(e, width);
  SmallVector<Value, 1> words;
  for (unsigned begin = 0; value && begin < width; begin += 64) {
    Value part = value;
    if (begin > 0)
      part = arith::ShRSIOp::create(builder, loc, value,
                                    constant(DynamicAPInt(begin), width));
    if (width > 64)
      part = arith::TruncIOp::create(builder, loc, builder.getI64Type(), part);
    words.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), part));
  }
  return words;
}

/// Moves what is subtracted to the other side, so that `x + 1 <= 50` compares x
/// with 49 and stays within the width of x.
static Relation balanced(const Relation &r) {
  ExprArena &arena = r.lhs.arena();
  Expr difference = r.rhs - r.lhs;
  Expr left = arena.zero(), right = arena.zero(), offset = arena.zero();
  for (const Expr::Term &term : difference.terms()) {
    if (term.powers.empty()) {
      offset = arena.constant(term.coefficient);
      continue;
    }
    Expr product = arena.fromTerm({absOf(term.coefficient), term.powers});
    (term.coefficient < 0 ? left : right) =
        (term.coefficient < 0 ? left : right) + product;
  }
  // A constant goes to the side that is otherwise empty, else to the side where
  // it is positive.
  bool toRight =
      right.isConstant(0) || (!left.isConstant(0) && *offset.asConstant() >= 0);
  if (toRight)
    right = right + offset;
  else
    left = left - offset;
  return {r.kind, left, right};
}

Value ExprEmitter::emitLiteral(const Relation &relation, bool negated,
                               bool whenUndecided) {
  auto undecided = [&]() -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getBoolAttr(whenUndecided));
  };
  if (relation.kind == Relation::Divides) {
    unsigned width = widthFor({relation.lhs, relation.rhs});
    if (width > maxWidth)
      return undecided();
    Value d = emit(relation.lhs, width), e = emit(relation.rhs, width);
    if (!d || !e)
      return Value();
    Value zero = constant(DynamicAPInt(0), width);
    Value rest = arith::RemSIOp::create(builder, loc, e,
                                        safeDivisor(relation.lhs, d, width));
    auto equal = negated ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
    Value holds = arith::CmpIOp::create(builder, loc, equal, rest, zero);
    if (relation.lhs.isConstant() && !relation.lhs.isConstant(0))
      return holds;
    Value isZero =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, d, zero);
    Value whenZero = arith::CmpIOp::create(builder, loc, equal, e, zero);
    return arith::SelectOp::create(builder, loc, isZero, whenZero, holds);
  }
  Relation r = balanced(relation);
  unsigned width = widthToCompare(r);
  Value lhs, rhs;
  DynamicAPInt limit(0);
  if (width > 64 && isPolynomial(r.lhs) && isPolynomial(r.rhs))
    limit = std::min(magnitude(r.lhs), magnitude(r.rhs)) + 1;
  // Clamping takes a minimum at each step, and pays where it saves words.
  if (limit > 0 && (width > maxWidth || widthClamped(limit) < width)) {
    lhs = emitClamped(r.lhs, limit);
    rhs = emitClamped(r.rhs, limit);
  } else if (width > maxWidth) {
    return undecided();
  } else {
    lhs = emit(r.lhs, width);
    rhs = emit(r.rhs, width);
  }
  if (!lhs || !rhs)
    return Value();
  auto predicate = r.kind == Relation::Eq   ? arith::CmpIPredicate::eq
                   : r.kind == Relation::Ne ? arith::CmpIPredicate::ne
                                            : arith::CmpIPredicate::sle;
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value ExprEmitter::emitCondition(const Formula &f, bool whenUndecided) {
  switch (f.kind) {
  case Formula::True:
  case Formula::False:
    return arith::ConstantOp::create(builder, loc,
                                     builder.getBoolAttr(f.isTrue()));
  case Formula::Literal:
    return emitLiteral(f.relation, f.negated, whenUndecided);
  case Formula::Opaque:
    return Value();
  case Formula::And:
  case Formula::Or: {
    Value result;
    for (const Formula &part : f.parts) {
      Value value = emitCondition(part, whenUndecided);
      if (!value)
        return Value();
      if (!result)
        result = value;
      else if (f.kind == Formula::And)
        result = arith::AndIOp::create(builder, loc, result, value);
      else
        result = arith::OrIOp::create(builder, loc, result, value);
    }
    return result;
  }
  }
  return Value();
}

static bool divides(Expr e) {
  return llvm::any_of(e.terms(), [](const Expr::Term &term) {
    return llvm::any_of(term.powers, [](const auto &power) {
      return power.first.kind() == AtomKind::FloorDiv ||
             llvm::any_of(power.first.operands(), divides);
    });
  });
}

bool ExprEmitter::isCheap(const Formula &f) {
  if (!f.isLiteral())
    return llvm::all_of(f.parts,
                        [&](const Formula &part) { return isCheap(part); });
  if (f.relation.kind == Relation::Divides)
    return false;
  Relation r = balanced(f.relation);
  return !divides(r.lhs) && !divides(r.rhs) && widthToCompare(r) <= 64;
}
