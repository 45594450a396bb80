//===- Lists.cpp - Arithmetic on sizes ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lists.h"
#include "SizeMoves.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Whether a number is a sum of few products, and what these are made of too,
/// where it is no constant.
static bool hasSmallFactors(Expr number) {
  llvm::DynamicAPInt factors(0);
  for (const Expr::Term &term : number.terms()) {
    factors += llvm::abs(term.coefficient);
    for (const auto &[atom, power] : term.powers)
      if (!atom.asExpr().asSymbol() &&
          !llvm::all_of(atom.operands(), [](Expr operand) {
            return operand.isConstant() || hasSmallFactors(operand);
          }))
        return false;
  }
  return factors <= 1 << 14; // an extent is below 2^48
}

/// Whether a number is surely far from the ends of 64 bits: sums and products
/// of extents with small factors. A product of extents is that of a tensor, or
/// of an empty one, and is taken for what it is.
static bool isModest(Emitter &e, Expr number) {
  for (const Expr::Term &term : number.terms())
    for (const auto &[atom, power] : term.powers)
      if (!e.isNonNegative(atom.asExpr()))
        return false;
  return hasSmallFactors(number);
}

std::pair<int64_t, int64_t> mlir::symshape::onnx::rangeOf(DataType type) {
  if (type == DataType::Bool)
    return {0, 1};
  unsigned bits = 8 * bytesOf(type) - !isUnsigned(type);
  int64_t most = llvm::maxIntN(std::min(bits, 63u) + 1);
  return {isUnsigned(type) ? 0 : -most - 1, most};
}

void mlir::symshape::onnx::requireInRange(Node &n, ArrayRef<Expr> list,
                                          DataType type) {
  Emitter &e = n.emit();
  auto [least, most] = rangeOf(type);
  for (Expr number : list) {
    if (std::optional<int64_t> value = number.asInt64();
        value ? least <= *value && *value <= most
              : type == DataType::Bool ||
                    (type == DataType::Int64 && isModest(e, number)))
      continue;
    Relation below = Relation::le(number, e.constant(most)),
             above = Relation::ge(number, e.constant(least));
    if (number.isConstant())
      e.refuse("expected sizes that " + nameOf(type) + " holds, but got " +
               number.str());
    else
      for (const Relation &relation : {below, above})
        if (!e.isProvably(relation))
          e.require(relation,
                    "sizes of type " + nameOf(type) + " must not overflow");
  }
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// Lists are for sizes: longer ones are data.
static constexpr int64_t mostNumbers = 64;

/// A constant float as a quotient of integers; nullopt if it is none of small
/// ones.
static std::optional<Number> toQuotient(Emitter &e, double value) {
  constexpr int smallest = -40;
  constexpr double largest = 1LL << 53;
  if (!std::isfinite(value) || std::abs(value) > largest)
    return std::nullopt;
  int exponent = 0;
  while (value != std::floor(value) && exponent > smallest)
    value *= 2, --exponent;
  if (value != std::floor(value) || std::abs(value) > largest)
    return std::nullopt;
  return Number{e.constant(static_cast<int64_t>(value)),
                e.constant(int64_t(1) << -exponent)};
}

/// The elements of a constant.
static bool readConstant(Node &n, size_t i, Sizes &sizes) {
  const TensorData &data = *n.operand(i).constant;
  constexpr size_t largestRank = 3;
  if (data.dims.size() > largestRank || data.getNumElements() > mostNumbers)
    return false;
  sizes.shape.assign(data.dims.begin(), data.dims.end());
  if (auto integers = n.flatInts(i)) {
    for (int64_t value : *integers)
      sizes.numbers.push_back({n.emit().constant(value), Expr()});
    return true;
  }
  auto numbers = n.type(i) == DataType::Float || n.type(i) == DataType::Double
                     ? n.constantNumbers(i)
                     : std::optional<SmallVector<double, 4>>();
  if (!numbers)
    return false;
  for (double value : *numbers)
    if (auto quotient = toQuotient(n.emit(), value))
      sizes.numbers.push_back(*quotient);
  return sizes.numbers.size() == numbers->size();
}

std::optional<Sizes> mlir::symshape::onnx::readSizes(Node &n, size_t i) {
  if (!n.has(i))
    return std::nullopt;
  const Operand &x = n.operand(i);
  Sizes sizes;
  if (x.kind == Operand::IsConstant)
    return readConstant(n, i, sizes) ? std::optional(sizes) : std::nullopt;
  bool isKnown = x.kind == Operand::IsList || x.kind == Operand::IsTable ||
                 (x.kind == Operand::IsTensor && !x.list.empty());
  if (!isKnown)
    return std::nullopt;
  auto extents = x.extents(n.emit().arena());
  for (Expr extent : *extents)
    sizes.shape.push_back(*extent.asInt64());
  for (auto [k, value] : llvm::enumerate(x.list))
    sizes.numbers.push_back({value, x.divisors.empty() ? Expr() : x.divisors[k],
                             k < x.given.size() && x.given[k]});
  return sizes;
}

LogicalResult mlir::symshape::onnx::setSizes(Node &n, size_t result,
                                             const Sizes &sizes,
                                             DataType type) {
  SmallVector<Expr, 4> list;
  llvm::SmallBitVector given;
  for (const Number &number : sizes.numbers) {
    list.push_back(number.value);
    given.push_back(number.isGiven);
  }
  if (sizes.shape.size() <= 1)
    return n.setList(result, list, sizes.shape.empty(), type, given);
  requireInRange(n, list, type);
  Operand table = Operand::ofTable(list, sizes.shape, type);
  table.given = given;
  return n.set(result, std::move(table));
}

/// The place in x of an element of what it is broadcast to.
static size_t placeIn(const Sizes &x, ArrayRef<int64_t> at) {
  SmallVector<int64_t, 4> own;
  for (auto [extent, i] : llvm::zip(x.shape, at.take_back(x.shape.size())))
    own.push_back(extent == 1 ? 0 : i);
  return linearize(own, computeStrides(x.shape));
}

/// Nullopt if they do not broadcast, or to nothing, or to many elements.
static std::optional<SmallVector<int64_t, 4>>
broadcastShapes(ArrayRef<Sizes> operands) {
  SmallVector<int64_t, 4> shape;
  for (const Sizes &x : operands) {
    if (x.shape.size() > shape.size())
      shape.insert(shape.begin(), x.shape.size() - shape.size(), 1);
    MutableArrayRef<int64_t> to(shape);
    for (auto [own, other] : llvm::zip(x.shape, to.take_back(x.shape.size()))) {
      if (own != 1 && other != 1 && own != other)
        return std::nullopt;
      other = own == 1 ? other : own;
    }
  }
  if (computeProduct(shape) > mostNumbers)
    return std::nullopt;
  return shape;
}

/// The elements that belong together, as they are broadcast.
using NumbersBody = llvm::function_ref<SizeMath::Result(ArrayRef<Number>)>;

static std::optional<Sizes> mapSizes(ArrayRef<Sizes> operands,
                                     NumbersBody body) {
  auto shape = broadcastShapes(operands);
  if (!shape)
    return std::nullopt;
  Sizes result{*shape, {}};
  SmallVector<int64_t> strides = computeStrides(*shape);
  for (int64_t flat = 0, end = computeProduct(*shape); flat < end; ++flat) {
    SmallVector<Number, 4> elements;
    bool isGiven = true;
    for (const Sizes &x : operands) {
      elements.push_back(x.numbers[placeIn(x, delinearize(flat, strides))]);
      isGiven &= elements.back().isGiven;
    }
    auto number = body(elements);
    if (!number)
      return std::nullopt;
    number->isGiven = isGiven;
    result.numbers.push_back(*number);
  }
  return result;
}

/// How many operands have elements that go into the result.
static size_t numMapped(Node &n) {
  return n.opType() == "CastLike" ? 1 : n.numInputs();
}

bool mlir::symshape::onnx::mapLists(Node &n, DataType type, ListBody body) {
  SmallVector<Sizes> operands;
  bool isConstant = true;
  for (size_t i = 0, last = numMapped(n) - 1; i <= last; ++i) {
    bool isCondition = i == 0 && n.opType() == "Where";
    auto x = readSizes(n, i);
    if (!x || isFloat(n.type(i)) ||
        n.type(i) != (isCondition ? DataType::Bool : n.type(last)))
      return false;
    isConstant &= n.operand(i).kind == Operand::IsConstant;
    operands.push_back(*x);
  }
  std::pair<int64_t, int64_t> range = rangeOf(type);
  auto result = mapSizes(operands, [&](ArrayRef<Number> v) {
    SmallVector<Expr, 4> values;
    for (const Number &number : v)
      values.push_back(number.value);
    Expr e = body(values);
    if (!e || (isConstant && (!e.asInt64() || *e.asInt64() < range.first ||
                              *e.asInt64() > range.second)))
      return SizeMath::Result(); // constants wrap
    return SizeMath::Result({e, Expr()});
  });
  // Older ops say which axes belong together.
  constexpr int64_t broadcastsByRank = 7;
  if (!result || (result->shape.size() > 1 &&
                  (isConstant || n.opset() < broadcastsByRank)))
    return false;
  return succeeded(setSizes(n, 0, *result, type));
}

// For y > 0: x / y rounded to zero is max(x, 0) floordiv y if x >= 0, and
// -(max(-x, 0) floordiv y) if x <= 0; the other of the two is 0.
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

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// What a node computes from floats, element by element; nullopt: not known.
static std::optional<Sizes> computeFloats(Node &n, SizeMath &math) {
  SmallVector<Sizes> operands;
  StringRef op = n.opType();
  for (size_t i = 0; i < numMapped(n); ++i) {
    auto x = n.has(i) ? readSizes(n, i) : Sizes{{}, {Number()}}; // left out
    if (!x || (n.has(i) && i > 0 && n.type(i) != n.type(0)))
      return std::nullopt;
    operands.push_back(*x);
  }
  auto fold = [&](ArrayRef<Number> v, auto step) {
    SizeMath::Result result = v[0];
    for (const Number &next : v.drop_front())
      result = result ? step(*result, next) : result;
    return result;
  };
  return mapSizes(operands, [&](ArrayRef<Number> v) -> SizeMath::Result {
    Number zero = math.fromInteger(n.emit().constant(0));
    if (op == "Cast" || op == "CastLike")
      return math.fromInteger(v[0].value);
    if (op == "Add" || op == "Sum")
      return fold(v, [&](auto &x, auto &y) { return math.add(x, y); });
    if (op == "Sub")
      return math.add(v[0], *math.neg(v[1]));
    if (op == "Mul")
      return math.mul(v[0], v[1]);
    if (op == "Div")
      return math.div(v[0], v[1]);
    if (op == "Max" || op == "Min")
      return fold(v, [&](auto &x, auto &y) {
        return op == "Max" ? math.max(x, y) : math.min(x, y);
      });
    if (op == "Clip") {
      SizeMath::Result x = v[0];
      if (v.size() > 1 && v[1].value)
        x = math.max(*x, v[1]);
      return x && v.size() > 2 && v[2].value ? math.min(*x, v[2]) : x;
    }
    if (op == "Neg")
      return math.neg(v[0]);
    if (op == "Abs")
      return math.max(v[0], *math.neg(v[0]));
    if (op == "Relu")
      return math.max(v[0], zero);
    if (op == "Floor")
      return math.floor(v[0]);
    if (op == "Ceil")
      return math.ceil(v[0]);
    if (op == "Sqrt")
      return math.sqrt(v[0]);
    bool isWhole = !v[0].divisor || v[0].divisor.isConstant(1);
    return op == "Round" && isWhole ? v[0] : SizeMath::Result();
  });
}

void mlir::symshape::onnx::keepExactFloats(
    Node &n, llvm::function_ref<Operand *(size_t)> resultOf) {
  // Only values that come from sizes: other floats are data.
  bool isOfSizes = llvm::any_of(llvm::seq(n.numInputs()), [&](size_t i) {
    return !n.operand(i).list.empty();
  });
  Operand *first = resultOf(0);
  bool isFloats =
      first && first->kind == Operand::IsTensor &&
      (first->type == DataType::Float || first->type == DataType::Double);
  // A cast between two types of floats would have the limits of both.
  bool isCast = n.opType() == "Cast" || n.opType() == "CastLike";
  if (!isOfSizes || !isFloats || (isCast && isFloat(n.type(0))) ||
      n.opset() < 7 || n.opType() == "Identity")
    return;
  SizeMath math(n.emit(), first->type);
  SmallVector<Sizes, 1> results = moveSizes(n, math);
  if (results.empty())
    if (auto computed = computeFloats(n, math))
      results.push_back(*computed);
  for (auto [i, sizes] : llvm::enumerate(results)) {
    Operand *result = resultOf(i);
    if (!result || sizes.numbers.empty() ||
        result->tensor.rank() != static_cast<int64_t>(sizes.shape.size()))
      continue;
    result->given = llvm::SmallBitVector();
    for (const Number &number : sizes.numbers) {
      result->list.push_back(number.value);
      result->divisors.push_back(number.divisor ? number.divisor
                                                : n.emit().constant(1));
      result->given.push_back(number.isGiven);
    }
    for (size_t k = 0; k < n.numInputs(); ++k)
      llvm::append_range(result->steps, n.operand(k).steps);
    llvm::append_range(result->steps, math.steps);
    llvm::SetVector<Expr> steps(result->steps.begin(), result->steps.end());
    result->steps.assign(steps.begin(), steps.end());
  }
}

void mlir::symshape::onnx::requireExact(Node &n, size_t i) {
  Emitter &e = n.emit();
  Expr limit = e.constant(SizeMath(e, n.type(i)).largest);
  for (Expr step : n.operand(i).steps)
    for (const Relation &relation :
         {Relation::le(step, limit), Relation::le(-limit, step)})
      if (!e.isProvably(relation))
        e.require(relation, "sizes that are floats are exact");
}

bool mlir::symshape::onnx::castExactFloats(Node &n, DataType type) {
  const Operand &operand = n.operand(0);
  if (operand.kind != Operand::IsTensor || operand.list.empty() ||
      (type != DataType::Int64 && type != DataType::Int32))
    return false;
  Emitter &e = n.emit();
  Sizes sizes = *readSizes(n, 0);
  for (Number &number : sizes.numbers) {
    number.value = divideToZero(e, number.value, number.divisor);
    number.divisor = Expr();
    if (!number.value)
      return false;
  }
  requireExact(n, 0);
  return succeeded(setSizes(n, 0, sizes, type));
}
