//===- SignatureOps.cpp - Signatures as ops of the body -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/SignatureOps.h"

#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/IR/DiscardableAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/DeclaredFacts.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Moves what the signature of one function declares.
class SignatureMover {
public:
  explicit SignatureMover(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  /// False, and nothing is changed, if ops cannot say it.
  bool run();

private:
  bool readArguments();
  bool readSymbols();
  bool readFacts();
  void bind(BlockArgument argument, ArrayRef<Extent> extents);
  void bindResults();
  void eraseAttributes();

  func::FuncOp function;
  OpBuilder builder;
  ExprArena arena;
  llvm::DenseSet<Expr> bound;
  /// Of each argument: the names that it binds, and what else is said of it.
  SmallVector<std::pair<BlockArgument, SmallVector<Extent>>> named, required;
  SmallVector<std::pair<Relation, StringRef>> asserted; ///< with messages
  SmallVector<Attribute> keptSymbols;
  DenseMap<Value, Value> values; ///< what users of an argument use now
};
} // namespace

bool SignatureMover::readArguments() {
  for (BlockArgument argument : function.getArguments()) {
    auto shape = function.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                      SymShapeDialect::kShape);
    if (!shape)
      continue;
    SmallVector<Extent> names, others;
    for (const Extent &extent : shape.getExtents(arena)) {
      bool isNew = extent.kind == Extent::Exact && extent.expr.asSymbol() &&
                   bound.insert(extent.expr).second;
      names.push_back(isNew ? extent : Extent::unknown());
      others.push_back(isNew ? Extent::unknown() : extent);
    }
    named.push_back({argument, std::move(names)});
    required.push_back({argument, std::move(others)});
  }
  return llvm::all_of(required, [&](const auto &each) {
    return llvm::all_of(each.second, [&](const Extent &extent) {
      return !extent.expr || llvm::all_of(extent.expr.symbols(), [&](Expr s) {
        return bound.contains(s);
      });
    });
  });
}

bool SignatureMover::readSymbols() {
  for (SymbolAttr symbol : getSymbols(function)) {
    Expr e = arena.symbol(symbol.getName());
    SymbolInfo info = symbol.getInfo();
    if (info.range.min && *info.range.min <= 0 && bound.contains(e))
      info.range.min.reset(); // of any dim
    for (const Relation &relation : relationsOf(e, info))
      asserted.push_back({relation, relation.kind == Relation::Divides
                                        ? "declared residue"
                                        : "declared range"});
    // What is left steers code and proves nothing.
    keptSymbols.push_back(SymbolAttr::get(
        function.getContext(), symbol.getName(), 0, std::nullopt, 1, 0,
        symbol.getPolicy(), symbol.getLikely()));
    if (!bound.contains(e))
      return false;
  }
  return true;
}

bool SignatureMover::readFacts() {
  auto facts = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume);
  if (!facts)
    return true;
  for (auto fact : facts.getAsRange<FactAttr>()) {
    Formula formula = fact.getFormula(arena);
    ArrayRef<Formula> parts =
        formula.kind == Formula::And ? ArrayRef(formula.parts) : formula;
    for (const Formula &part : parts) {
      if (!part.isLiteral() || part.negated ||
          !llvm::all_of(part.symbols(),
                        [&](Expr s) { return bound.contains(s); }))
        return false;
      asserted.push_back({part.relation, "declared assumption"});
    }
  }
  return true;
}

static bool saysNothing(ArrayRef<Extent> extents) {
  return llvm::all_of(extents, [](const Extent &extent) {
    return extent.kind == Extent::Unknown;
  });
}

void SignatureMover::bind(BlockArgument argument, ArrayRef<Extent> extents) {
  if (saysNothing(extents))
    return;
  Value &latest = values.try_emplace(argument, argument).first->second;
  auto op = BindShapeOp::create(builder, argument.getLoc(), argument.getType(),
                                latest,
                                ShapeAttr::get(function.getContext(), extents));
  latest.replaceAllUsesExcept(op.getResult(), op);
  latest = op.getResult();
}

void SignatureMover::bindResults() {
  function.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto shape = function.getResultAttrOfType<ShapeAttr>(
          operand.getOperandNumber(), SymShapeDialect::kShape);
      if (shape && !saysNothing(shape.getExtents(arena)))
        operand.set(BindShapeOp::create(builder, op.getLoc(),
                                        operand.get().getType(), operand.get(),
                                        shape));
    }
  });
}

void SignatureMover::eraseAttributes() {
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    function.removeArgAttr(i, SymShapeDialect::kShape);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    function.removeResultAttr(
        i, StringAttr::get(function.getContext(), SymShapeDialect::kShape));
  function->removeAttr(SymShapeDialect::kAssume);
  if (function->hasAttr(SymShapeDialect::kSymbols))
    function->setAttr(SymShapeDialect::kSymbols,
                      builder.getArrayAttr(keptSymbols));
}

bool SignatureMover::run() {
  if (!readArguments() || !readSymbols() || !readFacts())
    return false;
  builder.setInsertionPointToStart(&function.getBody().front());
  for (const auto *each : {&named, &required})
    for (const auto &[argument, extents] : *each)
      bind(argument, extents);
  for (const auto &[relation, message] : asserted)
    AssertOp::create(builder, function.getLoc(), ValueRange(), relation.str(),
                     message);
  bindResults();
  eraseAttributes();
  return true;
}

bool mlir::symshape::moveSignaturesToOps(ModuleOp module) {
  SmallVector<func::FuncOp> declared;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() && !function.isExternal() &&
        declaresUnchecked(function))
      declared.push_back(function);
  if (declared.empty())
    return false;
  ModuleCalls calls(module);
  bool changed = false;
  for (func::FuncOp function : declared) {
    // Of several returns, callers know what the signature declares.
    bool isMoved = calls.areKnown(function) && !calls.isRecursive(function) &&
                   function.getBody().hasOneBlock() &&
                   !function->hasAttr(SymShapeDialect::kVersions) &&
                   SignatureMover(function).run();
    changed |= isMoved || !function.getNoInline();
    if (!isMoved)
      function.setNoInline(true);
  }
  return changed;
}
