//===- ValueSampler.cpp - Random values that meet the facts ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueSampler.h"
#include "symshape/Analysis/ValueBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;
using MaybeInt = std::optional<DynamicAPInt>;

/// As 64 bits hold it.
static DynamicAPInt wrap(const DynamicAPInt &exact) {
  DynamicAPInt half = DynamicAPInt(int64_t(1) << 62) * DynamicAPInt(2);
  return mod(exact + half, half * DynamicAPInt(2)) - half;
}

/// Each step wraps, as in the lowering to arith.
static MaybeInt evaluateMap(AffineExpr e, ArrayRef<DynamicAPInt> operands,
                            unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return DynamicAPInt(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(e);
  MaybeInt a = evaluateMap(binary.getLHS(), operands, numDims);
  MaybeInt b = evaluateMap(binary.getRHS(), operands, numDims);
  if (!a || !b)
    return std::nullopt;
  if (e.getKind() == AffineExprKind::Add)
    return wrap(*a + *b);
  if (e.getKind() == AffineExprKind::Mul)
    return wrap(*a * *b);
  if (*b <= 0)
    return std::nullopt;
  if (e.getKind() == AffineExprKind::Mod)
    return mod(*a, *b);
  return e.getKind() == AffineExprKind::FloorDiv ? floorDiv(*a, *b)
                                                 : ceilDiv(*a, *b);
}

/// What either branch yields, where its condition is an argument.
MaybeInt ValueSampler::computeBranch(scf::IfOp op, unsigned result) {
  if (!isa<BlockArgument>(op.getCondition()))
    return std::nullopt;
  auto [it, isNew] = branches.try_emplace(op, false);
  if (isNew)
    it->second = random() % 2;
  scf::YieldOp yield = it->second ? op.thenYield() : op.elseYield();
  return evaluate(shapes.value(yield.getOperand(result)));
}

/// Additions, and branches on what no op here computes: either is taken.
MaybeInt ValueSampler::run(Value scalar, const Environment &known) {
  auto found = known.find(scalar);
  if (found != known.end())
    return found->second;
  Operation *op = scalar.getDefiningOp();
  if (!op || !op->getParentOfType<scf::ForOp>())
    return evaluate(shapes.value(scalar));
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    scf::YieldOp yield = random() % 2 ? branch.thenYield() : branch.elseYield();
    return run(yield.getOperand(cast<OpResult>(scalar).getResultNumber()),
               known);
  }
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  MaybeInt a = run(op->getOperand(0), known), b = run(op->getOperand(1), known);
  if (!a || !b)
    return std::nullopt;
  return wrap(isa<arith::AddIOp>(op) ? *a + *b : *a - *b);
}

MaybeInt ValueSampler::computeLoop(scf::ForOp op, unsigned result) {
  constexpr unsigned maxTrips = 64;
  MaybeInt counter = evaluate(shapes.value(op.getLowerBound()));
  MaybeInt end = evaluate(shapes.value(op.getUpperBound()));
  MaybeInt step = evaluate(shapes.value(op.getStep()));
  if (op.getUnsignedCmp() || !counter || !end || !step || *step <= 0)
    return std::nullopt;
  SmallVector<MaybeInt> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(evaluate(shapes.value(init)));
  for (unsigned trip = 0; *counter < *end; ++trip, *counter += *step) {
    if (trip == maxTrips)
      return std::nullopt;
    Environment known{{op.getInductionVar(), *counter}};
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      if (value)
        known[argument] = *value;
    for (auto [value, yielded] : llvm::zip(carried, op.getYieldedValues()))
      value = run(yielded, known);
  }
  return carried[result];
}

MaybeInt ValueSampler::computeLinear(affine::AffineLinearizeIndexOp op) {
  SmallVector<OpFoldResult> basis = op.getMixedBasis();
  size_t skipped = op.getMultiIndex().size() - basis.size();
  DynamicAPInt linear(0);
  for (auto [i, index] : llvm::enumerate(op.getMultiIndex())) {
    MaybeInt digit = evaluate(shapes.value(index)), extent(DynamicAPInt(1));
    if (i > 0 && i >= skipped)
      extent = evaluate(Quantity(basis[i - skipped]).expr(shapes));
    if (!digit || !extent)
      return std::nullopt;
    linear = wrap(wrap(linear * *extent) + *digit);
  }
  return linear;
}

/// As MLIR folds the op for constants; nullopt where it does not.
MaybeInt ValueSampler::fold(OpResult scalar) {
  Operation *op = scalar.getOwner();
  if (op->getNumRegions() > 0 || !scalar.getType().isSignlessIntOrIndex())
    return std::nullopt;
  SmallVector<Attribute> constants;
  for (Value operand : op->getOperands()) {
    Type type = operand.getType();
    if (!type.isSignlessIntOrIndex())
      return std::nullopt;
    MaybeInt value =
        type.isInteger(1) ? compute(operand) : evaluate(shapes.value(operand));
    if (!value)
      return std::nullopt;
    constants.push_back(IntegerAttr::get(type, int64_t(*value)));
  }
  SmallVector<OpFoldResult> results;
  Operation *copy = op->clone(); // folding may change the op
  bool isFolded = succeeded(copy->fold(constants, results));
  copy->destroy();
  unsigned number = scalar.getResultNumber();
  if (!isFolded || results.size() <= number)
    return std::nullopt;
  auto attr = dyn_cast<Attribute>(results[number]);
  auto integer = dyn_cast_if_present<IntegerAttr>(attr);
  if (!integer || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  return DynamicAPInt(integer.getValue().getSExtValue());
}

/// The result of index arithmetic; nullopt for any other op.
MaybeInt ValueSampler::compute(Value scalar) {
  Operation *op = scalar.getDefiningOp();
  if (auto loop = dyn_cast_if_present<scf::ForOp>(op))
    return computeLoop(loop, cast<OpResult>(scalar).getResultNumber());
  if (auto branch = dyn_cast_if_present<scf::IfOp>(op))
    return computeBranch(branch, cast<OpResult>(scalar).getResultNumber());
  if (!op)
    return std::nullopt;
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, affine::AffineApplyOp,
           affine::AffineMinOp, affine::AffineMaxOp,
           affine::AffineLinearizeIndexOp>(op))
    return fold(cast<OpResult>(scalar));
  SmallVector<DynamicAPInt> operands;
  for (Value operand : op->getOperands()) {
    MaybeInt value = evaluate(shapes.value(operand));
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  if (isa<arith::AddIOp>(op))
    return wrap(operands[0] + operands[1]);
  if (isa<arith::SubIOp>(op))
    return wrap(operands[0] - operands[1]);
  if (isa<arith::MulIOp>(op))
    return wrap(operands[0] * operands[1]);
  if (auto linearize = dyn_cast<affine::AffineLinearizeIndexOp>(op))
    return computeLinear(linearize);
  AffineMap map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
  MaybeInt chosen;
  for (AffineExpr result : map.getResults()) {
    MaybeInt value = evaluateMap(result, operands, map.getNumDims());
    if (!value)
      return std::nullopt;
    bool isBetter = isa<affine::AffineMinOp>(op) ? !chosen || *value < *chosen
                                                 : !chosen || *value > *chosen;
    if (isBetter)
      chosen = value;
  }
  return chosen;
}

/// Small numbers, the ends of the range, and parts of these.
DynamicAPInt ValueSampler::drawOne(const SymbolInfo &info, bool isUnsigned) {
  auto uniform = [&](int64_t lo, int64_t hi) {
    return DynamicAPInt(std::uniform_int_distribution<int64_t>(lo, hi)(random));
  };
  const DynamicAPInt least(std::numeric_limits<int64_t>::min());
  DynamicAPInt most(std::numeric_limits<int64_t>::max());
  if (isUnsigned)
    most = most * 2 + 1;
  const Range &range = info.range;
  DynamicAPInt lo = range.min.value_or(least);
  DynamicAPInt hi = range.max.value_or(most);
  for (int i = 0; i < 20; ++i) {
    int64_t kind = int64_t(uniform(0, 7));
    const DynamicAPInt &end = uniform(0, 1) == 0 ? lo : hi;
    DynamicAPInt value =
        kind == 0   ? lo + uniform(0, 9)
        : kind == 1 ? hi - uniform(0, 9)
        : kind == 2
            ? floorDiv(end * uniform(1, 8), uniform(2, 9)) + uniform(-3, 3)
            : uniform(-6, 40);
    if (lo <= value && value <= hi && info.residue.contains(value))
      return value;
  }
  return lo;
}

MaybeInt ValueSampler::valueOf(Expr symbol) {
  auto known = values.find(symbol);
  if (known != values.end())
    return known->second;
  const SymbolDef *def = shapes.definition(symbol);
  MaybeInt value;
  if (def && def->kind == SymbolDef::Scalar)
    value = compute(def->value);
  if (def && def->kind == SymbolDef::Solved)
    value = evaluate(def->solution);
  if (auto [a, b] = shapes.sidesOfJoin(symbol); a)
    value = evaluate(random() % 2 ? a : b);
  if (!value) {
    // A loop that compares without a sign may have more than 2^63 iterations.
    bool isIteration = def && def->kind == SymbolDef::Iteration;
    value = drawOne(set.info(symbol), isIteration && random() % 2);
    drawn.push_back(symbol);
  }
  values.insert({symbol, *value});
  return value;
}

MaybeInt ValueSampler::evaluate(Expr e) {
  return shapes.arena().evaluateExact(
      e, [&](Expr symbol) { return valueOf(symbol); });
}

bool ValueSampler::draw(ArrayRef<Expr> wanted) {
  values.clear();
  drawn.clear();
  branches.clear();
  for (Expr e : wanted)
    if (!evaluate(e))
      return false;
  // Facts that nothing connects with these values hold for others.
  auto open = llvm::to_vector(llvm::seq<FactId>(0, set.numFacts()));
  while (true) {
    auto isConnected = [&](FactId id) {
      const Relation &fact = set.fact(id);
      return llvm::any_of(fact.lhs.symbols(),
                          [&](Expr s) { return values.contains(s); }) ||
             llvm::any_of(fact.rhs.symbols(),
                          [&](Expr s) { return values.contains(s); });
    };
    auto *next = llvm::find_if(open, isConnected);
    if (next == open.end())
      break;
    std::optional<bool> holds =
        set.fact(*next).evaluate([&](Expr symbol) { return valueOf(symbol); });
    if (!holds || !*holds)
      return false;
    open.erase(next);
  }
  for (const auto &[symbol, value] : values) {
    SymbolInfo info = set.info(symbol);
    if (!info.range.contains(value) || !info.residue.contains(value))
      return false;
  }
  return true;
}

bool ValueSampler::isGenuine() {
  return llvm::all_of(drawn, [&](Expr symbol) {
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || def->kind == SymbolDef::Callee)
      return false;
    if (def->kind == SymbolDef::Iteration)
      return true;
    auto argument = dyn_cast<BlockArgument>(def->value);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  });
}

std::string ValueSampler::str() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &[symbol, value] : values)
    os << (text.empty() ? "" : ", ") << shapes.describeSymbol(symbol) << " = "
       << value;
  return text.empty() ? "in every run" : text;
}
