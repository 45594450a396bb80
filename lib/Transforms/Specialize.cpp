//===- Specialize.cpp - Versions of a function and their choice -----------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/Specialize.h"
#include "ArgumentDims.h"
#include "CloneFunction.h"
#include "GuardCall.h"
#include "PassCounters.h"
#include "VersionChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "symshape/Analysis/GuardAnalysis.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/DeclaredFacts.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/Snapshot.h"
#include "symshape/Transforms/TellViolations.h"

#include <deque>

namespace mlir::symshape {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Makes one function a dispatcher.
class Specializer {
public:
  explicit Specializer(FunctionShapes &shapes)
      : shapes(shapes), function(shapes.function()), loc(function.getLoc()),
        dims(getArgumentDims(function)) {}

  /// Orders the versions; an error if a condition cannot be tested.
  LogicalResult plan(bool warn);
  void emit();

private:
  LogicalResult checkConditions();
  func::FuncOp clone(StringRef name, ArrayRef<FactAttr> facts);
  void emitChoice();
  Value emitTree(OpBuilder &builder, const DispatchNode &node,
                 ValueRange values,
                 llvm::function_ref<Value(OpBuilder &, size_t)> leaf);
  void emitDispatcher();

  FunctionShapes &shapes;
  func::FuncOp function;
  Location loc;
  SmallVector<ArgumentDim> dims;
  VersionOrder order;
  std::unique_ptr<DispatchNode> tree;
  SmallVector<func::FuncOp> clones; ///< the default last, if it is needed
};
} // namespace

/// Conditions are evaluated before anything runs.
LogicalResult Specializer::checkConditions() {
  for (const Version &version : order.versions)
    for (const Formula &part : version.parts) {
      if (shapes.isBacked(part))
        continue;
      return function.emitError()
             << "expected a condition over dimensions of arguments, but got '"
             << part.str() << "' in version '" << version.attr.getName() << "'";
    }
  return success();
}

/// Erases the guards at the entry of a clone of `function`, which stay there.
static void eraseGuards(func::FuncOp function, func::FuncOp copy) {
  size_t number = std::distance(function.getBody().front().begin(),
                                getEndOfGuards(function));
  SmallVector<Operation *> ops;
  for (Operation &op : copy.getBody().front())
    if (ops.size() < number)
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

func::FuncOp Specializer::clone(StringRef name, ArrayRef<FactAttr> facts) {
  func::FuncOp copy = cloneFunction(function, function.getName() + "." + name,
                                    clones.empty() ? function : clones.back());
  eraseGuards(function, copy);
  copy.setNoInline(true); // what holds in it is said by its signature
  addAssumptions(copy, facts);
  clones.push_back(copy);
  return copy;
}

/// Emits the tests, and `leaf` once a version is found.
Value Specializer::emitTree(
    OpBuilder &builder, const DispatchNode &node, ValueRange values,
    llvm::function_ref<Value(OpBuilder &, size_t)> leaf) {
  if (node.isLeaf())
    return leaf(builder, std::min(node.version, clones.size() - 1));
  // Each test has an emitter of its own: values of one branch are not visible
  // in another.
  Value test = makeDimEmitter(shapes, builder, loc, dims, values)
                   .emitCondition(overDims(shapes, node.test));
  auto branch = scf::IfOp::create(
      builder, loc, test,
      [&](OpBuilder &inner, Location) {
        Value value = emitTree(inner, *node.yes, values, leaf);
        scf::YieldOp::create(inner, loc, value);
      },
      [&](OpBuilder &inner, Location) {
        Value value = emitTree(inner, *node.no, values, leaf);
        scf::YieldOp::create(inner, loc, value);
      });
  return branch.getResult(0);
}

/// `@f.version`.
void Specializer::emitChoice() {
  SmallVector<Value> values;
  func::FuncOp choice = createFunctionOfDims(
      shapes, ".version", dims,
      IntegerType::get(shapes.function().getContext(), 32), values);
  OpBuilder builder = OpBuilder::atBlockEnd(&choice.getBody().front());
  Value number = emitTree(builder, *tree, values,
                          [&](OpBuilder &inner, size_t version) -> Value {
                            return arith::ConstantIntOp::create(
                                inner, loc, inner.getI32Type(), version);
                          });
  func::ReturnOp::create(builder, loc, number);
  SmallVector<StringRef> names;
  for (const Version &version : order.versions)
    names.push_back(version.attr.getName());
  if (!order.isComplete)
    names.push_back("default");
  choice->setAttr(SymShapeDialect::kVersionNames,
                  builder.getStrArrayAttr(names));
  function->setAttr(kVersionFunction, FlatSymbolRefAttr::get(choice));
}

/// Erases all ops but guards; the arguments, which the analysis knows, stay.
static void eraseBody(func::FuncOp function) {
  Region &body = function.getBody();
  Block &entry = body.front();
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::make_range(getEndOfGuards(function), entry.end()))
    ops.push_back(&op);
  for (Block &block : llvm::drop_begin(body))
    block.dropAllReferences();
  for (Operation *op : ops)
    op->dropAllReferences();
  while (&body.back() != &entry)
    body.back().erase();
  for (Operation *op : ops)
    op->erase();
}

void Specializer::emitDispatcher() {
  eraseBody(function);
  OpBuilder builder = OpBuilder::atBlockEnd(&function.getBody().front());
  Value number =
      emitTree(builder, *tree, emitArgumentDims(builder, loc, dims),
               [&](OpBuilder &inner, size_t version) -> Value {
                 return arith::ConstantIndexOp::create(inner, loc, version);
               });
  auto cases = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(clones.size()) - 1));
  auto choice = scf::IndexSwitchOp::create(
      builder, loc, function.getResultTypes(), number, cases, cases.size());
  // The region of the default is the first one.
  for (auto [number, region] : llvm::enumerate(choice->getRegions())) {
    func::FuncOp version = number == 0 ? clones.back() : clones[number - 1];
    OpBuilder inner(function.getContext());
    inner.createBlock(&region);
    auto call =
        func::CallOp::create(inner, loc, version, function.getArguments());
    scf::YieldOp::create(inner, loc, call.getResults());
  }
  func::ReturnOp::create(builder, loc, choice.getResults());
}

LogicalResult Specializer::plan(bool warn) {
  order = orderVersions(shapes);
  if (warn)
    (void)reportViolations(order.unused); // warnings alone
  return checkConditions();
}

void Specializer::emit() {
  function->removeAttr(SymShapeDialect::kVersions);
  if (order.versions.empty())
    return;
  tree = buildDispatchTree(shapes, order.versions);
  for (const Version &version : order.versions)
    clone(version.attr.getName(), version.attr.getFacts());
  if (!order.isComplete)
    clone("default", {});
  emitChoice();
  emitDispatcher();
}

/// The functions that have versions.
static SmallVector<func::FuncOp> getVersioned(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    if (function->hasAttr(SymShapeDialect::kVersions))
      functions.push_back(function);
  });
  return functions;
}

LogicalResult mlir::symshape::specialize(ModuleOp module, bool warn) {
  SmallVector<func::FuncOp> functions = getVersioned(module);
  if (functions.empty())
    return success();
  ShapeAnalysis analysis(module);
  std::deque<Specializer> specializers;
  for (func::FuncOp function : functions) {
    FunctionShapes *shapes = analysis.lookup(function);
    if (!shapes)
      return function.emitError()
             << "expected a body of a function with versions";
    if (failed(specializers.emplace_back(*shapes).plan(warn)))
      return failure();
  }
  for (Specializer &specializer : specializers)
    specializer.emit();
  return success();
}

SmallVector<ChosenVersion> mlir::symshape::listVersions(FunctionShapes &shapes,
                                                        Violations &unused) {
  if (!shapes.function()->hasAttr(SymShapeDialect::kVersions))
    return {};
  VersionOrder order = orderVersions(shapes);
  SmallVector<ChosenVersion> list;
  for (const Version &version : order.versions)
    list.push_back(
        {version.attr.getName().str(), version.getCondition().str()});
  if (!order.isComplete && !list.empty())
    list.push_back({"default", ""});
  llvm::append_range(unused, order.unused);
  return list;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Splits at `separator` outside of parentheses, without blanks at the ends.
static SmallVector<StringRef> splitList(StringRef text, char separator) {
  SmallVector<StringRef> pieces;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      depth += (text[i] == '(') - (text[i] == ')');
      if (text[i] != separator || depth > 0)
        continue;
    }
    pieces.push_back(text.slice(begin, i).trim());
    begin = i + 1;
  }
  return pieces;
}

/// `decode: L == 1; wide: 64 | S, B <= 8` as attributes; fails with a
/// diagnostic at `function`.
static FailureOr<SmallVector<Attribute>> parseVersions(func::FuncOp function,
                                                       StringRef text) {
  MLIRContext *context = function.getContext();
  auto emit = [&] { return function.emitError() << "versions: "; };
  llvm::function_ref<InFlightDiagnostic()> emitError = emit;
  SmallVector<Attribute> versions;
  for (StringRef piece : splitList(text, ';')) {
    auto [name, condition] = piece.split(':');
    SmallVector<FactAttr> facts;
    for (StringRef part : splitList(condition, ',')) {
      ExprArena arena;
      ParseError error;
      std::optional<Relation> relation = Relation::parse(arena, part, error);
      if (!relation)
        return emitError() << error.message << " in '" << part << "'";
      facts.push_back(FactAttr::get(context, relation->str()));
    }
    auto version = VersionAttr::getChecked(emitError, context, name.trim(),
                                           ArrayRef<FactAttr>(facts));
    if (!version)
      return failure();
    versions.push_back(version);
  }
  return versions;
}

/// Names the dims without a name that conditions of `versions` are about.
static void nameDimsOf(func::FuncOp function, ArrayRef<Attribute> versions) {
  ShapeAnalysis analysis(function->getParentOfType<ModuleOp>());
  FunctionShapes *shapes = analysis.lookup(function);
  if (!shapes)
    return;
  SmallVector<Expr> symbols;
  for (Attribute version : versions)
    for (FactAttr fact : cast<VersionAttr>(version).getFacts())
      for (StringRef name : namesInText(fact.getText()))
        symbols.push_back(shapes->arena().symbol(name));
  nameDims(findUnnamed(*shapes, symbols));
}

namespace {
struct SpecializePass : symshape::impl::SpecializePassBase<SpecializePass> {
  using SpecializePassBase::SpecializePassBase;

  void runOnOperation() override {
    CountQuestions questions(*this, numAsked, numNew);
    if (!function.empty() || !versions.empty()) {
      if (failed(
              changeOrRestore(getOperation(), [&] { return declareAndRun(); })))
        signalPassFailure();
      return;
    }
    if (getVersioned(getOperation()).empty())
      return markAllAnalysesPreserved();
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    for (func::FuncOp each : getVersioned(getOperation()))
      remark::passed(each.getLoc(), remark::RemarkOpts::name("facts")
                                        .category("symshape-specialize")
                                        .function(each.getName()))
          << "what the body states is known in its versions alone";
    return specialize(getOperation(), warn);
  }

  LogicalResult declareAndRun() {
    return failed(declare()) ? failure() : run();
  }

  /// Adds the versions of the options to those that the function declares.
  LogicalResult declare() {
    auto op = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!op)
      return getOperation().emitError()
             << "expected a function of this module, "
                "but got '"
             << function << "'";
    FailureOr<SmallVector<Attribute>> added = parseVersions(op, versions);
    if (failed(added))
      return failure();
    SmallVector<Attribute> all;
    if (auto known = op->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersions))
      all.append(known.begin(), known.end());
    all.append(*added);
    nameDimsOf(op, *added);
    op->setAttr(SymShapeDialect::kVersions, ArrayAttr::get(&getContext(), all));
    return mlir::verify(op);
  }
};
} // namespace
