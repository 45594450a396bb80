//===- Sizes.cpp - Integers that shapes are made of -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, differences and products commute with wrapping, so they are formed of
// indices that did not wrap. Whatever else looks at a size requires that it
// fits its type. Bounds of values turn StableHLO's division, which rounds to 0,
// and JAX's floor division on top of it into one floordiv.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

namespace {
using Wide = __int128;
constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();
} // namespace

static int64_t saturate(Wide value) {
  return static_cast<int64_t>(
      std::clamp<Wide>(value, Wide(lowest), Wide(highest)));
}

static Size within(OpFoldResult value, Wide least, Wide most) {
  if (auto constant = getConstantIntValue(value))
    least = most = *constant;
  return Size{value, saturate(least), saturate(most), {}};
}

Size SizeMath::constant(int64_t value) {
  return Size{b.getIndexAttr(value), value, value, {}};
}

Size SizeMath::truth(bool value) {
  return Size{b.getBoolAttr(value), value, value, {}};
}

Size SizeMath::extent(OpFoldResult value) {
  return within(value, 0, (Wide(1) << 48) - 1);
}

Size SizeMath::any(Value index) {
  if (auto constant = getConstantIntValue(index))
    return this->constant(*constant);
  return Size{index, lowest, highest, {}};
}

Value SizeMath::index(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

OpFoldResult SizeMath::expression(StringRef text, OpFoldResult x,
                                  OpFoldResult y) {
  NamedValue values[] = {{"p", x}, {"q", y}};
  Value result = b.createOrFold<SizeOp>(loc, text, values);
  if (auto constant = getConstantIntValue(result))
    return b.getIndexAttr(*constant);
  return result;
}

Size SizeMath::refine(Size size) {
  auto value = dyn_cast<Value>(size.value);
  auto known = value ? bounds.find(value) : bounds.end();
  if (known == bounds.end())
    return size;
  size.least = std::max(size.least, known->second.first);
  size.most = std::min(size.most, known->second.second);
  return size;
}

void SizeMath::assume(const Size &condition) {
  auto bound = [&](OpFoldResult of, int64_t least, int64_t most) {
    auto value = dyn_cast<Value>(of);
    if (!value)
      return;
    auto &[low, high] =
        bounds.try_emplace(value, lowest, highest).first->second;
    low = std::max(low, least);
    high = std::min(high, most);
  };
  for (const Comparison &c : condition.comparisons) {
    auto left = getConstantIntValue(c.left),
         right = getConstantIntValue(c.right);
    bool isEqual = c.relation == "==";
    if (right && (isEqual || c.relation == ">="))
      bound(c.left, *right, isEqual ? *right : highest);
    if (right && c.relation == "<=")
      bound(c.left, lowest, *right);
    if (left && c.relation == "<=")
      bound(c.right, *left, highest);
  }
}

Size SizeMath::exact(const Size &given, Type type) {
  Size size = refine(given);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width >= 64)
    return size;
  int64_t most = (int64_t(1) << (width - 1)) - 1;
  auto require = [&](StringRef relation) {
    AssertOp::create(b, loc, relation, {{"x", size.value}},
                     "a size must fit i" + Twine(width));
  };
  if (size.most > most)
    require("x <= " + std::to_string(most));
  if (size.least < -most - 1)
    require("x >= -" + std::to_string(most + 1));
  size.most = std::min(size.most, most);
  size.least = std::max(size.least, -most - 1);
  if (auto value = dyn_cast<Value>(size.value))
    bounds[value] = {size.least, size.most};
  return size;
}

Size SizeMath::add(const Size &x, const Size &y) {
  return within(expression("p + q", x.value, y.value), Wide(x.least) + y.least,
                Wide(x.most) + y.most);
}

Size SizeMath::subtract(const Size &x, const Size &y) {
  return within(expression("p - q", x.value, y.value), Wide(x.least) - y.most,
                Wide(x.most) - y.least);
}

Size SizeMath::multiply(const Size &x, const Size &y) {
  Wide corners[] = {Wide(x.least) * y.least, Wide(x.least) * y.most,
                    Wide(x.most) * y.least, Wide(x.most) * y.most};
  return within(expression("p * q", x.value, y.value),
                *std::min_element(corners, corners + 4),
                *std::max_element(corners, corners + 4));
}

/// StableHLO's, which rounds to 0, of a divisor that is known not to be 0.
std::optional<Size> SizeMath::divide(const Size &x, const Size &y) {
  if (y.least < 1)
    return std::nullopt;
  if (x.least >= 0)
    return within(expression("p floordiv q", x.value, y.value),
                  x.least / y.most, x.most / y.least);
  return within(expression("max(p, 0) floordiv q - (max(0 - p, 0) floordiv q)",
                           x.value, y.value),
                x.least / y.least, std::max<int64_t>(x.most, 0) / y.least);
}

std::optional<Size> SizeMath::remainder(const Size &x, const Size &y) {
  auto divisor = getConstantIntValue(y.value);
  if (!divisor || *divisor < 1)
    return std::nullopt;
  if (x.least >= 0)
    return within(expression("p mod q", x.value, y.value), 0,
                  std::min(x.most, *divisor - 1));
  return within(
      expression("max(p, 0) mod q - (max(0 - p, 0) mod q)", x.value, y.value),
      1 - *divisor, *divisor - 1);
}

Size SizeMath::extreme(const Size &x, const Size &y, bool isMost) {
  if (isMost ? x.least >= y.most : x.most <= y.least)
    return x;
  if (isMost ? y.least >= x.most : y.most <= x.least)
    return y;
  if (isMost)
    return within(expression("max(p, q)", x.value, y.value),
                  std::max(x.least, y.least), std::max(x.most, y.most));
  return within(expression("min(p, q)", x.value, y.value),
                std::min(x.least, y.least), std::min(x.most, y.most));
}

std::optional<Size> SizeMath::compare(const Size &x, const Size &y,
                                      StringRef direction, bool areTruths) {
  using arith::CmpIPredicate;
  bool below = x.most<y.least, above = x.least> y.most;
  bool same = x.least == x.most && y.least == y.most && x.least == y.least;
  bool notAbove = x.most <= y.least, notBelow = x.least >= y.most;
  // What bounds say: it holds, it does not.
  auto [yes, no, relation, predicate] =
      llvm::StringSwitch<std::tuple<bool, bool, const char *, CmpIPredicate>>(
          direction)
          .Case("EQ", {same, below || above, "==", CmpIPredicate::eq})
          .Case("NE", {below || above, same, "!=", CmpIPredicate::ne})
          .Case("LT", {below, notBelow, "<", CmpIPredicate::slt})
          .Case("LE", {notAbove, above, "<=", CmpIPredicate::sle})
          .Case("GT", {above, notAbove, ">", CmpIPredicate::sgt})
          .Case("GE", {notBelow, below, ">=", CmpIPredicate::sge})
          .Default({false, false, nullptr, CmpIPredicate::eq});
  if (!relation)
    return std::nullopt;
  if (yes || no)
    return truth(yes);
  if (areTruths)
    return std::nullopt;
  Value holds =
      arith::CmpIOp::create(b, loc, predicate, index(x.value), index(y.value));
  return Size{holds, 0, 1, {Comparison{relation, x.value, y.value}}};
}

std::optional<Size> SizeMath::combine(const Size &x, const Size &y,
                                      bool isAnd) {
  // A constant operand decides, or says nothing.
  for (auto [one, other] : {std::pair(&x, &y), std::pair(&y, &x)})
    if (one->least == one->most)
      return (one->least != 0) == isAnd ? *other : *one;
  Value left = cast<Value>(x.value), right = cast<Value>(y.value);
  if (!isAnd)
    return Size{
        arith::OrIOp::create(b, loc, left, right).getResult(), 0, 1, {}};
  Size both{arith::AndIOp::create(b, loc, left, right).getResult(), 0, 1, {}};
  if (!x.comparisons.empty() && !y.comparisons.empty()) {
    both.comparisons = x.comparisons;
    both.comparisons.append(y.comparisons);
  }
  return both;
}

std::optional<Size> SizeMath::select(const Size &condition, const Size &x,
                                     const Size &y) {
  if (condition.least == condition.most)
    return condition.least ? x : y;
  Value chosen = arith::SelectOp::create(b, loc, cast<Value>(condition.value),
                                         index(x.value), index(y.value));
  return within(chosen, std::min(x.least, y.least), std::max(x.most, y.most));
}

/// Of integers, beyond what wraps as its operands do.
std::optional<Size> SizeMath::arithmetic(StringRef name,
                                         ArrayRef<Size> operands, Type type) {
  SmallVector<Size, 3> x;
  for (const Size &operand : operands)
    x.push_back(exact(operand, type));
  if (x.size() == 2) {
    if (name == "divide")
      return divide(x[0], x[1]);
    if (name == "remainder")
      return remainder(x[0], x[1]);
    if (name == "maximum" || name == "minimum")
      return extreme(x[0], x[1], name == "maximum");
  }
  if (x.size() == 1 && name == "sign")
    return extreme(extreme(x[0], constant(1), false), constant(-1), true);
  if (x.size() == 1 && name == "abs" && x[0].least >= 0)
    return x[0];
  if (x.size() == 3 && name == "clamp")
    return extreme(extreme(x[1], x[0], true), x[2], false);
  return std::nullopt;
}

/// Sums, differences and products of constants wrap at once.
static std::optional<int64_t> fold(StringRef name, ArrayRef<Size> x,
                                   Type type) {
  if (x.empty() || x.size() > 2 || type.isInteger(1) ||
      llvm::any_of(x, [](const Size &s) { return s.least != s.most; }))
    return std::nullopt;
  unsigned width = type.getIntOrFloatBitWidth();
  APInt left = APInt(64, x.front().least).trunc(width);
  APInt right = APInt(64, x.back().least).trunc(width);
  if (x.size() == 1)
    return name == "negate" ? std::optional((-left).getSExtValue())
                            : std::nullopt;
  if (name == "add")
    return (left + right).getSExtValue();
  if (name == "subtract")
    return (left - right).getSExtValue();
  if (name == "multiply")
    return (left * right).getSExtValue();
  return std::nullopt;
}

std::optional<Size> SizeMath::compute(StringRef name, ArrayRef<Size> operands,
                                      StringRef direction, Type type,
                                      Type resultType) {
  SmallVector<Size, 3> x;
  for (const Size &operand : operands)
    x.push_back(refine(operand));
  bool areTruths = type.isInteger(1);
  if (auto folded = fold(name, x, type))
    return constant(*folded);
  if (x.size() == 2) {
    if (name == "compare")
      return areTruths ? compare(x[0], x[1], direction, true)
                       : compare(exact(x[0], type), exact(x[1], type),
                                 direction, false);
    if (areTruths)
      return name == "and" || name == "or" ? combine(x[0], x[1], name == "and")
                                           : std::nullopt;
    if (name == "add")
      return add(x[0], x[1]);
    if (name == "subtract")
      return subtract(x[0], x[1]);
    if (name == "multiply")
      return multiply(x[0], x[1]);
  }
  if (name == "select" && x.size() == 3 && areTruths &&
      resultType.isInteger() && !resultType.isInteger(1))
    return select(x[0], x[1], x[2]);
  if (areTruths)
    return std::nullopt;
  if (name == "negate" && x.size() == 1)
    return subtract(constant(0), x[0]);
  if (name == "convert" && x.size() == 1) {
    if (!resultType.isSignlessInteger() || resultType.isInteger(1))
      return std::nullopt;
    unsigned width = resultType.getIntOrFloatBitWidth();
    bool wider = width > type.getIntOrFloatBitWidth();
    if (x[0].least == x[0].most)
      return constant(APInt(64, x[0].least).trunc(width).getSExtValue());
    return wider ? exact(x[0], type) : x[0];
  }
  return arithmetic(name, operands, type);
}
