//===- CheckEmitter.cpp - Checks of requirements in the IR ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"
#include "CreateDim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

bool mlir::symshape::isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// Whether `value` may be used at the insertion point. In a block that is still
/// being built outside the function this is unknown; then true.
static bool isVisible(Value value, OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  for (Block *outer = block; outer != value.getParentBlock();) {
    Operation *parent = outer->getParentOp();
    if (!parent)
      return true;
    if (isa<func::FuncOp>(parent))
      break;
    outer = parent->getBlock();
  }
  Operation *def = value.getDefiningOp();
  Block *home = value.getParentBlock();
  Block *around = home->getParent()->findAncestorBlockInRegion(*block);
  if (!around)
    return false;
  if (around != home)
    return DominanceInfo().properlyDominates(home, around);
  if (!def)
    return true;
  if (block == home)
    return builder.getInsertionPoint() == home->end() ||
           def->isBeforeInBlock(&*builder.getInsertionPoint());
  // A new op has no place in the order of its block yet: finding one may
  // renumber the block. What comes after it is older.
  Operation *outer = home->findAncestorOpInBlock(*block->getParentOp());
  Operation *next = outer->getNextNode();
  return outer != def && (!next || def->isBeforeInBlock(next));
}

Value SymbolValues::operator()(Expr symbol) {
  Value &value = known[symbol];
  if (value)
    return value;
  const SymbolDef *def = shapes.definition(symbol);
  if (!def)
    return Value();
  if (def->kind == SymbolDef::Solved) {
    Value solved = emitterFor(shapes, builder, loc).emitIndex(def->solution);
    return known[symbol] = solved;
  }
  if (!def->value || !isVisible(def->value, builder))
    return Value();
  if (def->dim < 0)
    return value = def->value;
  return value = createDim(builder, loc, def->value, def->dim);
}

ExprEmitter mlir::symshape::emitterFor(FunctionShapes &shapes,
                                       OpBuilder &builder, Location loc) {
  return ExprEmitter(builder, loc, SymbolValues(shapes, builder, loc),
                     [&shapes](Expr symbol) {
                       return shapes.entryFacts().info(symbol).range;
                     });
}

/// The part of an op that the requirement is about, in terms that have values,
/// if there is one: the last line of a message.
static void addTriple(FailMessage &message, FunctionShapes &shapes,
                      const Requirement &requirement,
                      const Formula &condition) {
  Operation *op = requirement.op;
  if (auto triple = op->getAttrOfType<StringAttr>(kTriple)) {
    message << "\nsymshape: " << triple.getValue();
    return;
  }
  StringRef field =
      requirement.part.empty() ? requirement.field : requirement.part;
  std::optional<Relation> relation = decisiveRelation(condition);
  if (isa<func::FuncOp>(op) || requirement.isUserAssert || field.empty() ||
      !relation)
    return;
  relation = describeAsGiven(shapes, *relation);
  FailMessage observed;
  observed << relation->lhs;
  // Two numbers that must differ are equal here: one number.
  if (relation->kind != Relation::Ne)
    observed << (relation->kind == Relation::Le ? " > " : " != ")
             << relation->rhs;
  message.addTriple(primitiveName(op), field, observed);
}

/// A line for each of the first requirements, and one that counts the others.
/// The message already holds that of `told`. An op that needs the same of two
/// operands is named once.
static void addReasons(FailMessage &message,
                       ArrayRef<const Requirement *> reasons,
                       const Requirement *told = nullptr) {
  // Readers of a failure look at few; a report lists all.
  constexpr size_t most = 4;
  llvm::StringSet<> seen;
  std::vector<std::string> lines;
  for (const Requirement *reason : reasons) {
    std::string line = describeOrigin(*reason);
    if (reason->isUserAssert && reason != told && !reason->message.empty())
      line += ": " + reason->message;
    if (seen.insert(line).second)
      lines.push_back(std::move(line));
  }
  for (const std::string &line : llvm::ArrayRef(lines).take_front(most))
    message << "\n  needed by " << line;
  if (lines.size() > most)
    message << "\n  and by " << Twine(lines.size() - most) << " more";
}

FailMessage mlir::symshape::messageOfGuard(FunctionShapes &shapes,
                                           const Guard &guard) {
  FailMessage message(shapes.function());
  SmallVector<Expr> shown;
  std::string text = describe(shapes, guard.condition, &shown);
  message << "guard failed: ";
  message.addTemplate(text, shown);
  addReasons(message, guard.reasons);
  const Requirement &reason = *guard.reasons.front();
  addTriple(message, shapes, reason,
            shapes.isBacked(reason.condition) ? reason.condition
                                              : guard.condition);
  return message;
}

FailMessage mlir::symshape::messageOf(FunctionShapes &shapes,
                                      const Requirement &stated,
                                      ArrayRef<const Requirement *> reasons,
                                      const FailMessage &place) {
  FailMessage message(shapes.function());
  if (stated.isUserAssert)
    message << "assert failed: " << stated.message;
  if (!stated.condition.hasOpaque()) {
    SmallVector<Expr> shown;
    std::string text = describe(shapes, stated.condition, &shown);
    message << (stated.isUserAssert ? ": " : "");
    message.addTemplate(text, shown);
  }
  message.append(place);
  addReasons(message, reasons, reasons.front());
  addTriple(message, shapes, stated, stated.condition);
  return message;
}

/// The requirement in terms that have values at the anchor.
static Requirement withKnownCondition(FunctionShapes &shapes,
                                      const DeferredCheck &check) {
  Requirement requirement = *check.reasons.front();
  DominanceInfo dominance;
  if (!isKnownBefore(shapes, dominance, requirement.condition, check.anchor))
    requirement.condition = check.condition;
  return requirement;
}

LogicalResult mlir::symshape::verifyDeferredCheck(FunctionShapes &shapes,
                                                  const DeferredCheck &check) {
  DominanceInfo dominance;
  if (check.isAssert ||
      (!check.condition.hasOpaque() &&
       isKnownBefore(shapes, dominance, check.condition, check.anchor)))
    return success();
  InFlightDiagnostic error = findPlaced(check.anchor)->emitError();
  error << "cannot check at run time what "
        << describeOrigin(*check.reasons.front())
        << " needs: expected values for all symbols, but got '"
        << check.condition.str() << "'";
  // Those that the program does not name.
  StringRef comma = ", where ";
  for (Expr symbol : check.condition.symbols()) {
    std::string name = symbol.str();
    if (!StringRef(name).starts_with("%"))
      continue;
    error << comma << name << " is " << shapes.describeSymbol(symbol);
    comma = ", and ";
  }
  return error;
}

void mlir::symshape::emitDeferredCheck(FunctionShapes &shapes,
                                       const DeferredCheck &check) {
  if (check.isAssert)
    return;
  OpBuilder builder(check.anchor);
  Location loc = check.reasons.front()->op->getLoc();
  ExprEmitter emitter = emitterFor(shapes, builder, loc);
  OpBuilder inside =
      branchUnless(builder, loc, emitter.emitCondition(check.condition));
  ExprEmitter cold = emitterFor(shapes, inside, loc);
  messageOf(shapes, withKnownCondition(shapes, check), check.reasons)
      .emit(inside, loc, &cold);
}

AssertText mlir::symshape::nameValues(FunctionShapes &shapes,
                                      const Formula &formula) {
  AssertText text;
  auto nameOf = [&](Expr symbol) {
    for (auto &[name, known] : text.names)
      if (known == symbol)
        return shapes.arena().symbol(name);
    std::string name = "v" + std::to_string(text.names.size());
    text.names.push_back({name, symbol});
    return shapes.arena().symbol(name);
  };
  text.text = formula.substitute(nameOf).str();
  return text;
}

AssertOp mlir::symshape::emitAssert(FunctionShapes &shapes,
                                    const Relation &relation, Operation *op,
                                    StringRef message) {
  AssertText text = nameValues(shapes, relation);
  OpBuilder builder(op);
  SymbolValues valueOf(shapes, builder, op->getLoc());
  SmallVector<NamedValue> values;
  for (const auto &[name, symbol] : text.names)
    values.emplace_back(name, getValueOrCreateCastToIndexLike(
                                  builder, op->getLoc(), builder.getIndexType(),
                                  valueOf(symbol)));
  return AssertOp::create(builder, op->getLoc(), text.text, values, message);
}

void mlir::symshape::emitAssumption(FunctionShapes &shapes, const Formula &fact,
                                    Operation *op) {
  if (!fact.isWritable())
    return;
  AssertText text = nameValues(shapes, fact);
  OpBuilder builder(op);
  SymbolValues valueOf(shapes, builder, op->getLoc());
  SmallVector<Value> sources;
  SmallVector<StringRef> names;
  for (const auto &[name, symbol] : text.names) {
    names.push_back(name);
    sources.push_back(valueOf(symbol));
    if (!sources.back())
      return;
  }
  if (!sources.empty())
    AssumeOp::create(builder, op->getLoc(), TypeRange(ValueRange(sources)),
                     sources, builder.getStrArrayAttr(StringRef(text.text)),
                     builder.getStrArrayAttr(names));
}
