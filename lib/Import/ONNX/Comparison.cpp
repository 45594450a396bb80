//===- Comparison.cpp - Comparisons, logic and bits -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Lists.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// What is compared is an expression up to this depth. Selections of selections
/// would multiply.
static constexpr unsigned deepest = 4;

/// Whether a relation of sizes holds, as 1 or 0. Where it is not known, an
/// expression that has this value for a single pair, such as a branch may ask
/// for; else null.
static Expr decide(Node &n, const Relation &relation, Expr difference) {
  Emitter &e = n.emit();
  if (e.isProvably(relation))
    return e.constant(1);
  std::optional<Relation> not_ = relation.negation();
  if (not_ && e.isProvably(*not_))
    return e.constant(0);
  if (n.knownInts(0)->size() != 1 || n.knownInts(1)->size() != 1 ||
      difference.depth() > deepest)
    return Expr();
  ExprArena &arena = e.arena();
  return e.constant(1) -
         arena.min(arena.max(difference, arena.zero()), arena.one());
}

static LogicalResult compare(Node &n, Relation (*relation)(Expr, Expr),
                             Value (Scalars::*body)(Value, Value, bool),
                             bool swap) {
  Emitter &e = n.emit();
  if (mapLists(n, DataType::Bool, [&](ArrayRef<Expr> v) {
        // a <= b, or a + 1 <= b.
        Expr excess = v[swap] - v[!swap] + (relation == &Relation::lt ? 1 : 0);
        return decide(n, relation(v[swap], v[!swap]), excess);
      }))
    return success();
  Tensor x = n.tensor(0), y = n.broadcastOperand(1, x.dims);
  if (x.type != y.type)
    return n.fail("expected operands of one type");
  bool noSign = isUnsigned(x.type);
  return n.set(
      0, e.map({x, y}, DataType::Bool, [&](Scalars &s, ArrayRef<Value> v) {
        return (s.*body)(v[swap], v[!swap], noSign);
      }));
}

static LogicalResult less(Node &n) {
  return compare(n, Relation::lt, &Scalars::less, false);
}
static LogicalResult lessOrEqual(Node &n) {
  return compare(n, Relation::le, &Scalars::lessOrEqual, false);
}
static LogicalResult greater(Node &n) {
  return compare(n, Relation::lt, &Scalars::less, true);
}
static LogicalResult greaterOrEqual(Node &n) {
  return compare(n, Relation::le, &Scalars::lessOrEqual, true);
}

static LogicalResult equal(Node &n) {
  Emitter &e = n.emit();
  if (mapLists(n, DataType::Bool, [&](ArrayRef<Expr> v) {
        return decide(n, Relation::eq(v[0], v[1]),
                      e.arena().max(v[0] - v[1], v[1] - v[0]));
      }))
    return success();
  Tensor x = n.tensor(0), y = n.broadcastOperand(1, x.dims);
  if (x.type != y.type)
    return n.fail("expected operands of one type");
  return n.set(0,
               e.map({x, y}, DataType::Bool, [](Scalars &s, ArrayRef<Value> v) {
                 return s.equal(v[0], v[1]);
               }));
}

template <typename OpT>
static LogicalResult bits(Node &n) {
  ExprArena &arena = n.emit().arena();
  constexpr bool isAnd = std::is_same_v<OpT, arith::AndIOp>;
  constexpr bool isOr = std::is_same_v<OpT, arith::OrIOp>;
  if ((isAnd || isOr) && n.type(0) == DataType::Bool &&
      mapLists(n, DataType::Bool, [&](ArrayRef<Expr> v) {
        return isAnd ? arena.min(v[0], v[1]) : arena.max(v[0], v[1]);
      }))
    return success();
  Tensor x = n.tensor(0), y = n.broadcastOperand(1, x.dims);
  if (x.type != y.type || isFloat(x.type))
    return n.fail("expected integers or bools of one type");
  return n.set(0,
               n.emit().map({x, y}, x.type, [](Scalars &s, ArrayRef<Value> v) {
                 return s.create<OpT>(v[0], v[1]);
               }));
}

static LogicalResult bitwiseNot(Node &n) {
  if (isFloat(n.type(0)))
    return n.fail("expected integers");
  return n.set(0, n.emit().unary(n.tensor(0), [](Scalars &s, Value x) {
    return s.create<arith::XOrIOp>(x, s.integer(x.getType(), -1));
  }));
}

static LogicalResult logicalNot(Node &n) {
  Emitter &e = n.emit();
  if (mapLists(n, DataType::Bool,
               [&](ArrayRef<Expr> v) { return e.constant(1) - v[0]; }))
    return success();
  return n.set(0, n.emit().unary(n.tensor(0), [](Scalars &s, Value x) {
    return s.logicalNot(x);
  }));
}

/// A shift by the width or more gives 0.
static LogicalResult bitShift(Node &n) {
  if (!n.attribute("direction"))
    return n.fail("expected a direction, LEFT or RIGHT");
  Tensor x = n.tensor(0), y = n.tensor(1);
  if (x.type != y.type || !isUnsigned(x.type))
    return n.fail("expected unsigned integers of one type");
  bool isLeft = n.textAttr("direction", "") == "LEFT";
  return n.set(0,
               n.emit().map({x, y}, x.type, [=](Scalars &s, ArrayRef<Value> v) {
                 Type type = v[0].getType();
                 Value width = s.integer(type, type.getIntOrFloatBitWidth());
                 Value fits = s.less(v[1], width, /*isUnsigned=*/true);
                 Value amount = s.select(fits, v[1], s.integer(type, 0));
                 Value moved = isLeft ? s.create<arith::ShLIOp>(v[0], amount)
                                      : s.create<arith::ShRUIOp>(v[0], amount);
                 return s.select(fits, moved, s.integer(type, 0));
               }));
}

static LogicalResult isNaN(Node &n) {
  return n.set(0, n.emit().map(n.tensor(0), DataType::Bool,
                               [](Scalars &s, ArrayRef<Value> v) {
                                 return s.isNaN(v[0]);
                               }));
}

static LogicalResult isInf(Node &n) {
  bool negative = n.intAttr("detect_negative", 1);
  bool positive = n.intAttr("detect_positive", 1);
  return n.set(
      0, n.emit().map(
             n.tensor(0), DataType::Bool, [=](Scalars &s, ArrayRef<Value> v) {
               double infinity = std::numeric_limits<double>::infinity();
               Type type = v[0].getType();
               Value result = s.integer(s.b.getI1Type(), 0);
               if (positive)
                 result = s.logicalOr(result,
                                      s.equal(v[0], s.number(type, infinity)));
               if (negative)
                 result = s.logicalOr(result,
                                      s.equal(v[0], s.number(type, -infinity)));
               return result;
             }));
}

static LogicalResult where(Node &n) {
  if (mapLists(n, n.type(1), [](ArrayRef<Expr> v) {
        std::optional<int64_t> condition = v[0].asInt64();
        if (!condition)
          return v[1] == v[2] ? v[1] : v[2] + v[0] * (v[1] - v[2]);
        return *condition ? v[1] : v[2];
      }))
    return success();
  Tensor condition = n.tensor(0), x = n.tensor(1), y = n.tensor(2);
  if (x.type != y.type || condition.type != DataType::Bool)
    return n.fail("expected a bool and two operands of one type");
  return n.set(0, n.emit().map({condition, x, y}, x.type,
                               [](Scalars &s, ArrayRef<Value> v) {
                                 return s.select(v[0], v[1], v[2]);
                               }));
}

void mlir::symshape::onnx::addComparisonOps(Registry &registry) {
  registry.add("Less", 2, less);
  registry.add("LessOrEqual", 2, lessOrEqual);
  registry.add("Greater", 2, greater);
  registry.add("GreaterOrEqual", 2, greaterOrEqual);
  registry.add("Equal", 2, equal);
  registry.add("And", 2, bits<arith::AndIOp>);
  registry.add("Or", 2, bits<arith::OrIOp>);
  registry.add("Xor", 2, bits<arith::XOrIOp>);
  registry.add("BitwiseAnd", 2, bits<arith::AndIOp>);
  registry.add("BitwiseOr", 2, bits<arith::OrIOp>);
  registry.add("BitwiseXor", 2, bits<arith::XOrIOp>);
  registry.add("BitwiseNot", 1, bitwiseNot);
  registry.add("Not", 1, logicalNot);
  registry.add("BitShift", 2, bitShift);
  registry.add("IsNaN", 1, isNaN);
  registry.add("IsInf", 1, isInf);
  registry.add("Where", 3, where);
}
