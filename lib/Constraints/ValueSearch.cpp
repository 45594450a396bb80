//===- ValueSearch.cpp - Values that answer a question one way ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ValueSearch.h.
//
//===----------------------------------------------------------------------===//

#include "ValueSearch.h"
#include "symshape/Expr/Integers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::symshape;

/// Larger conditions are not compiled.
static constexpr size_t maxConditionSize = 512;
/// Values are looked for this far from 0, so that products of a few fit.
static constexpr int64_t maxValue = int64_t(1) << 40;
static constexpr unsigned maxRestarts = 16;
static constexpr unsigned maxChanges = 60;
/// The violation of what has no value.
static constexpr unsigned undefinedViolation = 70;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// A number of 64 bits; a larger one is one that sums do not reach.
static int64_t clamped(const DynamicAPInt &value) {
  static constexpr int64_t far = int64_t(1) << 61;
  if (std::optional<int64_t> small = tryInt64(value))
    return std::clamp(*small, -far, far);
  return value > 0 ? far : -far;
}

/// Makes instructions of expressions.
class ValueSearch::Compiler {
public:
  Compiler(ValueSearch &search, Condition &condition)
      : search(search), condition(condition) {}

  unsigned compile(Expr e) {
    SmallVector<Atom, 8> atoms = atomsOf(e);
    llvm::sort(atoms, [](Atom a, Atom b) { return a.id() < b.id(); });
    for (Atom atom : atoms) // operands are made before what has them
      if (!slotOf.contains(atom))
        compileAtom(atom);
    return sum(e);
  }

private:
  void compileAtom(Atom atom) {
    if (atom.kind() == AtomKind::Symbol) {
      unsigned number = search.numberOf.lookup(atom.asExpr());
      slotOf[atom] = number;
      if (!llvm::is_contained(condition.symbols, number))
        condition.symbols.push_back(number);
      return;
    }
    std::optional<unsigned> result;
    for (Expr operand : atom.operands()) {
      unsigned slot = sum(operand);
      result = result ? emit(opOf(atom), *result, slot) : slot;
    }
    slotOf[atom] = *result;
  }

  static Instruction::Op opOf(Atom atom) {
    switch (atom.kind()) {
    case AtomKind::FloorDiv:
      return Instruction::FloorDiv;
    case AtomKind::Min:
      return Instruction::Min;
    case AtomKind::Max:
      return Instruction::Max;
    case AtomKind::Bc:
      return Instruction::Bc;
    case AtomKind::Symbol:
    case AtomKind::Named:
      break;
    }
    return atom.namedIsProduct() ? Instruction::Multiply : Instruction::Add;
  }

  unsigned sum(Expr e) {
    std::optional<unsigned> result;
    for (const Expr::Term &term : e.terms()) {
      int64_t coefficient = clamped(term.coefficient);
      std::optional<unsigned> product;
      if (coefficient != 1 || term.powers.empty())
        product = constant(coefficient);
      for (auto [atom, power] : term.powers)
        for (unsigned i = 0; i < power; ++i)
          product = product ? emit(Instruction::Multiply, *product,
                                   slotOf.lookup(atom))
                            : slotOf.lookup(atom);
      result = result ? emit(Instruction::Add, *result, *product) : *product;
    }
    return result ? *result : constant(0);
  }

  unsigned constant(int64_t value) {
    search.values.push_back(value);
    return search.values.size() - 1;
  }

  unsigned emit(Instruction::Op op, unsigned lhs, unsigned rhs) {
    unsigned target = constant(0);
    condition.code.push_back({op, target, lhs, rhs});
    return target;
  }

  ValueSearch &search;
  Condition &condition;
  llvm::DenseMap<Atom, unsigned> slotOf;
};

bool ValueSearch::addSymbol(Expr symbol, const SymbolInfo &info) {
  std::optional<int64_t> modulus = tryInt64(info.residue.modulus),
                         remainder = tryInt64(info.residue.remainder);
  if (!modulus || !remainder || *modulus > maxValue)
    return false;
  const auto &[min, max] = info.range;
  Symbol made{min ? std::max(clamped(*min), -maxValue) : -maxValue,
              max ? std::min(clamped(*max), maxValue) : maxValue,
              *modulus,
              *remainder,
              {}};
  if (made.modulus == 0) {
    made.min = std::max(made.min, made.remainder);
    made.max = std::min(made.max, made.remainder);
    made.modulus = 1;
    made.remainder = 0;
  }
  made.min += llvm::mod<int64_t>(made.remainder - made.min, made.modulus);
  made.max -= llvm::mod<int64_t>(made.max - made.remainder, made.modulus);
  if (made.min > made.max)
    return false;
  numberOf[symbol] = symbols.size();
  symbols.push_back(made);
  values.push_back(made.min);
  return true;
}

bool ValueSearch::addCondition(const Relation &relation, bool holds) {
  if (relation.lhs.size() + relation.rhs.size() > maxConditionSize)
    return false;
  Condition condition{relation, holds, 0, 0, {}, {}, 0};
  Compiler compiler(*this, condition);
  bool isDivides = relation.kind == Relation::Divides;
  condition.lhs = compiler.compile(relation.lhs);
  condition.rhs =
      compiler.compile(isDivides ? relation.rhs : relation.rhs - relation.lhs);
  for (unsigned symbol : condition.symbols)
    symbols[symbol].conditions.push_back(conditions.size());
  conditions.push_back(std::move(condition));
  return true;
}

void ValueSearch::dropLastCondition() {
  for (unsigned symbol : conditions.back().symbols)
    symbols[symbol].conditions.pop_back();
  conditions.pop_back();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The value of `rhs`.
std::optional<int64_t> ValueSearch::evaluate(const Condition &condition) {
  numEvaluations += 1 + condition.code.size() / 16;
  for (const Instruction &step : condition.code) {
    int64_t a = values[step.lhs], b = values[step.rhs];
    int64_t &result = values[step.target];
    switch (step.op) {
    case Instruction::Add:
      if (llvm::AddOverflow(a, b, result))
        return std::nullopt;
      break;
    case Instruction::Multiply:
      if (llvm::MulOverflow(a, b, result))
        return std::nullopt;
      break;
    case Instruction::FloorDiv:
      if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
        return std::nullopt;
      result = llvm::divideFloorSigned(a, b);
      break;
    case Instruction::Min:
      result = std::min(a, b);
      break;
    case Instruction::Max:
      result = std::max(a, b);
      break;
    case Instruction::Bc:
      result = a == 1 ? b : a;
      break;
    }
  }
  return values[condition.rhs];
}

/// 0 where it holds, and more the farther it is from that.
unsigned ValueSearch::violation(const Condition &condition) {
  std::optional<int64_t> gap = evaluate(condition);
  if (!gap)
    return undefinedViolation;
  auto distance = [](uint64_t size) {
    return size == 0 ? 0u : 1 + llvm::Log2_64(size);
  };
  auto magnitude = [](int64_t value) {
    return value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  };
  switch (condition.relation.kind) {
  case Relation::Eq:
  case Relation::Ne:
    if ((condition.relation.kind == Relation::Eq) == condition.holds)
      return distance(magnitude(*gap));
    return *gap == 0;
  case Relation::Le:
    if (condition.holds)
      return *gap >= 0 ? 0 : distance(magnitude(*gap));
    return *gap < 0 ? 0 : distance(uint64_t(*gap) + 1);
  case Relation::Divides:
    break;
  }
  uint64_t divisor = magnitude(values[condition.lhs]);
  uint64_t rest = divisor ? magnitude(*gap) % divisor : magnitude(*gap);
  if (condition.holds)
    return distance(divisor ? std::min(rest, divisor - rest) : rest);
  return rest == 0;
}

/// The violations of all conditions of a symbol that has the value.
unsigned ValueSearch::violationAround(unsigned symbol, int64_t value) {
  values[symbol] = value;
  unsigned sum = 0;
  for (unsigned number : symbols[symbol].conditions)
    sum += violation(conditions[number]);
  return sum;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Of [0, end); xorshift64.
uint64_t ValueSearch::random(uint64_t end) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % end;
}

/// The value of the declaration next to `value`.
int64_t ValueSearch::allowed(const Symbol &symbol, int64_t value) const {
  value = std::clamp(value, symbol.min, symbol.max);
  value += llvm::mod<int64_t>(symbol.remainder - value, symbol.modulus);
  return value > symbol.max ? value - symbol.modulus : value;
}

int64_t ValueSearch::smallValue(const Symbol &symbol) {
  static constexpr uint64_t sizes[] = {4, 12, 40, 1000};
  int64_t size = random(sizes[random(std::size(sizes))]);
  return allowed(symbol, random(3) == 0 ? -size : size);
}

/// First alike, then at random.
void ValueSearch::restart(unsigned round) {
  static constexpr int64_t alike[] = {1, 2, 0, 7};
  for (unsigned symbol = 0; symbol < symbols.size(); ++symbol)
    values[symbol] = round < std::size(alike)
                         ? allowed(symbols[symbol], alike[round])
                         : smallValue(symbols[symbol]);
  violations.clear();
  for (const Condition &condition : conditions)
    violations.push_back(violation(condition));
}

void ValueSearch::assign(unsigned symbol, int64_t value) {
  values[symbol] = value;
  for (unsigned number : symbols[symbol].conditions)
    violations[number] = violation(conditions[number]);
}

/// Near ones, those by which a linear condition would hold, small ones, and the
/// ends.
SmallVector<int64_t, 24> ValueSearch::valuesFor(unsigned number,
                                                const Condition &condition) {
  const Symbol &symbol = symbols[number];
  SmallVector<int64_t, 24> found;
  int64_t present = values[number];
  auto add = [&](int64_t value) {
    value = allowed(symbol, value);
    if (value != present && !llvm::is_contained(found, value))
      found.push_back(value);
  };
  for (int64_t off : {1, -1, 2, -2, 3, -3, 6, -6})
    add(present + off * symbol.modulus);
  if (std::optional<int64_t> gap = evaluate(condition);
      gap && *gap < maxValue && *gap > -maxValue)
    for (int64_t part : {1, 2, 3, 5})
      for (int64_t off : {*gap / part, -*gap / part})
        add(present + off);
  for (int64_t value : {0, 1})
    add(value);
  add(smallValue(symbol));
  add(smallValue(symbol));
  add(symbol.min);
  add(symbol.max);
  return found;
}

/// Changes a symbol of a violated condition: mostly to the best of some values.
void ValueSearch::improve() {
  SmallVector<unsigned, 8> violated;
  for (auto [number, amount] : llvm::enumerate(violations))
    if (amount && !conditions[number].symbols.empty())
      violated.push_back(number);
  if (violated.empty())
    return;
  const Condition &condition = conditions[violated[random(violated.size())]];
  bool isAny = random(5) == 0;
  unsigned bestSymbol = condition.symbols[random(condition.symbols.size())];
  int64_t bestValue = smallValue(symbols[bestSymbol]);
  int best = std::numeric_limits<int>::max();
  for (unsigned symbol : condition.symbols) {
    if (isAny)
      break;
    int64_t before = values[symbol];
    int sumBefore = 0;
    for (unsigned number : symbols[symbol].conditions)
      sumBefore += violations[number];
    SmallVector<int64_t, 24> tried = valuesFor(symbol, condition);
    for (int64_t value : tried) {
      int change = int(violationAround(symbol, value)) - sumBefore;
      if (change < best || (change == best && random(2))) {
        best = change;
        bestSymbol = symbol;
        bestValue = value;
      }
    }
    values[symbol] = before;
  }
  assign(bestSymbol, bestValue);
}

/// Whether the conditions hold as they are, with numbers of any size.
bool ValueSearch::isExact() const {
  return llvm::all_of(conditions, [&](const Condition &condition) {
    return condition.relation.evaluate([&](Expr symbol) {
      return std::optional(DynamicAPInt(values[numberOf.lookup(symbol)]));
    }) == condition.holds;
  });
}

bool ValueSearch::findValues() {
  for (Condition &condition : conditions)
    condition.timesViolated = 0;
  for (unsigned round = 0; round < maxRestarts; ++round) {
    restart(round);
    for (unsigned change = 0; change < maxChanges; ++change) {
      if (llvm::all_of(violations, [](unsigned amount) { return !amount; }))
        return isExact();
      for (auto [condition, amount] : llvm::zip(conditions, violations))
        condition.timesViolated += amount != 0;
      improve();
    }
  }
  return false;
}
