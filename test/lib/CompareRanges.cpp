//===- CompareRanges.cpp - Our ranges beside upstream's -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each integer scalar that is no truth value, the range that upstream's
// IntegerRangeAnalysis finds and ours, both read as signed numbers. Prints one
// line of JSON per scalar: same, tighter (ours says more), weaker, apart (no
// number is in both, so one is wrong), follows: weaker, as an operand is, or as
// one is a truth value, or has a range only without a sign, or unreachable,
// with the reason. Upstream's is wrong, or of another model, if values are
// found for which it is. A counter of a loop that compares without a sign, and
// what such a loop carries, is marked. For:
// test/Analysis/check_integer_ranges.py.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "UpstreamJudgement.h"
#include "ValueSampler.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using llvm::DynamicAPInt;

namespace {
/// Both ends belong to it.
struct SignedRange {
  int64_t least, most;

  bool operator==(const SignedRange &other) const {
    return least == other.least && most == other.most;
  }
  bool isWithin(const SignedRange &other) const {
    return other.least <= least && most <= other.most;
  }
  llvm::json::Value toJSON() const { return llvm::json::Array{least, most}; }
};

struct CompareRangesPass
    : public PassWrapper<CompareRangesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompareRangesPass)
  CompareRangesPass() = default;
  CompareRangesPass(const CompareRangesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "symshape-compare-ranges"; }
  StringRef getDescription() const override {
    return "Compares ranges of integers with those of upstream's analysis";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(module)))
      return signalPassFailure();
    Reading machine(module, /*assumeNoWrap=*/false);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        print(solver, machine, function);
  }

private:
  void print(DataFlowSolver &solver, Reading &machine, func::FuncOp function) {
    size_t known;
    do { // again if loops carry what turned out to be weaker
      known = loose.size();
      lines.clear();
      compareAll(solver, machine, function);
    } while (loose.size() != known);
    for (llvm::json::Object &line : lines)
      llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
  }

  /// In the order in which values are computed, so that it is known of those
  /// that are passed on whether they are weaker.
  void compareAll(DataFlowSolver &solver, Reading &machine, Operation *around) {
    for (Region &region : around->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          if (!block.isEntryBlock() && isGivenLoose(argument))
            loose.insert(argument);
          else if (block.isEntryBlock() && !isa<func::FuncOp>(around))
            compare(solver, machine, argument, &block.front());
        for (Operation &op : block) {
          compareAll(solver, machine, &op);
          if (Operation *next = op.getNextNode())
            for (Value result : op.getResults())
              compare(solver, machine, result, next);
        }
      }
  }

  /// What upstream knows, as signed numbers: the ends that are known of the
  /// number without a sign count, too.
  static std::optional<SignedRange> upstream(DataFlowSolver &solver,
                                             Value value) {
    auto *lattice =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!lattice || lattice->getValue().isUninitialized())
      return std::nullopt;
    const ConstantIntRanges &range = lattice->getValue().getValue();
    unsigned width = range.smin().getBitWidth();
    if (width == 0 || width > 64)
      return std::nullopt;
    SignedRange known = {range.smin().getSExtValue(),
                         range.smax().getSExtValue()};
    if (range.umin().isNegative() == range.umax().isNegative()) {
      known.least = std::max(known.least, range.umin().getSExtValue());
      known.most = std::min(known.most, range.umax().getSExtValue());
    }
    return known;
  }

  /// Ours; an end that is missing is that of the type.
  static SignedRange ours(Reading &machine, Value value, Operation *place) {
    unsigned width = value.getType().isIndex()
                         ? 64
                         : value.getType().getIntOrFloatBitWidth();
    SignedRange known = {llvm::minIntN(width), llvm::maxIntN(width)};
    symshape::Range range =
        machine.boundsOf(place).range(place, Quantity(value));
    if (range.min && *range.min > known.least)
      known.least = int64_t(*range.min);
    if (range.max && *range.max < known.most)
      known.most = int64_t(*range.max);
    return known;
  }

  /// The name in the location of the op that defines the value.
  static StringRef nameOf(Value value) {
    auto name = dyn_cast<NameLoc>(value.getLoc());
    return name && value.getDefiningOp() ? name.getName().getValue() : "";
  }

  /// Which number outside of upstream's range the value can be: "upstream
  /// wrong" if a machine computes it, "another model" if each sum of a map is
  /// exact; and for which values it is so. Empty: none was found.
  static std::pair<StringRef, std::string>
  findWitness(Reading &machine, Value value, Operation *place,
              const SignedRange &range) {
    constexpr unsigned maxDraws = 40000;
    const auto fits = symshape::Range::between(INT64_MIN, INT64_MAX);
    ValueBounds &bounds = machine.boundsOf(place);
    FunctionShapes &shapes = bounds.getShapes();
    ValueSampler sampler(shapes, bounds.factsBefore(place));
    auto isOutside = [&](const DynamicAPInt &v) {
      return v < range.least || v > range.most;
    };
    std::string ofSums;
    for (unsigned i = 0; i < maxDraws; ++i) {
      if (!sampler.draw({shapes.value(value)}) || !sampler.isGenuine())
        continue;
      DynamicAPInt exact = *sampler.evaluate(shapes.value(value));
      std::optional<DynamicAPInt> computed = exact;
      if (value.getDefiningOp<affine::AffineApplyOp>())
        computed = sampler.compute(value);
      bool isWrapped = computed != exact;
      if (computed && isOutside(*computed) && !isWrapped)
        return {"upstream wrong", sampler.str()};
      if (isWrapped && ((computed && isOutside(*computed)) ||
                        (isOutside(exact) && fits.contains(exact))))
        ofSums = sampler.str();
    }
    return {ofSums.empty() ? "" : "another model", ofSums};
  }

  /// Whether an operand is a truth value, is weaker itself, or has a range that
  /// goes over the sign; of an op with regions, what they yield counts too.
  bool isAboutLoose(DataFlowSolver &solver, Operation *op) {
    auto isLoose = [&](Value operand) {
      if (operand.getType().isInteger(1) || loose.contains(operand))
        return true;
      auto *lattice =
          solver.lookupState<dataflow::IntegerValueRangeLattice>(operand);
      if (!lattice || lattice->getValue().isUninitialized())
        return false;
      const ConstantIntRanges &range = lattice->getValue().getValue();
      bool isAll = range.umin().isMinValue() && range.umax().isMaxValue();
      return range.smin().getBitWidth() > 0 && !isAll &&
             range.umin().isNegative() != range.umax().isNegative();
    };
    return llvm::any_of(op->getOperands(), isLoose) ||
           isYieldLoose(op, isLoose);
  }

  static bool isYieldLoose(Operation *around,
                           llvm::function_ref<bool(Value)> isLoose) {
    return llvm::any_of(around->getRegions(), [&](Region &region) {
      return llvm::any_of(region, [&](Block &block) {
        return block.mightHaveTerminator() &&
               llvm::any_of(block.getTerminator()->getOperands(), isLoose);
      });
    });
  }

  /// Whether a value that may be passed for an argument of a block is weaker.
  bool isGivenLoose(Value argument) {
    Operation *around = argument.getParentBlock()->getParentOp();
    auto isLoose = [&](Value v) { return loose.contains(v); };
    return llvm::any_of(around->getOperands(), isLoose) ||
           isYieldLoose(around, isLoose) ||
           llvm::any_of(argument.getParentBlock()->getPredecessors(),
                        [&](Block *block) {
                          return llvm::any_of(
                              block->getTerminator()->getOperands(), isLoose);
                        });
  }

  /// Whether ours proves a range, though it does not find it as the narrowest.
  static bool isProved(Reading &machine, Value value, Operation *place,
                       const SignedRange &range) {
    using Comparison = ValueBounds::Comparison;
    ValueBounds &bounds = machine.boundsOf(place);
    Quantity q(value);
    return bounds.compare(place, q, Comparison::GE, range.least).isYes() &&
           bounds.compare(place, q, Comparison::LE, range.most).isYes();
  }

  llvm::DenseSet<Value> loose; ///< those that are weaker, or follow
  std::vector<llvm::json::Object> lines;

  void compare(DataFlowSolver &solver, Reading &machine, Value value,
               Operation *place) {
    if (!value.getType().isSignlessIntOrIndex() || value.getType().isInteger(1))
      return;
    std::optional<SignedRange> theirs = upstream(solver, value);
    if (!theirs) {
      // Read as signed, the loop may have no iteration.
      auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
      bool isCounter =
          loop && loop.getUnsignedCmp() && value == loop.getInductionVar();
      Operation *op = value.getDefiningOp();
      if (isCounter || (op && llvm::any_of(op->getOperands(), [&](Value v) {
                          return loose.contains(v);
                        })))
        loose.insert(value);
      return;
    }
    std::string reason = whyUnreachable(machine, place);
    SignedRange own = ours(machine, value, place);
    bool isApart = own.least > theirs->most || own.most < theirs->least;
    Operation *op = value.getDefiningOp();
    bool isLoose = op ? isAboutLoose(solver, op) : isGivenLoose(value);
    StringRef outcome = !reason.empty()         ? "unreachable"
                        : own == *theirs        ? "same"
                        : own.isWithin(*theirs) ? "tighter"
                        : isLoose               ? "follows"
                        : isApart               ? "apart"
                                                : "weaker";
    if (outcome == "weaker" && isProved(machine, value, place, *theirs))
      outcome = "same";
    else if (reason.empty() && !own.isWithin(*theirs))
      loose.insert(value);
    std::string witness;
    if (outcome == "weaker" || outcome == "apart") {
      auto [kind, shown] = findWitness(machine, value, place, *theirs);
      if (!kind.empty())
        outcome = kind;
      witness = shown;
    }
    auto counted =
        dyn_cast<scf::ForOp>(op ? op : value.getParentBlock()->getParentOp());
    std::string text;
    llvm::raw_string_ostream os(text);
    if (op)
      op->print(os, OpPrintingFlags().skipRegions().useLocalScope());
    else
      value.print(os);
    lines.push_back(llvm::json::Object{
        {"op",
         op ? op->getName().getStringRef()
            : value.getParentBlock()->getParentOp()->getName().getStringRef()},
        {"name", nameOf(value)},
        {"function", place->getParentOfType<func::FuncOp>().getName()},
        {"outcome", outcome},
        {"upstream", theirs->toJSON()},
        {"ours", own.toJSON()},
        {"reason", reason},
        {"witness", witness},
        {"unsigned", counted && counted.getUnsignedCmp()},
        {"text", text}});
  }
};
} // namespace

void mlir::symshape::test::registerCompareRangesPass() {
  PassRegistration<CompareRangesPass>();
}
