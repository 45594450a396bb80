//===- WideValues.cpp - Numbers computed with many bits -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WideValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::symshape;

static bool isWideType(Type type) {
  return type.isSignlessInteger() && type.getIntOrFloatBitWidth() > 64;
}

/// Whether the value is, or is cut from, a number of more than 64 bits.
static bool isFromWide(Value value) {
  if (isWideType(value.getType()))
    return true;
  auto cut = value.getDefiningOp<arith::TruncIOp>();
  return cut && isWideType(cut.getIn().getType());
}

/// Whether the analysis has a symbol for the value, as its op may wrap or read
/// a negative number as a large one.
bool WideValues::isOpaque(Value value) {
  if (isFromWide(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::DivUIOp, arith::RemUIOp>(op) ||
      !value.getType().isIntOrIndex())
    return false;
  Expr symbol = shapes.value(value);
  const SymbolDef *def =
      symbol.asSymbol() ? shapes.definition(symbol) : nullptr;
  return def && def->value == value;
}

bool WideValues::holds(const Relation &relation) {
  return shapes.facts().isProvably(relation) || holdsBesides(relation);
}

/// `e` if it provably is a number of the type, else null.
Expr WideValues::ifFits(Expr e, Type type) {
  ExprArena &arena = shapes.arena();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  llvm::DynamicAPInt most(1);
  for (unsigned i = 1; i < width; ++i)
    most *= 2;
  Expr max = arena.constant(most - 1), min = arena.constant(-most);
  return holds(Relation::le(e, max)) && holds(Relation::le(min, e)) ? e
                                                                    : Expr();
}

std::optional<bool> WideValues::decide(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    std::optional<bool> a = decide(both.getLhs()), b = decide(both.getRhs());
    if (a == false || b == false)
      return false;
    return a && b ? std::optional<bool>(true) : std::nullopt;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  Expr a = compare ? known.lookup(compare.getLhs()) : Expr();
  Expr b = compare ? known.lookup(compare.getRhs()) : Expr();
  if (!a || !b)
    return std::nullopt;
  auto ask = [&](const Relation &relation) -> std::optional<bool> {
    Answer answer = shapes.facts().prove(relation);
    if (answer.verdict == Verdict::Unknown)
      return std::nullopt;
    return answer.isYes();
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return ask(Relation::eq(a, b));
  case arith::CmpIPredicate::ne:
    return ask(Relation::ne(a, b));
  case arith::CmpIPredicate::slt:
    return ask(Relation::lt(a, b));
  case arith::CmpIPredicate::sle:
    return ask(Relation::le(a, b));
  case arith::CmpIPredicate::sgt:
    return ask(Relation::gt(a, b));
  case arith::CmpIPredicate::sge:
    return ask(Relation::ge(a, b));
  default:
    return std::nullopt;
  }
}

/// One side of a selection whose condition is decided; or `bc(a, b)`, which is
/// selected by `a == 1`.
Expr WideValues::choose(Operation *op) {
  auto select = cast<arith::SelectOp>(op);
  Expr onTrue = known.lookup(select.getTrueValue());
  Expr onFalse = known.lookup(select.getFalseValue());
  if (std::optional<bool> isTrue = decide(select.getCondition()))
    return *isTrue ? onTrue : onFalse;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || !onTrue || !onFalse ||
      compare.getPredicate() != arith::CmpIPredicate::eq)
    return Expr();
  Expr one = known.lookup(compare.getRhs());
  return one && one.isConstant(1) && known.lookup(compare.getLhs()) == onFalse
             ? shapes.arena().bc(onFalse, onTrue)
             : Expr();
}

Expr WideValues::computeWide(Operation *op) {
  ExprArena &arena = shapes.arena();
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    return number ? arena.constant(llvm::DynamicAPInt(number.getValue()))
                  : Expr();
  }
  if (isa<arith::SelectOp>(op))
    return choose(op);
  Expr a = known.lookup(op->getOperand(0));
  if (isa<arith::ExtSIOp>(op))
    return a;
  if (a && isa<arith::TruncIOp>(op))
    return ifFits(a, type);
  Expr b = op->getNumOperands() == 2 ? known.lookup(op->getOperand(1)) : Expr();
  if (!a || !b)
    return Expr();
  if (isa<arith::AddIOp>(op))
    return ifFits(a + b, type);
  if (isa<arith::SubIOp>(op))
    return ifFits(a - b, type);
  if (isa<arith::MulIOp>(op))
    return ifFits(a * b, type);
  if (isa<arith::MaxSIOp>(op))
    return arena.max(a, b);
  if (isa<arith::MinSIOp>(op))
    return arena.min(a, b);
  // Rounds to zero, which is down where the dividend is not negative.
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemUIOp>(op) &&
                 holds(Relation::le(arena.zero(), a)) &&
                 holds(Relation::le(arena.one(), b));
  if (!divides)
    return Expr();
  return isa<arith::RemUIOp>(op) ? arena.mod(a, b) : arena.floorDiv(a, b);
}

/// The expression of `value`, whose operands are known.
Expr WideValues::compute(Value value) {
  if (isOpaque(value)) {
    Operation *op = value.getDefiningOp();
    return op && op->getNumResults() == 1 ? computeWide(op) : Expr();
  }
  // What the analysis says, with what it does not.
  return shapes.arena().substitute(
      shapes.value(value), [&](Expr symbol) -> Expr {
        const SymbolDef *def = shapes.definition(symbol);
        return def && def->value ? known.lookup(def->value) : Expr();
      });
}

/// What has to be known before the expression of `value`.
SmallVector<Value> WideValues::needsOf(Value value) {
  SmallVector<Value> needs;
  if (value.getType().isInteger(1) || isOpaque(value)) {
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        if (operand.getType().isIntOrIndex())
          needs.push_back(operand);
    return needs;
  }
  for (Expr symbol : shapes.value(value).symbols())
    if (const SymbolDef *def = shapes.definition(symbol))
      if (def->kind == SymbolDef::Scalar && def->value != value &&
          isOpaque(def->value))
        needs.push_back(def->value);
  return needs;
}

Expr WideValues::valueOf(Value value) {
  SmallVector<std::pair<Value, bool>> open{{value, false}};
  while (!open.empty()) {
    auto [next, isReady] = open.pop_back_val();
    if (known.count(next))
      continue;
    if (isReady) {
      // A condition is only asked for what it compares.
      Expr e = next.getType().isInteger(1) ? Expr() : compute(next);
      known[next] = e;
      continue;
    }
    open.push_back({next, true});
    for (Value needed : needsOf(next))
      open.push_back({needed, false});
  }
  return known.lookup(value);
}

Expr WideValues::resolve(Expr e) {
  return shapes.arena().substitute(e, [&](Expr symbol) -> Expr {
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || def->kind != SymbolDef::Scalar || !def->value ||
        !isOpaque(def->value))
      return Expr();
    return valueOf(def->value);
  });
}
