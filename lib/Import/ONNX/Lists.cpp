//===- Lists.cpp - Arithmetic on sizes ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lists.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Whether a number is surely far from the ends of 64 bits: sums and products
/// of extents with small factors. A product of extents is that of a tensor, or
/// of an empty one, and is taken for what it is.
static bool isModest(Emitter &e, Expr number) {
  llvm::DynamicAPInt factors(0);
  for (const Expr::Term &term : number.terms()) {
    factors += llvm::abs(term.coefficient);
    for (const auto &[atom, power] : term.powers)
      if (!e.isNonNegative(atom.asExpr()))
        return false;
  }
  return factors <= 1 << 14; // an extent is below 2^48
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

bool mlir::symshape::onnx::mapLists(Node &n, DataType type, ListBody body) {
  size_t length = 1;
  bool isScalar = true;
  SmallVector<SmallVector<Expr, 4>> lists;
  bool isConstant = true;
  for (size_t i = 0, last = n.numInputs() - 1; i <= last; ++i) {
    bool isCondition = i == 0 && n.opType() == "Where";
    if (!n.isKnownList(i) ||
        n.type(i) != (isCondition ? DataType::Bool : n.type(last)))
      return false;
    isConstant &= n.operand(i).kind == Operand::IsConstant;
    lists.push_back(*n.knownInts(i));
    isScalar &= n.rank(i) == 0;
    if (lists.back().size() != 1) {
      if (length != 1 && length != lists.back().size())
        return false;
      length = lists.back().size();
    }
  }
  SmallVector<Expr, 4> result;
  llvm::SmallBitVector given(length, true);
  for (size_t k = 0; k < length; ++k) {
    SmallVector<Expr, 4> elements;
    for (auto [i, list] : llvm::enumerate(lists)) {
      size_t place = list.size() == 1 ? 0 : k;
      elements.push_back(list[place]);
      if (!n.givenInts(i, list.size())[place])
        given.reset(k);
    }
    Expr e = body(elements);
    auto [least, most] = rangeOf(type);
    if (!e || (isConstant &&
               (!e.asInt64() || *e.asInt64() < least || *e.asInt64() > most)))
      return false; // constants wrap
    result.push_back(e);
  }
  return succeeded(n.setList(0, result, isScalar, type, given));
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

/// Numbers up to this one are exact as a float of the type; 0: none is.
static int64_t largestExact(DataType type) {
  if (type == DataType::Float)
    return int64_t(1) << 24;
  return type == DataType::Double ? int64_t(1) << 53 : 0;
}

/// The integers that an operand holds, as a list or as floats.
static std::optional<SmallVector<Expr, 4>> readExact(Node &n, size_t i) {
  const Operand &operand = n.operand(i);
  if (auto integers = n.knownInts(i))
    return integers;
  if (operand.kind == Operand::IsTensor && !operand.list.empty())
    return operand.list;
  SmallVector<Expr, 4> result;
  auto numbers = isFloat(n.type(i)) && n.rank(i) <= 1
                     ? n.constantNumbers(i)
                     : std::optional<SmallVector<double, 4>>();
  if (!numbers)
    return std::nullopt;
  for (double number : *numbers) {
    if (number != std::floor(number) ||
        std::abs(number) > largestExact(n.type(i)))
      return std::nullopt;
    result.push_back(n.emit().constant(static_cast<int64_t>(number)));
  }
  return result;
}

void mlir::symshape::onnx::keepExactFloats(Node &n, Operand &result) {
  static const StringRef same[] = {"Cast", "Floor", "Ceil", "Round",
                                   "Identity"};
  static const StringRef combining[] = {"Add", "Sub", "Mul"};
  bool isCombining = llvm::is_contained(combining, n.opType());
  // A cast between two types of floats would have the limits of both.
  if (n.opType() == "Cast" && isFloat(n.type(0)))
    return;
  if (result.kind != Operand::IsTensor || largestExact(result.type) == 0 ||
      result.tensor.rank() > 1 || n.numInputs() == 0 ||
      !(isCombining || llvm::is_contained(same, n.opType())))
    return;
  // Only values that come from sizes: other floats are data.
  bool isOfSizes = llvm::any_of(llvm::seq(n.numInputs()), [&](size_t i) {
    return !n.operand(i).list.empty();
  });
  auto x = isOfSizes ? readExact(n, 0) : std::nullopt;
  auto y = x && isCombining ? readExact(n, 1) : x;
  if (!x || !y || (x->size() != y->size() && x->size() != 1 && y->size() != 1))
    return;
  for (size_t i = 0; i < std::max(x->size(), y->size()); ++i) {
    Expr a = (*x)[x->size() == 1 ? 0 : i], b = (*y)[y->size() == 1 ? 0 : i];
    result.list.push_back(n.opType() == "Add"   ? a + b
                          : n.opType() == "Sub" ? a - b
                          : n.opType() == "Mul" ? a * b
                                                : a);
  }
  for (size_t i = 0; i < n.numInputs(); ++i)
    llvm::append_range(result.steps, n.operand(i).steps);
  llvm::append_range(result.steps, result.list);
}

bool mlir::symshape::onnx::castExactFloats(Node &n, DataType type) {
  const Operand &operand = n.operand(0);
  if (operand.kind != Operand::IsTensor || operand.list.empty() ||
      (type != DataType::Int64 && type != DataType::Int32))
    return false;
  // A step is exact if its result is small enough; so is the final result.
  Emitter &e = n.emit();
  Expr limit = e.constant(largestExact(operand.type));
  for (Expr step : operand.steps) {
    e.require(Relation::le(step, limit), "sizes that are floats are exact");
    e.require(Relation::le(-limit, step), "sizes that are floats are exact");
  }
  return succeeded(
      n.setList(0, operand.list, operand.tensor.rank() == 0, type));
}

static bool isTable(Node &n) { return n.operand(0).kind == Operand::IsTable; }

bool mlir::symshape::onnx::reshapeList(Node &n, ArrayRef<Expr> shape) {
  if (!isTable(n) && (!n.isKnownList(0) || n.rank(0) > 1))
    return false;
  SmallVector<Expr, 4> list = isTable(n) ? n.operand(0).list : *n.knownInts(0);
  SmallVector<int64_t> dims;
  int64_t known = 1, count = list.size();
  for (Expr size : shape) {
    std::optional<int64_t> value = size.asInt64();
    if (!value || (*value < 1 && *value != -1))
      return false;
    dims.push_back(*value);
    if (llvm::MulOverflow(known, *value == -1 ? 1 : *value, known))
      return false;
  }
  if (llvm::count(dims, -1) > 1)
    return false;
  for (int64_t &dim : dims)
    dim = dim == -1 ? count / known : dim;
  int64_t product = 1;
  for (int64_t dim : dims) // at most `known` or `count`
    product *= dim;
  if (product != count || dims.size() > 2 || count == 0)
    return false;
  if (dims.size() == 2)
    return succeeded(n.set(0, Operand::ofTable(list, dims[1], n.type(0))));
  auto given =
      isTable(n) ? llvm::SmallBitVector() : n.givenInts(0, list.size());
  return succeeded(n.setList(0, list, dims.empty(), n.type(0), given));
}

bool mlir::symshape::onnx::transposeTable(Node &n,
                                          ArrayRef<int64_t> permutation) {
  if (!isTable(n) || permutation.size() != 2)
    return false;
  const Operand &table = n.operand(0);
  int64_t columns = table.columns, rows = table.list.size() / columns;
  if (permutation[0] == 0)
    return succeeded(n.set(0, table));
  SmallVector<Expr, 4> turned;
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      turned.push_back(table.list[r * columns + c]);
  return succeeded(n.set(0, Operand::ofTable(turned, rows, table.type)));
}

bool mlir::symshape::onnx::sliceTable(Node &n, int64_t axis, int64_t offset,
                                      int64_t size, int64_t step,
                                      bool isReversed) {
  if (!isTable(n) || axis != 0 || size < 1)
    return false;
  const Operand &table = n.operand(0);
  int64_t columns = table.columns, rows = table.list.size() / columns;
  SmallVector<Expr, 4> taken;
  for (int64_t i = 0; i < size; ++i) {
    int64_t row = offset + i * step;
    if (isReversed)
      row = rows - 1 - row;
    ArrayRef<Expr> all = table.list;
    llvm::append_range(taken, all.slice(row * columns, columns));
  }
  return succeeded(n.set(0, Operand::ofTable(taken, columns, table.type)));
}

bool mlir::symshape::onnx::castTable(Node &n, DataType type) {
  if (!isTable(n) || !isInteger(n.type(0)) ||
      (type != DataType::Int64 && type != DataType::Int32))
    return false;
  requireInRange(n, n.operand(0).list, type);
  return succeeded(n.set(
      0, Operand::ofTable(n.operand(0).list, n.operand(0).columns, type)));
}
