//===- Signature.cpp - What a signature declares --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names the dims of the arguments, and turns the attributes of a signature into
// facts of the function and requirements on its callers.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace mlir::symshape {

/// Reads one signature into a FunctionShapes.
class SignatureReader {
public:
  explicit SignatureReader(FunctionShapes &shapes)
      : shapes(shapes), arena(shapes.exprs), func(shapes.func) {}

  void read();

private:
  void readArguments();
  void readShapedArgument(BlockArgument argument);
  void bindComposites();
  void readSymbols();
  void readAssumptions();
  void requireCommonBound();
  void declareRequirement(const Formula &condition, const Twine &field);
  Expr rawSymbol(BlockArgument argument, int64_t dim);
  void nameDim(Expr symbol, BlockArgument argument, int64_t dim);
  /// States it for the body, and for the entry alone.
  void declare(Expr symbol, const SymbolInfo &info) {
    shapes.set.declare(symbol, info);
    shapes.entry.declare(symbol, info);
    shapes.symbols.push_back({symbol, info});
  }
  void assumeDeclared(const Formula &fact) {
    assume(shapes.set, fact);
    assume(shapes.entry, fact);
  }

  FunctionShapes &shapes;
  ExprArena &arena;
  func::FuncOp func;
  /// A dim that is declared as an expression other than a new name.
  struct Composite {
    Expr raw, expr;
    BlockArgument argument;
    int64_t dim;
    bool isBound; ///< `<= expr`
    /// What the caller must ensure, if a name is bound by it.
    std::optional<Relation> divides;
  };
  SmallVector<Composite> composites;
  llvm::DenseSet<Expr> taken;
  unsigned nextName = 0;
};

} // namespace mlir::symshape

/// The names that the signature and the body use.
static llvm::DenseSet<Expr> namesInUse(func::FuncOp func, ExprArena &arena) {
  llvm::DenseSet<Expr> names;
  auto addShape = [&](Attribute attr) {
    auto shape = dyn_cast_or_null<ShapeAttr>(attr);
    if (!shape)
      return;
    for (const Extent &extent : shape.getExtents(arena))
      if (extent.expr)
        names.insert_range(extent.expr.symbols());
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    addShape(func.getArgAttr(i, SymShapeDialect::kShape));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    addShape(func.getResultAttr(i, SymShapeDialect::kShape));
  if (auto symbols = func->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      names.insert(arena.symbol(symbol.getName()));
  func.walk([&](BindShapeOp op) { addShape(op.getShape()); });
  return names;
}

Expr SignatureReader::rawSymbol(BlockArgument argument, int64_t dim) {
  Expr symbol =
      shapes.newSymbol("%a", {SymbolDef::Dim, argument, dim, Expr(), true},
                       {Range::between(0, kMaxExtent)});
  shapes.argumentDims[{argument, dim}].push_back(symbol);
  return symbol;
}

/// Gives a dynamic dim a name that is its own.
void SignatureReader::nameDim(Expr symbol, BlockArgument argument,
                              int64_t dim) {
  shapes.definitions[symbol] = {SymbolDef::Dim, argument, dim, Expr(), true};
  declare(symbol, {Range::between(0, kMaxExtent)});
  shapes.extents[{argument, dim}] = Extent::exact(symbol);
  shapes.argumentDims[{argument, dim}].push_back(symbol);
}

void SignatureReader::declareRequirement(const Formula &condition,
                                         const Twine &field) {
  Requirement requirement;
  requirement.op = func;
  requirement.field = field.str();
  requirement.condition = condition;
  shapes.declaredFacts.push_back(std::move(requirement));
}

void SignatureReader::readShapedArgument(BlockArgument argument) {
  auto type = dyn_cast<ShapedType>(argument.getType());
  if (!type || !type.hasRank())
    return;
  auto shape = func.getArgAttrOfType<ShapeAttr>(argument.getArgNumber(),
                                                SymShapeDialect::kShape);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Extent declared = shape ? shape.getExtent(d, arena) : Extent::unknown();
    if (!type.isDynamicDim(d)) {
      if (declared.kind != Extent::Unknown)
        composites.push_back({arena.constant(type.getDimSize(d)), declared.expr,
                              argument, d, declared.kind == Extent::UpperBound,
                              std::nullopt});
      continue;
    }
    if (declared.kind == Extent::Exact && declared.expr.asSymbol() &&
        !shapes.definitions.count(declared.expr)) {
      nameDim(declared.expr, argument, d);
      continue;
    }
    if (declared.kind == Extent::Unknown) {
      Expr name;
      do
        name = arena.symbol("s" + std::to_string(nextName++));
      while (taken.count(name));
      nameDim(name, argument, d);
      continue;
    }
    Expr raw = rawSymbol(argument, d);
    composites.push_back({raw, declared.expr, argument, d,
                          declared.kind == Extent::UpperBound, std::nullopt});
  }
}

/// Binds what is left, then states each composite. A name k that only occurs in
/// a composite a*k + rest is bound to (dim - rest) floordiv a: so the equality
/// says that a divides dim - rest, which callers must ensure.
void SignatureReader::bindComposites() {
  for (Composite &c : composites) {
    if (c.isBound)
      continue;
    SmallVector<Expr> unbound;
    for (Expr s : c.expr.symbols())
      if (!shapes.definitions.count(s))
        unbound.push_back(s);
    if (unbound.size() != 1)
      continue;
    Expr k = unbound.front();
    Expr atZero = arena.substitute(
        c.expr, [&](Expr s) { return s == k ? arena.zero() : Expr(); });
    Expr slope = arena.substitute(c.expr, [&](Expr s) {
      return s == k ? arena.one() : Expr();
    }) - atZero;
    // Linear in k: e(k) is e(0) + slope*k, as polynomials.
    if (!slope.isConstant() || slope.isConstant(0) ||
        atZero + slope * k != c.expr)
      continue;
    SymbolDef def{SymbolDef::Solved, Value(), -1,
                  arena.floorDiv(c.raw - atZero, slope), true};
    shapes.definitions[k] = def;
    c.divides = Relation::divides(slope, c.raw - atZero);
    declare(k, {Range::between(0, kMaxExtent)});
    declareRequirement(Relation::le(arena.zero(), k), "declared symbol");
  }
  for (Composite &c : composites) {
    Relation relation =
        c.isBound ? Relation::le(c.raw, c.expr) : Relation::eq(c.raw, c.expr);
    assumeDeclared(relation);
    if (!c.raw.isConstant() || !c.expr.isConstant())
      declareRequirement(c.divides.value_or(relation), "declared shape");
    if (c.raw.isConstant())
      continue;
    if (c.isBound)
      shapes.dimSymbols[{c.argument, c.dim}] = c.raw;
    shapes.extents[{c.argument, c.dim}] =
        c.isBound ? Extent::upperBound(c.expr) : Extent::exact(c.expr);
  }
}

void SignatureReader::readSymbols() {
  auto symbols = func->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols);
  if (!symbols)
    return;
  for (auto attr : symbols.getAsRange<SymbolAttr>()) {
    Expr symbol = arena.symbol(attr.getName());
    SymbolInfo info = attr.getInfo();
    declare(symbol, info);
    if (!shapes.definitions.count(symbol))
      continue;
    if (info.range.min && *info.range.min <= 0)
      info.range.min.reset(); // of any dim
    for (const Relation &relation : relationsOf(symbol, info))
      declareRequirement(relation, fieldOfDeclared(relation));
  }
}

/// Public functions check the common bound of dims themselves; a private one
/// relies on its callers.
void SignatureReader::requireCommonBound() {
  if (!func.isPrivate())
    return;
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        declareRequirement(
            Relation::le(shapes.dim(argument, d), arena.constant(kMaxExtent)),
            "largest extent");
  }
}

void SignatureReader::readAssumptions() {
  auto facts = func->getAttrOfType<ArrayAttr>(SymShapeDialect::kAssume);
  if (!facts)
    return;
  SmallVector<Formula> alternatives;
  for (auto fact : facts.getAsRange<FactAttr>()) {
    Formula f = fact.getFormula(arena);
    declareRequirement(f, "declared assumption");
    if (f.kind == Formula::Or)
      alternatives.push_back(std::move(f));
    else
      assumeDeclared(f);
  }
  // Those that the others partly decide say more.
  for (const Formula &f : alternatives) {
    assumeDeclared(f);
    shapes.alternatives.push_back(shapes.simplifyParts(f));
  }
}

/// A tensor that exists occupies at most 2^63 - 1 bytes; so products of its
/// dims fit an index as they are multiplied.
static void assumeSizesFit(FunctionShapes &shapes, BlockArgument argument) {
  auto type = dyn_cast<ShapedType>(argument.getType());
  if (!type || !type.hasRank() || type.getNumDynamicDims() < 2)
    return;
  Type element = type.getElementType();
  int64_t bytes =
      element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8;
  Expr size = shapes.arena().constant(bytes);
  for (int64_t d = 0; d < type.getRank(); ++d)
    size = size * shapes.dim(argument, d);
  Relation fits = Relation::le(size, shapes.arena().constant(kMaxExtent));
  shapes.facts().assume(fits);
  shapes.entryFacts().assume(fits);
}

void SignatureReader::read() {
  taken = namesInUse(func, arena);
  for (BlockArgument argument : func.getArguments())
    readShapedArgument(argument);
  bindComposites();
  readSymbols();
  readAssumptions();
  requireCommonBound();
  for (BlockArgument argument : func.getArguments())
    assumeSizesFit(shapes, argument);
}

void mlir::symshape::readSignature(FunctionShapes &shapes) {
  SignatureReader(shapes).read();
}

/// The extents that the signature declares of the results are requirements of
/// the body. A name that no argument binds stands for whatever is returned.
void FunctionShapes::visitReturn(Operation *ret) {
  for (auto [i, returned] : llvm::enumerate(ret->getOperands())) {
    auto shape =
        func.getResultAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape);
    auto type = dyn_cast<ShapedType>(returned.getType());
    if (!shape || !type || !type.hasRank())
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Extent declared = shape.getExtent(d, exprs);
      if (declared.kind == Extent::Unknown)
        continue;
      if (!llvm::all_of(declared.expr.symbols(),
                        [&](Expr s) { return definitions.count(s); }))
        continue;
      Expr actual = dim(returned, d);
      require(declared.relationOf(actual),
              "declared shape of result " + Twine(i));
    }
  }
}

StringRef mlir::symshape::spellingOf(func::FuncOp function) {
  auto name = function->getAttrOfType<StringAttr>(SymShapeDialect::kName);
  return name ? name.getValue() : function.getName();
}

std::string mlir::symshape::spellingOfArgument(func::FuncOp function,
                                               unsigned index) {
  if (auto name =
          function.getArgAttrOfType<StringAttr>(index, SymShapeDialect::kName))
    return name.str();
  if (auto named = dyn_cast<NameLoc>(function.getArgument(index).getLoc()))
    return ("%" + named.getName().getValue()).str();
  return "argument #" + std::to_string(index);
}
