//===- CompareBounds.cpp - Our bounds beside those of upstream ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives `test.reify_bound` and `test.compare` the meaning that they have
// upstream, asks both engines, and prints one line of JSON per op: how the
// answers relate. Both bounds are materialised before the op, as the operands
// of `bounds.pair`, and compared there again. For: utils/compare_upstream.py.
//
// Upstream reads index arithmetic as that of integers. Where its answer cannot
// be proved of arithmetic that wraps, it is looked at with assume-no-wrap, and
// a witness is searched: values for which the machine's result breaks the
// bound.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "UpstreamQuery.h"
#include "ValueSampler.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/ReifyBounds.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using BoundType = UpstreamQuery::BoundType;
using llvm::DynamicAPInt;

namespace {
/// Draws of values, most of which break a fact and are dropped.
constexpr unsigned maxDraws = 4000;

/// One reading of the module: as the machine computes, or without wraps.
struct Reading {
  Reading(ModuleOp module, bool assumeNoWrap)
      : analysis(module, ShapeAnalysisOptions{assumeNoWrap}) {}

  ValueBounds &boundsOf(Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    std::unique_ptr<ValueBounds> &bounds = boundsOfFunction[function];
    if (!bounds)
      bounds = std::make_unique<ValueBounds>(*analysis.lookup(function));
    return *bounds;
  }

  ShapeAnalysis analysis;
  llvm::DenseMap<Operation *, std::unique_ptr<ValueBounds>> boundsOfFunction;
};

/// How our answer relates to upstream's, and what shows it.
struct Judgement {
  std::string outcome, upstream, ours, witness;
};

/// What `bound` says of `e`.
Relation relationOf(BoundType type, Expr e, Expr bound) {
  return type == BoundType::EQ   ? Relation::eq(e, bound)
         : type == BoundType::LB ? Relation::le(bound, e)
                                 : Relation::le(e, bound);
}

/// Both answers to one question about a bound, in one reading.
class BoundComparison {
public:
  BoundComparison(const UpstreamQuery &query, ValueBounds &bounds, Value vscale)
      : query(query), bounds(bounds), shapes(bounds.getShapes()),
        vscale(vscale) {
    subject = subjectOf(query).expr(shapes);
    if (query.boundMap)
      upstream = upstreamBound().expr(shapes);
    findOurs();
  }

  static Quantity subjectOf(const UpstreamQuery &query) {
    return Quantity(query.subject);
  }

  Quantity upstreamBound() const {
    SmallVector<Quantity> operands(query.boundOperands.begin(),
                                   query.boundOperands.end());
    if (query.boundMap->getNumInputs() > operands.size())
      operands.assign(1, Quantity(vscale));
    return Quantity(*query.boundMap, operands);
  }

  bool stop(Value v, std::optional<int64_t>) const {
    auto argument = dyn_cast<BlockArgument>(v);
    switch (query.terms) {
    case InTermsOf::OtherValues:
      return v != query.subject.first;
    case InTermsOf::Arguments:
      return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    case InTermsOf::Vscale:
      return v == vscale;
    case InTermsOf::Nothing:
      return false;
    }
    llvm_unreachable("no other terms");
  }

  bool hasOurs() const { return !ours.empty(); }
  bool isUpstreamProved() {
    return facts().isProvably(relationOf(query.type, subject, upstream));
  }

  /// same, tighter, different form, weaker; or ours is wrong.
  std::string relate() {
    if (ours.empty())
      return "weaker";
    for (Expr e : ours)
      if (facts().isProvably(Relation::eq(e, upstream)))
        return "same";
    for (Expr e : ours)
      if (query.type != BoundType::EQ &&
          facts().isProvably(relationOf(query.type, e, upstream)))
        return "tighter";
    return relateBySamples();
  }

  /// Values for which upstream's bound does not hold; empty: none found.
  std::string findWitness() {
    ValueSampler sampler(shapes, facts());
    for (unsigned i = 0; i < maxDraws; ++i)
      if (sampler.draw({subject, upstream}) && sampler.isGenuine() &&
          !holds(sampler, subject, upstream))
        return sampler.str();
    return "";
  }

  std::string oursAsText() { return spell(ours); }
  std::string upstreamAsText() { return upstream ? spell(upstream) : "none"; }

private:
  ConstraintSet &facts() { return bounds.factsBefore(query.op); }

  void findOurs() {
    Quantity q = subjectOf(query);
    ExprArena &arena = shapes.arena();
    if (query.terms == InTermsOf::Nothing) {
      if (auto known = bounds.constantBound(query.op, query.type, q))
        ours.push_back(arena.constant(*known));
      return;
    }
    for (const SymbolicBound &bound :
         bounds.bounds(query.op, query.type, q,
                       [&](Value v, auto d) { return stop(v, d); }))
      ours.push_back(bound.expr);
  }

  bool holds(ValueSampler &sampler, Expr e, Expr bound) {
    DynamicAPInt value = *sampler.evaluate(e), end = *sampler.evaluate(bound);
    return query.type == BoundType::EQ   ? value == end
           : query.type == BoundType::LB ? end <= value
                                         : value <= end;
  }

  std::string relateBySamples() {
    ValueSampler sampler(shapes, facts());
    SmallVector<Expr> wanted{subject, upstream};
    wanted.append(ours.begin(), ours.end());
    for (unsigned i = 0; i < maxDraws; ++i) {
      if (!sampler.draw(wanted))
        continue;
      if (!llvm::all_of(ours,
                        [&](Expr e) { return holds(sampler, subject, e); }))
        return "ours wrong";
      if (llvm::none_of(ours,
                        [&](Expr e) { return holds(sampler, e, upstream); }))
        return "weaker";
    }
    return "different form";
  }

  /// With what each symbol stands for in place of its name.
  std::string spell(ArrayRef<Expr> expressions) {
    std::string text;
    ExprArena &arena = shapes.arena();
    for (Expr e : expressions) {
      auto name = [&](Expr symbol) {
        return arena.symbol(shapes.describeSymbol(symbol));
      };
      text += (text.empty() ? "" : "; ") + arena.substitute(e, name).str();
    }
    return text.empty() ? "none" : text;
  }

  const UpstreamQuery &query;
  ValueBounds &bounds;
  FunctionShapes &shapes;
  Value vscale;
  Expr subject, upstream;
  SmallVector<Expr> ours;
};

Judgement judgeBound(const UpstreamQuery &query, Reading &machine,
                     Reading &noWrap, Value vscale) {
  BoundComparison wrapping(query, machine.boundsOf(query.op), vscale);
  Judgement j{"", wrapping.upstreamAsText(), wrapping.oursAsText(), ""};
  if (!query.boundMap) {
    j.outcome = wrapping.hasOurs() ? "tighter" : "neither";
    return j;
  }
  if (wrapping.isUpstreamProved()) {
    j.outcome = wrapping.relate();
    return j;
  }
  BoundComparison exact(query, noWrap.boundsOf(query.op), vscale);
  j.ours = exact.oursAsText();
  if (!exact.isUpstreamProved()) {
    j.witness = exact.findWitness();
    j.outcome = j.witness.empty() ? "weaker" : "upstream wrong";
    return j;
  }
  std::string related = exact.relate();
  j.witness = wrapping.findWitness();
  bool isAsTight = related != "weaker" && related != "ours wrong";
  j.outcome = !isAsTight          ? related
              : j.witness.empty() ? "weaker"
                                  : "needs no wrap";
  return j;
}

std::optional<bool> decide(const UpstreamQuery &query, ValueBounds &bounds) {
  return decideComparison(query.comparison, [&](ValueBounds::Comparison c) {
    return bounds
        .compare(query.op, query.sideOf(query.lhsMap, query.lhs), c,
                 query.sideOf(query.rhsMap, query.rhs))
        .isYes();
  });
}

/// Values for which upstream's answer to a comparison is wrong.
std::string findWitness(const UpstreamQuery &query, ValueBounds &bounds) {
  FunctionShapes &shapes = bounds.getShapes();
  Expr lhs = query.sideOf(query.lhsMap, query.lhs).expr(shapes);
  Expr rhs = query.sideOf(query.rhsMap, query.rhs).expr(shapes);
  ValueSampler sampler(shapes, bounds.factsBefore(query.op));
  for (unsigned i = 0; i < maxDraws; ++i) {
    if (!sampler.draw({lhs, rhs}) || !sampler.isGenuine())
      continue;
    DynamicAPInt a = *sampler.evaluate(lhs), b = *sampler.evaluate(rhs);
    bool seen = [&] {
      switch (query.comparison) {
      case ValueBounds::Comparison::LT:
        return a < b;
      case ValueBounds::Comparison::LE:
        return a <= b;
      case ValueBounds::Comparison::EQ:
        return a == b;
      case ValueBounds::Comparison::GT:
        return a > b;
      case ValueBounds::Comparison::GE:
        return a >= b;
      }
      llvm_unreachable("no other comparison");
    }();
    if (seen != *query.verdict)
      return sampler.str();
  }
  return "";
}

Judgement judgeComparison(const UpstreamQuery &query, Reading &machine,
                          Reading &noWrap) {
  auto text = [](std::optional<bool> v) {
    return v ? *v ? "true" : "false" : "unknown";
  };
  std::optional<bool> ours = decide(query, machine.boundsOf(query.op));
  Judgement j{"", text(query.verdict), text(ours), ""};
  if (ours == query.verdict) {
    j.outcome = ours ? "same" : "neither";
    return j;
  }
  if (!query.verdict) {
    j.outcome = "tighter";
    return j;
  }
  j.witness = findWitness(query, machine.boundsOf(query.op));
  std::optional<bool> exact = decide(query, noWrap.boundsOf(query.op));
  j.ours = text(exact);
  if (exact != query.verdict)
    j.outcome = exact ? "upstream wrong" : "weaker";
  else
    j.outcome = j.witness.empty() ? "weaker" : "needs no wrap";
  return j;
}

struct CompareBoundsPass
    : public PassWrapper<CompareBoundsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompareBoundsPass)
  CompareBoundsPass() = default;
  CompareBoundsPass(const CompareBoundsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "symshape-compare-bounds"; }
  StringRef getDescription() const override {
    return "Compares bounds with upstream's at the ops of the test dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    func::FuncDialect, memref::MemRefDialect, SymShapeDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    takeKernels(module);
    std::vector<UpstreamQuery> queries;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto query = UpstreamQuery::read(op, overArguments))
        queries.push_back(*query);
    });
    for (UpstreamQuery &query : queries)
      query.askUpstream();
    for (UpstreamQuery &query : queries)
      if (query.terms == InTermsOf::Vscale)
        nameVscale(query);
    for (UpstreamQuery &query : queries)
      if (query.terms == InTermsOf::Vscale)
        query.subject.first = query.op->getOperand(0);
    Reading machine(module, false), noWrap(module, true);
    std::vector<Judgement> judgements;
    for (UpstreamQuery &query : queries)
      judgements.push_back(
          query.isBound ? judgeBound(query, machine, noWrap, vscaleAt(query.op))
                        : judgeComparison(query, machine, noWrap));
    SmallVector<Operation *> pairs;
    for (UpstreamQuery &query : queries)
      pairs.push_back(materialise(query, noWrap));
    Reading again(module, true);
    for (auto [query, judgement, pair] : llvm::zip(queries, judgements, pairs))
      print(query, judgement, pair ? comparePair(query, pair, again) : "");
  }

  Option<bool> overArguments{
      *this, "reify-to-func-args",
      llvm::cl::desc("Bounds are asked in terms of the arguments")};

private:
  /// Makes functions of func out of kernels; what is known of their launch
  /// becomes attributes that every function may have.
  void takeKernels(ModuleOp module) {
    SmallVector<FunctionOpInterface> kernels;
    module.walk([&](FunctionOpInterface function) {
      if (isa<gpu::GPUFuncOp, LLVM::LLVMFuncOp>(*function) &&
          !function.isExternal())
        kernels.push_back(function);
    });
    for (FunctionOpInterface kernel : kernels) {
      OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
      auto type = builder.getFunctionType(kernel.getArgumentTypes(), {});
      auto function = func::FuncOp::create(builder, kernel.getLoc(),
                                           kernel.getName(), type);
      if (auto gpuFunction = dyn_cast<gpu::GPUFuncOp>(*kernel)) {
        if (auto size = gpuFunction.getKnownBlockSizeAttr())
          function->setAttr("gpu.known_block_size", size);
        if (auto size = gpuFunction.getKnownGridSizeAttr())
          function->setAttr("gpu.known_grid_size", size);
      }
      function.getBody().takeBody(kernel.getFunctionBody());
      for (Block &block : function.getBody()) {
        Operation *end = block.getTerminator();
        if (!isa<gpu::ReturnOp, LLVM::ReturnOp>(end))
          continue;
        builder.setInsertionPoint(end);
        func::ReturnOp::create(builder, end->getLoc());
        end->erase();
      }
      kernel->erase();
    }
    for (auto gpuModule :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      gpuModule.erase();
  }

  /// One vscale per function, of the range that the question gives.
  void nameVscale(const UpstreamQuery &query) {
    auto function = query.op->getParentOfType<func::FuncOp>();
    Value &named = vscales[function];
    if (named)
      return;
    SmallVector<Operation *> others;
    function.walk([&](vector::VectorScaleOp op) { others.push_back(op); });
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    Value vscale = vector::VectorScaleOp::create(builder, loc);
    std::string least = "v >= " + std::to_string(query.vscale.first);
    std::string most = "v <= " + std::to_string(query.vscale.second);
    named = AssumeOp::create(builder, loc, vscale.getType(), vscale,
                             builder.getStrArrayAttr({least, most}),
                             builder.getStrArrayAttr({"v"}))
                .getResult(0);
    for (Operation *op : others)
      op->getResult(0).replaceAllUsesWith(named);
  }

  Value vscaleAt(Operation *op) {
    return vscales.lookup(op->getParentOfType<func::FuncOp>());
  }

  /// `bounds.pair` of upstream's bound and ours; null where one is missing.
  Operation *materialise(const UpstreamQuery &query, Reading &reading) {
    if (!query.isBound || !query.boundMap)
      return nullptr;
    OpBuilder builder(query.op);
    Location loc = query.op->getLoc();
    ValueBounds &bounds = reading.boundsOf(query.op);
    BoundComparison comparison(query, bounds, vscaleAt(query.op));
    if (!comparison.hasOurs())
      return nullptr;
    FailureOr<OpFoldResult> ours =
        reifyBound(builder, loc, bounds, query.op, query.type,
                   BoundComparison::subjectOf(query),
                   [&](Value v, auto d) { return comparison.stop(v, d); });
    if (failed(ours))
      return nullptr;
    ValueDimList operands(query.boundOperands.begin(),
                          query.boundOperands.end());
    if (query.boundMap->getNumInputs() > operands.size())
      operands.push_back({vscaleAt(query.op), std::nullopt});
    OpFoldResult upstream = affine::materializeComputedBound(
        builder, loc, *query.boundMap, operands);
    OperationState state(loc, "bounds.pair");
    state.addOperands({getValueOrCreateConstantIndexOp(builder, loc, upstream),
                       getValueOrCreateConstantIndexOp(builder, loc, *ours)});
    return builder.create(state);
  }

  /// Whether ours is at least as tight, said of the ops that compute both.
  std::string comparePair(const UpstreamQuery &query, Operation *pair,
                          Reading &reading) {
    using Comparison = ValueBounds::Comparison;
    ValueBounds &bounds = reading.boundsOf(pair);
    Comparison comparison = query.type == BoundType::EQ   ? Comparison::EQ
                            : query.type == BoundType::LB ? Comparison::GE
                                                          : Comparison::LE;
    Answer answer = bounds.compare(pair, pair->getOperand(1), comparison,
                                   pair->getOperand(0));
    return answer.isYes() ? "as tight" : answer.isNo() ? "weaker" : "unknown";
  }

  static void print(const UpstreamQuery &query, const Judgement &judgement,
                    const std::string &materialised) {
    auto function = query.op->getParentOfType<func::FuncOp>();
    llvm::json::Object line{
        {"function", function.getName()}, {"query", query.str()},
        {"outcome", judgement.outcome},   {"upstream", judgement.upstream},
        {"ours", judgement.ours},         {"witness", judgement.witness},
        {"materialised", materialised}};
    llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
  }

  llvm::DenseMap<Operation *, Value> vscales;
};
} // namespace

void mlir::symshape::test::registerCompareBoundsPass() {
  PassRegistration<CompareBoundsPass>();
}
