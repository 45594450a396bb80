//===- Describe.cpp - Extents and requirements in words -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How messages and attributes spell what the analysis knows: in the user's
// names, never in symbols that only the analysis has.
//
//===----------------------------------------------------------------------===//

#include "symshape/Analysis/ShapeAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "symshape/Analysis/Validity.h"
#include "symshape/Constraints/PlainRelation.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/WrittenNames.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::symshape;

Expr FunctionShapes::expand(Expr e) {
  // What a name is solved for uses earlier symbols only, so this ends.
  for (Expr before; before != e;) {
    before = e;
    e = arena().substitute(e, [&](Expr symbol) {
      const SymbolDef *def = definition(symbol);
      return def && def->kind == SymbolDef::Solved ? def->solution : Expr();
    });
  }
  return e;
}

bool FunctionShapes::isNamed(Expr e) const {
  // Names are written into attributes.
  return llvm::all_of(e.symbols(),
                      [](Expr s) { return !s.asSymbol()->starts_with("%"); });
}

namespace {
/// Writes expressions with the values they have, and where names come from.
class Describer {
public:
  Describer(FunctionShapes &shapes, SmallVectorImpl<Expr> *shown)
      : shapes(shapes), shown(shown) {}

  std::string text(Expr e);
  std::string text(const PlainRelation &plain, bool negated);
  std::string text(const Relation &r, bool negated);
  std::string text(const Formula &f);
  /// `B = {0} is dim 0 of %q` for each name that was used, one per line.
  std::string origins();

private:
  std::string valueOf(Expr e);
  Expr spellSymbol(Expr symbol);

  FunctionShapes &shapes;
  SmallVectorImpl<Expr> *shown;
  SmallVector<Expr> named;
  DenseMap<Expr, Expr> spelled;
  DenseSet<Expr> unnamed; ///< names that were made up
  unsigned numUnnamed = 0;
};
} // namespace

static std::string placeOf(FunctionShapes &shapes, const SymbolDef &def);

/// The node of a model that `op` is part of, whose user wrote no ops; else the
/// name of the op.
static std::string spellOpOrNode(Operation *op) {
  std::string node = describeNode(op->getLoc());
  return node.empty() ? op->getName().getStringRef().str() : node;
}

/// The result of an op that is not an operand's: of a node of a model, whose
/// user wrote no ops, what the node computed.
static std::string placeOfResult(FunctionShapes &shapes, OpResult result) {
  Operation *op = result.getOwner();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op)) {
    SymbolDef given{SymbolDef::Scalar, op->getOperand(0), -1, Expr(), false};
    return placeOf(shapes, given);
  }
  std::string node = describeNode(op->getLoc());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op); extract) {
    Value from = extract.getTensor();
    while (auto cast = from.getDefiningOp<tensor::CastOp>())
      from = cast.getSource();
    SmallVector<int64_t> at;
    for (Value index : extract.getIndices())
      if (std::optional<int64_t> place = getConstantIntValue(index))
        at.push_back(*place);
    bool isArgument =
        isa<BlockArgument>(from) &&
        llvm::is_contained(shapes.function().getArguments(), from);
    if (isArgument) {
      SymbolDef whole{SymbolDef::Scalar, from, -1, Expr(), false};
      std::string name = placeOf(shapes, whole);
      if (extract.getIndices().empty())
        return "the value of " + name;
      if (at.size() != extract.getIndices().size())
        return "an element of " + name;
      std::string text = "element [";
      for (auto [i, place] : llvm::enumerate(at))
        text += (i ? ", " : "") + std::to_string(place);
      return text + "] of " + name;
    }
  }
  if (!node.empty())
    return "a value of " + node;
  StringRef name = getWrittenName(result);
  return name.empty() ? "the result of " + op->getName().getStringRef().str()
                      : name.str();
}

static std::string placeOf(FunctionShapes &shapes, const SymbolDef &def) {
  auto argument = dyn_cast_or_null<BlockArgument>(def.value);
  Block *entry = &shapes.function().getBody().front();
  std::string ofDim =
      def.kind == SymbolDef::Dim ? " dim " + std::to_string(def.dim) : "";
  if (argument && argument.getOwner() == entry) {
    std::string name = shapes.spellingOfArgument(argument.getArgNumber());
    if (def.kind == SymbolDef::Scalar)
      return name;
    return name + " dim " + std::to_string(def.dim);
  }
  if (argument)
    if (StringRef name = getWrittenName(argument); !name.empty())
      return name.str() + ofDim;
  if (argument)
    if (auto loop =
            dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
      if (auto counters = loop.getLoopInductionVars();
          counters && llvm::is_contained(*counters, argument))
        return "the counter of " + spellOpOrNode(loop);
  // What the body of a structured op sees of an operand.
  if (argument && !isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
    if (auto op = dyn_cast<DestinationStyleOpInterface>(
            argument.getOwner()->getParentOp());
        op && argument.getArgNumber() < op->getNumOperands()) {
      Value operand = op->getOperand(argument.getArgNumber());
      SymbolDef whole{SymbolDef::Scalar, operand, -1, Expr(), false};
      return "element of " + placeOf(shapes, whole);
    }
  if (auto result = dyn_cast_or_null<OpResult>(def.value))
    return placeOfResult(shapes, result) + ofDim;
  if (def.kind == SymbolDef::Solved && def.solution.isConstant())
    return def.solution.str();
  std::string node =
      argument ? describeNode(argument.getOwner()->getParentOp()->getLoc())
               : "";
  return "a value of " + (node.empty() ? "the program" : node);
}

std::string FunctionShapes::describeSymbol(Expr symbol) {
  const SymbolDef *def = definition(symbol);
  return def ? placeOf(*this, *def) : "a value of another function";
}

std::string Describer::valueOf(Expr e) {
  if (!shown || e.isConstant())
    return "";
  shown->push_back(e);
  return "{" + std::to_string(shown->size() - 1) + "}";
}

/// `s[1]` for "element [1] of s", and `n` for "the value of n"; empty for any
/// other place.
static std::string shortPlace(StringRef place) {
  std::string index;
  if (place.consume_front("element ")) {
    auto [at, whole] = place.split(" of ");
    index = at.str();
    place = whole;
  } else {
    place.consume_front("the value of ");
  }
  return place.empty() || place.contains(' ') ? "" : place.str() + index;
}

/// The symbol by the name that the user gave it; a scalar argument, or an
/// element of one, by its own. One that only the analysis has gets a name that
/// nothing else has.
Expr Describer::spellSymbol(Expr symbol) {
  const SymbolDef *def = shapes.definition(symbol);
  if (!def)
    return symbol;
  ExprArena &arena = symbol.arena();
  Expr &name = spelled[symbol];
  if (name)
    return name;
  name = symbol;
  bool isScalar = def->kind == SymbolDef::Scalar ||
                  (def->kind == SymbolDef::Iteration && def->value);
  if (isScalar) {
    std::string text = shortPlace(placeOf(shapes, *def));
    Expr own = text.empty() ? Expr() : arena.symbol(text);
    if (own && (own == symbol || !shapes.definition(own)))
      return name = own;
  }
  if (StringRef(*symbol.asSymbol()).starts_with("%")) {
    do
      name = arena.symbol("v" + std::to_string(++numUnnamed));
    while (shapes.definition(name));
    unnamed.insert(name);
  }
  return name;
}

std::string Describer::text(Expr e) {
  if (e.asSymbol())
    if (const SymbolDef *def = shapes.definition(e);
        def && (def->kind != SymbolDef::Iteration || def->value)) {
      std::string place = placeOf(shapes, *def);
      std::string value = valueOf(e);
      bool isDim = def->kind == SymbolDef::Dim;
      std::string subject = isDim ? "extent of " + place : place;
      if (!isWrittenName(*e.asSymbol()))
        return value.empty() ? subject : subject + " (" + value + ")";
      return subject + " (" + e.str() + (value.empty() ? "" : " = " + value) +
             ")";
    }
  for (Expr s : e.symbols())
    if (!llvm::is_contained(named, s))
      named.push_back(s);
  std::string value = valueOf(e);
  std::string shownText =
      e.arena().substitute(e, [&](Expr s) { return spellSymbol(s); }).str();
  return value.empty() ? shownText : shownText + " (" + value + ")";
}

/// `e` without its constant term, and that term.
static std::pair<Expr, Expr> splitConstant(Expr e) {
  for (const Expr::Term &term : e.terms())
    if (term.powers.empty()) {
      Expr constant = e.arena().constant(term.coefficient);
      return {e - constant, constant};
    }
  return {e, e.arena().constant(0)};
}

std::string Describer::text(const PlainRelation &plain, bool negated) {
  if (!plain.nonzero.empty()) {
    std::string all;
    for (Expr factor : plain.nonzero)
      all += (all.empty() ? "" : " and ") + text(factor);
    return all + " must not be 0";
  }
  std::string sentence = text(plain.relation, negated);
  for (Expr factor : plain.factors)
    sentence += ", unless " + text(factor) + " is 0";
  return sentence;
}

/// What `e` was made of, if it is an index that counts from the end where it is
/// negative: the index, and the length that was added to it.
static std::optional<std::pair<Expr, Expr>> givenIndex(FunctionShapes &shapes,
                                                       Expr e) {
  const SymbolDef *def = e.asSymbol() ? shapes.definition(e) : nullptr;
  auto select = def && def->kind == SymbolDef::Scalar && def->value
                    ? def->value.getDefiningOp<arith::SelectOp>()
                    : arith::SelectOp();
  if (!select)
    return std::nullopt;
  Value index = select.getFalseValue();
  auto isNegative = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto sum = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  if (!isNegative || !sum ||
      isNegative.getPredicate() != arith::CmpIPredicate::slt ||
      isNegative.getLhs() != index ||
      getConstantIntValue(isNegative.getRhs()) != 0 || sum.getLhs() != index)
    return std::nullopt;
  Expr given = shapes.value(index), length = shapes.value(sum.getRhs());
  if (!given || !length)
    return std::nullopt;
  return std::pair(given, length);
}

Relation mlir::symshape::describeAsGiven(FunctionShapes &shapes,
                                         const Relation &r) {
  if (r.kind != Relation::Le)
    return r;
  if (auto given = givenIndex(shapes, r.rhs); given && r.lhs.isConstant(0))
    return Relation::le(r.lhs - given->second, given->first);
  auto [left, constant] = splitConstant(r.lhs);
  if (auto given = givenIndex(shapes, left))
    return Relation::le(given->first + constant, r.rhs);
  return r;
}

/// Whether it is `bc(a, b) == bc(b, a)`, which says that a and b broadcast.
static bool isBroadcast(const Relation &r) {
  Atom one = r.lhs.asAtom(), other = r.rhs.asAtom();
  return one && other && one.kind() == AtomKind::Bc &&
         other.kind() == AtomKind::Bc && one.operands().size() == 2 &&
         llvm::equal(one.operands(), llvm::reverse(other.operands()));
}

std::string Describer::text(const Relation &stated, bool negated) {
  Relation r = describeAsGiven(shapes, stated);
  switch (r.kind) {
  case Relation::Eq:
    if (isBroadcast(r))
      return text(r.lhs.asAtom().operands()[0]) + " must equal " +
             text(r.lhs.asAtom().operands()[1]) + ", or one of them must be 1";
    return text(r.lhs) + " must equal " + text(r.rhs);
  case Relation::Ne:
    if (Relation equal = foldMultiple({Relation::Eq, r.lhs, r.rhs});
        equal.kind == Relation::Divides)
      return text(equal, /*negated=*/true);
    return text(r.lhs) + " must not be " + text(r.rhs);
  case Relation::Divides:
    return text(r.lhs) + (negated ? " must not divide " : " must divide ") +
           text(r.rhs);
  case Relation::Le:
    break;
  }
  // Of two numbers it is the bound that is 0 or 1.
  if (r.lhs.isConstant() && r.rhs.isConstant())
    return r.lhs.isConstant(0) || r.lhs.isConstant(1)
               ? text(r.rhs) + " must be at least " + text(r.lhs)
               : text(r.lhs) + " must be at most " + text(r.rhs);
  // `x + 1 <= n` is x < n; `1 <= x + 1` is x >= 0.
  auto [left, leftConstant] = splitConstant(r.lhs);
  auto [right, rightConstant] = splitConstant(r.rhs);
  // Expressions, since the difference may not fit 64 bits.
  if (left.isConstant(0))
    return text(right) + " must be at least " +
           (leftConstant - rightConstant).str();
  if (right.isConstant(0))
    return text(left) + " must be at most " +
           (rightConstant - leftConstant).str();
  if ((leftConstant - rightConstant).isConstant(1))
    return text(left) + " must be less than " + text(right);
  return text(r.lhs) + " must be at most " + text(r.rhs);
}

std::string Describer::text(const Formula &f) {
  switch (f.kind) {
  case Formula::True:
    return "nothing";
  case Formula::False:
    return "the impossible";
  case Formula::Opaque:
    return "a condition";
  case Formula::Literal:
    return text(makePlain(f.relation, shapes.entryFacts()), f.negated);
  case Formula::And:
  case Formula::Or: {
    std::string result;
    for (const Formula &part : f.parts)
      result += (result.empty()           ? ""
                 : f.kind == Formula::And ? " and "
                                          : ", or ") +
                text(part);
    return result;
  }
  }
  return "";
}

std::string Describer::origins() {
  std::string result;
  for (Expr symbol : SmallVector<Expr>(named)) {
    const SymbolDef *def = shapes.definition(symbol);
    if (!def || !def->value)
      continue;
    Expr spelling = spellSymbol(symbol);
    bool isPlace = spelling != symbol && !unnamed.contains(spelling);
    if (isPlace && !shown)
      continue;
    std::string value = valueOf(symbol);
    result += "\n  " + spelling.str() + (value.empty() ? "" : " = " + value);
    if (isPlace)
      continue;
    result += def->kind == SymbolDef::Dim ? " is extent of " : " is ";
    result += placeOf(shapes, *def);
  }
  return result;
}

std::string mlir::symshape::describe(FunctionShapes &shapes,
                                     const Formula &condition,
                                     SmallVectorImpl<Expr> *shown) {
  Describer describer(shapes, shown);
  std::string sentence = describer.text(condition);
  return sentence + describer.origins();
}

std::string mlir::symshape::describeOrigin(const Requirement &requirement) {
  // The body of a named op is not in the file: the op itself is.
  Operation *op = findPlaced(requirement.op);
  if (isa<func::FuncOp, ModuleOp>(op))
    op = requirement.op;
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string place = describePlace(op->getLoc());
  if (isa<func::FuncOp>(op))
    os << "the signature" << (place.empty() ? "" : " at " + place);
  else
    os << describeOpAndPlace(op);
  if (!requirement.field.empty())
    os << " (" << requirement.field << ")";
  return text;
}
