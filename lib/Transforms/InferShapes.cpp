//===- InferShapes.cpp - Types and attributes from extents ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/InferShapes.h"
#include "Discharged.h"
#include "GuardCall.h"
#include "InvalidOps.h"
#include "PassCounters.h"
#include "StaticTosa.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/IR/RefineResults.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Canonicalizer.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/SignatureOps.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The type with each dim that is a proved constant, and their number.
static std::pair<RankedTensorType, unsigned> refined(FunctionShapes &shapes,
                                                     Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {nullptr, 0};
  SmallVector<int64_t> shape(type.getShape());
  unsigned count = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    Extent extent = shapes.extent(value, d);
    if (extent.kind != Extent::Exact)
      continue;
    // What is declared of arguments holds before anything is computed.
    Expr e = isa<BlockArgument>(value)
                 ? shapes.entryFacts().simplify(extent.expr)
                 : extent.expr;
    std::optional<int64_t> size = e.asInt64();
    if (!size || *size < 0)
      continue;
    shape[d] = *size;
    ++count;
  }
  return {type.clone(shape), count};
}

/// Whether a user of `value` looks at its elements through its own type.
static bool hasOpaqueUser(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return !isa<tensor::CastOp, tensor::DimOp>(user);
  });
}

/// The same for the arguments of the function, after its guards.
static unsigned refineArguments(FunctionShapes &shapes) {
  func::FuncOp function = shapes.function();
  unsigned total = 0;
  OpBuilder builder(&function.getBody().front(), getEndOfGuards(function));
  for (BlockArgument argument : function.getArguments()) {
    auto [type, count] = refined(shapes, argument);
    if (!count || !hasOpaqueUser(argument))
      continue;
    total += count;
    Location loc = argument.getLoc();
    auto precise = tensor::CastOp::create(builder, loc, type, argument);
    auto back =
        tensor::CastOp::create(builder, loc, argument.getType(), precise);
    argument.replaceUsesWithIf(back, [&](OpOperand &use) {
      return !isa<tensor::CastOp, tensor::DimOp>(use.getOwner());
    });
  }
  return total;
}

unsigned mlir::symshape::refineTypes(FunctionShapes &shapes) {
  unsigned total = foldTosaShapes(shapes);
  // Verifiers refuse some ops that can never be valid once types say so.
  llvm::DenseSet<Operation *> neverValid;
  for (const Requirement &requirement : shapes.requirements())
    if (requirement.answer.isNo())
      neverValid.insert(requirement.op);
  SmallVector<Operation *> ops;
  shapes.function().walk([&](Operation *op) { ops.push_back(op); });
  total += refineArguments(shapes);
  for (Operation *op : ops) {
    // A mask has no room for a cast; its own result gets one.
    if (isa<tensor::CastOp>(op) || isa<vector::MaskOp>(op->getParentOp()) ||
        neverValid.contains(op))
      continue;
    for (Value result : op->getResults()) {
      auto [type, count] = refined(shapes, result);
      // Ops of tosa take no extent of 0 that a type says.
      bool isRefinable = count && isRefinableTosa(op) &&
                         !llvm::is_contained(type.getShape(), 0);
      if (!count || (result.use_empty() && !isRefinable))
        continue;
      total += count;
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      Type old = result.getType();
      Value precise = result;
      if (isRefinable)
        result.setType(type);
      else
        precise = tensor::CastOp::create(builder, op->getLoc(), type, result);
      auto back = tensor::CastOp::create(builder, op->getLoc(), old, precise);
      result.replaceUsesWithIf(back, [&](OpOperand &use) {
        return use.getOwner() != back &&
               use.getOwner() != precise.getDefiningOp();
      });
    }
  }
  return total;
}

/// As `namedExtent`, but for one below 0, which an op that always fails has:
/// no annotation says that.
static Extent extentToWrite(FunctionShapes &shapes, Value value, int64_t d) {
  Extent extent = shapes.namedExtent(value, d);
  if (extent.kind == Extent::Unknown)
    return extent;
  std::optional<int64_t> number = extent.expr.asInt64();
  return number && *number < 0 ? Extent::unknown() : extent;
}

void mlir::symshape::annotateExtents(FunctionShapes &shapes) {
  MLIRContext *context = shapes.function().getContext();
  shapes.function().walk([&](Operation *op) {
    if (isa<func::FuncOp>(op) || op->getNumResults() == 0)
      return;
    SmallVector<Attribute> all;
    bool anyRanked = false;
    for (Value result : op->getResults()) {
      auto type = dyn_cast<ShapedType>(result.getType());
      bool isRanked = type && type.hasRank() && !isa<VectorType>(type);
      anyRanked |= isRanked;
      SmallVector<Extent> extents; // of a scalar: none
      for (int64_t d = 0; isRanked && d < type.getRank(); ++d)
        extents.push_back(extentToWrite(shapes, result, d));
      all.push_back(ShapeAttr::get(context, extents));
    }
    if (anyRanked)
      op->setAttr(SymShapeDialect::kExtents, ArrayAttr::get(context, all));
  });
}

namespace {
/// Reports for each unknown extent why, and what to write.
class UnknownReporter {
public:
  explicit UnknownReporter(FunctionShapes &shapes)
      : shapes(shapes), state(shapes.function()),
        noRule(shapes.opsWithoutRule().begin(), shapes.opsWithoutRule().end()) {
  }

  void report(OpResult result);
  unsigned total = 0;

private:
  bool isKnown(OpResult result, int64_t dim) {
    Extent extent = shapes.extent(result, dim);
    return extent.kind != Extent::Unknown && shapes.isNamed(extent.expr);
  }
  std::string reasonFor(OpResult result, int64_t dim);
  std::string lineFor(OpResult result);
  std::string newName();

  FunctionShapes &shapes;
  AsmState state;
  llvm::DenseSet<Operation *> noRule;
  unsigned nextName = 0;
};
} // namespace

/// A name that nothing in the function has: an existing name would state that
/// the two are equal.
std::string UnknownReporter::newName() {
  std::string name;
  do
    name = "U" + std::to_string(nextName++);
  while (shapes.definition(shapes.arena().symbol(name)));
  return name;
}

std::string UnknownReporter::reasonFor(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (noRule.contains(op)) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return ("@" + call.getCallee() + " has no body and does not declare it")
          .str();
    return ("'" + op->getName().getStringRef() + "' has no shape rule").str();
  }
  Extent extent = shapes.extent(result, dim);
  if (extent.kind == Extent::Unknown)
    return ("the rule of '" + op->getName().getStringRef() +
            "' does not give it")
        .str();
  for (Expr symbol : extent.expr.symbols())
    if (!shapes.isNamed(symbol))
      return "it depends on " + shapes.describeSymbol(symbol) +
             ", which has no name";
  llvm_unreachable("every symbol is named");
}

/// The op that would name each unknown extent of `result`.
std::string UnknownReporter::lineFor(OpResult result) {
  auto type = cast<ShapedType>(result.getType());
  std::string line;
  llvm::raw_string_ostream os(line);
  os << "symshape.bind_shape ";
  result.printAsOperand(os, state);
  os << " [";
  for (int64_t d = 0; d < type.getRank(); ++d) {
    os << (d ? ", " : "")
       << (isKnown(result, d) ? shapes.printExtent(result, d) : newName());
  }
  os << "] : " << result.getType();
  return line;
}

void UnknownReporter::report(OpResult result) {
  auto type = dyn_cast<ShapedType>(result.getType());
  if (!type || !type.hasRank() || isa<VectorType>(type))
    return;
  std::string line;
  unsigned here = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (isKnown(result, d))
      continue;
    ++here;
    if (line.empty())
      line = lineFor(result);
    InFlightDiagnostic diag = result.getOwner()->emitRemark()
                              << "extent of dim " << d << " of result #"
                              << result.getResultNumber()
                              << " is unknown: " << reasonFor(result, d);
    diag.attachNote() << "to name it, use the result of: " << line;
  }
  total += here;
}

unsigned mlir::symshape::reportUnknownExtents(FunctionShapes &shapes) {
  UnknownReporter reporter(shapes);
  shapes.function().walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      reporter.report(result);
  });
  return reporter.total;
}

namespace {
/// Upstream makes a concatenation static only if its operands, not what they
/// are casts of, are.
struct RefineConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    return refineResults(op, rewriter);
  }
};

/// Constant sizes become part of the type, as they do for tensor.empty. Those
/// below 0 stay for the check.
struct RefineSplat : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> shape(op.getType().getShape());
    SmallVector<Value> sizes;
    auto given = op.getDynamicSizes().begin();
    for (int64_t &extent : shape) {
      if (ShapedType::isStatic(extent))
        continue;
      Value size = *given++;
      std::optional<int64_t> number = getConstantIntValue(size);
      if (number && *number >= 0)
        extent = *number;
      else
        sizes.push_back(size);
    }
    if (sizes.size() == op.getDynamicSizes().size())
      return failure();
    auto refined = tensor::SplatOp::create(
        rewriter, op.getLoc(), op.getType().clone(shape), op.getInput(), sizes);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), refined);
    return success();
  }
};
} // namespace

/// Moves casts through their users, by the canonicalisation of tensor and
/// linalg ops, of the loops and branches that carry them, and into ops of tosa
/// and of ours.
static void canonicalizeCasts(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  for (StringRef name : {"tensor", "linalg", "scf"})
    if (Dialect *dialect = context->getLoadedDialect(name)) {
      dialect->getCanonicalizationPatterns(patterns);
      for (RegisteredOperationName op : context->getRegisteredOperations())
        if (op.getDialectNamespace() == name)
          op.getCanonicalizationPatterns(patterns, context);
    }
  patterns.add<RefineConcat, RefineSplat>(context);
  populateRefineResultsPatterns(patterns);
  populateTosaCastPatterns(patterns);
  applySoundPatterns(module, std::move(patterns));
}

/// Calls `visit` for each function that `analysis` knows.
static void forEachFunction(ModuleOp module, const ShapeAnalysis &analysis,
                            llvm::function_ref<void(FunctionShapes &)> visit) {
  module.walk([&](func::FuncOp function) {
    if (FunctionShapes *shapes = analysis.lookup(function))
      visit(*shapes);
  });
}

/// What is left to do once types are refined and the analysis is gone.
static void finishRefinement(ModuleOp module) {
  canonicalizeCasts(module);
  replaceInvalidOps(module);
}

void mlir::symshape::inferShapes(ModuleOp module,
                                 const ShapeAnalysisOptions &options) {
  unsigned numRefined = 0;
  {
    ShapeAnalysis analysis(module, options);
    forEachFunction(module, analysis, [&](FunctionShapes &shapes) {
      numRefined += refineTypes(shapes);
    });
  }
  splitNarrowingCasts(module);
  if (numRefined)
    finishRefinement(module);
}

namespace {
struct InferShapesPass : symshape::impl::InferShapesPassBase<InferShapesPass> {
  using InferShapesPassBase::InferShapesPassBase;

  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module) {
    if (ifChanged && getCachedAnalysis<Discharged>()) {
      markAllAnalysesPreserved();
      return success();
    }
    if (failed(verifyAttributeNames(module)) ||
        failed(verifySymbolNames(module)))
      return failure();
    CountQuestions questions(*this, numAsked, numNew);
    std::optional<ShapeAnalysis> own;
    if (assumeNoWrap)
      own.emplace(module, ShapeAnalysisOptions{assumeNoWrap});
    FailureOr<unsigned> numRefined =
        checkAndRefine(module, own ? *own : getAnalysis<ShapeAnalysis>());
    if (failed(numRefined))
      return failure();
    count(*this, this->numRefined, "num-refined", *numRefined);
    bool isSplit = splitNarrowingCasts(module);
    if (*numRefined)
      finishRefinement(module);
    if (annotate)
      forEachFunction(module, ShapeAnalysis(module, {assumeNoWrap}),
                      annotateExtents);
    // Last: a program that is refused stays as it was.
    bool isMoved = moveSignaturesToOps(module);
    if (!*numRefined && !isSplit && !annotate && !isMoved)
      markAllAnalysesPreserved();
    return success();
  }

  /// Everything that uses one analysis of the program. Returns how many dims
  /// were refined.
  FailureOr<unsigned> checkAndRefine(ModuleOp module,
                                     const ShapeAnalysis &analysis) {
    bool isRefused = false;
    forEachFunction(module, analysis, [&](FunctionShapes &shapes) {
      isRefused |= failed(verifyNoBoundsAsExtents(shapes));
    });
    if (isRefused)
      return failure();
    if (reportUnknown)
      forEachFunction(module, analysis, [](FunctionShapes &shapes) {
        reportUnknownExtents(shapes);
      });
    unsigned numRefined = 0;
    forEachFunction(module, analysis, [&](FunctionShapes &shapes) {
      numRefined += refineTypes(shapes);
    });
    return numRefined;
  }
};
} // namespace
