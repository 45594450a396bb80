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
#include "UpstreamJudgement.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/ReifyBounds.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using BoundType = UpstreamQuery::BoundType;

namespace {
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
    if (asksAll)
      askAll(module);
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
    for (auto [query, judgement] : llvm::zip(queries, judgements))
      pairs.push_back(materialise(query, judgement, noWrap));
    Reading again(module, true);
    for (auto [query, judgement, pair] : llvm::zip(queries, judgements, pairs))
      print(query, judgement, pair ? comparePair(query, pair, again) : "");
  }

  Option<bool> overArguments{
      *this, "reify-to-func-args",
      llvm::cl::desc("Bounds are asked in terms of the arguments")};

  Option<bool> asksAll{
      *this, "all",
      llvm::cl::desc("Bounds of each index and of each open extent are asked")};

private:
  /// Asks for all bounds of each index and open extent, right after it is made.
  static void askAll(ModuleOp module) {
    std::vector<std::pair<Value, Operation *>> made;
    auto note = [&](ValueRange values, Operation *next) {
      for (Value value : values)
        made.push_back({value, next});
    };
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (Operation *next = op->getBlock() ? op->getNextNode() : nullptr)
        note(op->getResults(), next);
      // Upstream takes those of others, such as tensor.pad, for results.
      if (!isa<FunctionOpInterface, LoopLikeOpInterface>(op))
        return;
      for (Region &region : op->getRegions())
        if (!region.empty() && !region.front().empty())
          note(region.getArguments(), &region.front().front());
    });
    for (auto [value, next] : made) {
      OpBuilder builder(next);
      auto shaped = dyn_cast<ShapedType>(value.getType());
      if (value.getType().isIndex())
        askFor(builder, value, 0);
      else if (isa<TensorType, MemRefType>(value.getType()) && shaped.hasRank())
        for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
          if (shaped.isDynamicDim(dim))
            askFor(builder, value, dim);
    }
  }

  static void askFor(OpBuilder &builder, Value value, int64_t dim) {
    for (StringRef type : {"EQ", "LB", "UB"}) {
      OperationState state(value.getLoc(), "test.reify_bound");
      state.addOperands(value);
      state.addAttribute("dim", builder.getI64IntegerAttr(dim));
      state.addAttribute("type", builder.getStringAttr(type));
      state.addTypes(builder.getIndexType());
      builder.create(state);
    }
  }

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
  Operation *materialise(const UpstreamQuery &query, const Judgement &judgement,
                         Reading &reading) {
    if (!query.isBound || !query.boundMap ||
        judgement.outcome == "out of scope")
      return nullptr;
    OpBuilder builder(query.op);
    Location loc = query.op->getLoc();
    ValueBounds &bounds = reading.boundsOf(query.op);
    BoundComparison comparison(query, bounds, vscaleAt(query.op));
    if (!comparison.hasOurs())
      return nullptr;
    FailureOr<OpFoldResult> ours = reifyBound(
        builder, loc, bounds, query.op, query.type, Quantity(query.subject),
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
    // The ops that compute both say more than the expressions alone.
    bool isProved = judgement.outcome == "weaker" && materialised == "as tight";
    llvm::json::Object line{{"function", function.getName()},
                            {"query", query.str()},
                            {"outcome", isProved ? "same" : judgement.outcome},
                            {"upstream", judgement.upstream},
                            {"ours", judgement.ours},
                            {"witness", judgement.witness},
                            {"materialised", materialised},
                            {"reason", judgement.reason}};
    llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
  }

  llvm::DenseMap<Operation *, Value> vscales;
};
} // namespace

void mlir::symshape::test::registerCompareBoundsPass() {
  PassRegistration<CompareBoundsPass>();
}
