//===- SignatureOps.cpp - Signatures as ops of the body -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/SignatureOps.h"

#include "CreateDim.h"
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
  /// Without names, which a function has once, dims are operands of assertions.
  SignatureMover(func::FuncOp function, bool keepsNames)
      : function(function), builder(function.getContext()),
        keepsNames(keepsNames) {}

  /// False, and nothing is changed, if ops cannot say it.
  bool run();

private:
  /// Whether arguments bind all names in it.
  bool isBound(ArrayRef<Expr> symbols) const {
    return llvm::all_of(symbols, [&](Expr s) { return bound.contains(s); });
  }
  bool readArguments();
  bool readSymbols();
  bool readFacts();
  bool readResults();
  void bind(BlockArgument argument, ArrayRef<Extent> extents);
  Value declare(Location loc, Value value, ShapeAttr shape);
  void require(Location loc, const Relation &relation, StringRef message);
  void requireExtents(Location loc, Value value, ArrayRef<Extent> extents);
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
  bool keepsNames;
  llvm::StringMap<Value> dims; ///< by name, if names are not kept
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
      return !extent.expr || isBound(extent.expr.symbols());
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
      if (!part.isLiteral() || part.negated || !isBound(part.symbols()))
        return false;
      asserted.push_back({part.relation, "declared assumption"});
    }
  }
  return true;
}

/// Without names, a result may have a name that the arguments have not only
/// where it says nothing: as an extent, once.
bool SignatureMover::readResults() {
  if (keepsNames)
    return true;
  llvm::DenseSet<Expr> own;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto shape =
        function.getResultAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape);
    for (const Extent &extent :
         shape ? shape.getExtents(arena) : SmallVector<Extent>()) {
      if (!extent.expr || isBound(extent.expr.symbols()))
        continue;
      if (extent.kind != Extent::Exact || !extent.expr.asSymbol() ||
          !own.insert(extent.expr).second)
        return false;
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

void SignatureMover::require(Location loc, const Relation &relation,
                             StringRef message) {
  // Without dims, names stay symbols.
  SmallVector<NamedValue> values;
  for (const auto &dim : dims)
    values.emplace_back(dim.getKey(), dim.getValue());
  AssertOp::create(builder, loc, relation.str(), values, message);
}

/// Asserts what is said of each extent, which `dims` has under a name of its
/// own while it does.
void SignatureMover::requireExtents(Location loc, Value value,
                                    ArrayRef<Extent> extents) {
  std::string name = "extent";
  while (bound.contains(arena.symbol(name)))
    name += '_';
  Expr own = arena.symbol(name);
  for (auto [d, extent] : llvm::enumerate(extents)) {
    if (!extent.expr || !isBound(extent.expr.symbols()))
      continue;
    dims[name] = createDim(builder, loc, value, d);
    require(loc,
            extent.kind == Extent::Exact ? Relation::eq(own, extent.expr)
                                         : Relation::le(own, extent.expr),
            "declared shape");
  }
}

/// What stands for a result with a declared shape.
Value SignatureMover::declare(Location loc, Value value, ShapeAttr shape) {
  SmallVector<Extent> extents = shape.getExtents(arena);
  if (saysNothing(extents))
    return value;
  if (keepsNames)
    return BindShapeOp::create(builder, loc, value.getType(), value, shape);
  requireExtents(loc, value, extents);
  return value;
}

void SignatureMover::bindResults() {
  function.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto shape = function.getResultAttrOfType<ShapeAttr>(
              operand.getOperandNumber(), SymShapeDialect::kShape))
        operand.set(declare(op.getLoc(), operand.get(), shape));
  });
}

void SignatureMover::eraseAttributes() {
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    function.removeArgAttr(i, SymShapeDialect::kShape);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    function.removeResultAttr(
        i, StringAttr::get(function.getContext(), SymShapeDialect::kShape));
  function->removeAttr(SymShapeDialect::kAssume);
  if (!keepsNames)
    function->removeAttr(SymShapeDialect::kSymbols);
  else if (function->hasAttr(SymShapeDialect::kSymbols))
    function->setAttr(SymShapeDialect::kSymbols,
                      builder.getArrayAttr(keptSymbols));
}

bool SignatureMover::run() {
  if (!readArguments() || !readSymbols() || !readFacts() || !readResults())
    return false;
  builder.setInsertionPointToStart(&function.getBody().front());
  for (const auto &[argument, extents] : named) {
    if (keepsNames)
      bind(argument, extents);
    else
      for (auto [d, extent] : llvm::enumerate(extents))
        if (extent.kind == Extent::Exact)
          dims[*extent.expr.asSymbol()] =
              createDim(builder, argument.getLoc(), argument, d);
  }
  for (const auto &[argument, extents] : required) {
    if (keepsNames)
      bind(argument, extents);
    else
      requireExtents(argument.getLoc(), argument, extents);
  }
  for (const auto &[relation, message] : asserted)
    require(function.getLoc(), relation, message);
  bindResults();
  eraseAttributes();
  return true;
}

bool mlir::symshape::assertSignature(func::FuncOp function) {
  return !declaresUnchecked(function) ||
         SignatureMover(function, /*keepsNames=*/false).run();
}

bool mlir::symshape::moveSignaturesToOps(ModuleOp module) {
  SmallVector<func::FuncOp> declared;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && declaresUnchecked(function))
      declared.push_back(function);
  if (declared.empty())
    return false;
  ModuleCalls calls(module);
  bool changed = false;
  for (func::FuncOp function : declared) {
    // Calls from outside are checked by what the signature says.
    if (!function.isPrivate()) {
      if (calls.callsOf(function).empty())
        continue;
      changed |= !function.getNoInline();
      function.setNoInline(true);
      continue;
    }
    // Of several returns, callers know what the signature declares.
    bool isMoved = calls.areKnown(function) && !calls.isRecursive(function) &&
                   function.getBody().hasOneBlock() &&
                   !function->hasAttr(SymShapeDialect::kVersions) &&
                   SignatureMover(function, /*keepsNames=*/true).run();
    changed |= isMoved || !function.getNoInline();
    if (!isMoved)
      function.setNoInline(true);
  }
  return changed;
}
