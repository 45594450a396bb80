//===- PrintClaims.cpp - All that is claimed of some values ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each op `probe.at` one line of JSON: what holds of its operands where it
// stands, to be compared with what a run of the program sees there. Quantities
// are numbered: a scalar is one, a tensor one per dimension.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/ValueBounds.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
using BoundType = ValueBounds::BoundType;
using Comparison = ValueBounds::Comparison;

template <typename T>
std::string str(const T &number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

/// What is claimed at one op.
class Claims {
public:
  Claims(ValueBounds &bounds, Operation *place, llvm::json::OStream &json)
      : bounds(bounds), shapes(bounds.getShapes()), place(place), json(json) {}

  void print() {
    if (bounds.factsBefore(place).isContradictory())
      return claim("unreachable", {}); // and all else, true or not
    SmallVector<Quantity> quantities;
    for (Value operand : place->getOperands()) {
      if (operand.getType().isInteger(1)) {
        printCondition(operand);
      } else if (auto type = dyn_cast<RankedTensorType>(operand.getType())) {
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          quantities.emplace_back(operand, dim);
      } else {
        quantities.emplace_back(operand);
      }
    }
    for (unsigned i = 0; i < quantities.size(); ++i) {
      printQuantity(i, quantities[i]);
      for (unsigned j = 0; j < quantities.size(); ++j)
        printComparisons(i, quantities[i], j, quantities[j]);
    }
  }

private:
  void claim(StringRef kind, std::initializer_list<llvm::json::Value> details) {
    json.arrayBegin();
    json.value(kind);
    for (const llvm::json::Value &detail : details)
      json.value(detail);
    json.arrayEnd();
  }

  void printCondition(Value boolean) {
    Formula f = shapes.condition(boolean);
    Answer answer = prove(bounds.factsBefore(place), f);
    if (answer.verdict != Verdict::Unknown)
      claim("condition", {conditions, answer.isYes(), answer.reason});
    ++conditions;
  }

  void printQuantity(unsigned i, const Quantity &q) {
    symshape::Range range = bounds.range(place, q);
    if (range.min)
      claim("at least", {i, str(*range.min)});
    if (range.max)
      claim("at most", {i, str(*range.max)});
    Expr e = q.expr(shapes);
    Residue residue = bounds.factsBefore(place).residue(e);
    if (!residue.isAll())
      claim("residue", {i, str(residue.remainder), str(residue.modulus)});
    for (auto [type, name] :
         {std::pair(BoundType::EQ, "equal"), std::pair(BoundType::LB, "lower"),
          std::pair(BoundType::UB, "upper")})
      for (const SymbolicBound &bound :
           bounds.bounds(place, type, q, isArgumentOfFunction))
        claim(name, {i, spell(bound)});
  }

  void printComparisons(unsigned i, const Quantity &a, unsigned j,
                        const Quantity &b) {
    if (i == j)
      return;
    for (auto [comparison, name] :
         {std::pair(Comparison::LT, "<"), std::pair(Comparison::LE, "<="),
          std::pair(Comparison::EQ, "==")}) {
      Answer answer = bounds.compare(place, a, comparison, b);
      if (answer.verdict != Verdict::Unknown)
        claim(name, {i, j, answer.isYes(), answer.reason});
    }
  }

  static bool isArgumentOfFunction(Value v, std::optional<int64_t>) {
    auto argument = dyn_cast<BlockArgument>(v);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }

  /// Over `arg0`, and `arg0_1` for its dimension 1.
  std::string spell(const SymbolicBound &bound) {
    ExprArena &arena = shapes.arena();
    auto name = [&](Expr symbol) -> Expr {
      for (auto [operand, where] : bound.operands)
        if (operand == symbol) {
          unsigned index = cast<BlockArgument>(where.first).getArgNumber();
          std::string text = "arg" + std::to_string(index);
          if (where.second)
            text += "_" + std::to_string(*where.second);
          return arena.symbol(text);
        }
      return Expr();
    };
    return arena.substitute(bound.expr, name).str();
  }

  ValueBounds &bounds;
  FunctionShapes &shapes;
  Operation *place;
  llvm::json::OStream &json;
  unsigned conditions = 0;
};

struct PrintClaimsPass
    : public PassWrapper<PrintClaimsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintClaimsPass)
  PrintClaimsPass() = default;
  PrintClaimsPass(const PrintClaimsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "symshape-print-claims"; }
  StringRef getDescription() const override {
    return "Prints what is known of the operands of probe.at";
  }

  void runOnOperation() override {
    ShapeAnalysis analysis(getOperation(), {assumeNoWrap});
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      FunctionShapes *shapes = analysis.lookup(function);
      if (!shapes)
        continue;
      ValueBounds bounds(*shapes);
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op->getName().getStringRef() == "probe.at")
          printClaims(bounds, op);
      });
    }
    markAllAnalysesPreserved();
  }

  Option<bool> assumeNoWrap{
      *this, "assume-no-wrap",
      llvm::cl::desc("Read arithmetic on indices as that of integers")};

  static void printClaims(ValueBounds &bounds, Operation *probe) {
    llvm::json::OStream json(llvm::outs());
    json.arrayBegin();
    json.value(probe->getParentOfType<func::FuncOp>().getName());
    json.value(probe->getAttrOfType<IntegerAttr>("id").getInt());
    Claims(bounds, probe, json).print();
    json.arrayEnd();
    llvm::outs() << '\n';
  }
};
} // namespace

void mlir::symshape::test::registerPrintClaimsPass() {
  PassRegistration<PrintClaimsPass>();
}
