//===- ControlFlow.cpp - Branches -----------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If becomes scf.if, if both arms give tensors of one rank. If they do not, one
// arm is taken, and its condition is required to hold.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "GraphImporter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Takes one arm, here.
static LogicalResult takeArm(Node &n, const Graph &arm) {
  auto results = n.graph().importBody(arm, {});
  if (!results)
    return failure();
  if (results->size() < n.numOutputs())
    return n.fail("expected a result of the arm for each output");
  for (auto [i, result] : llvm::enumerate(*results))
    if (failed(n.set(i, result)))
      return failure();
  return success();
}

/// x == c where `value` is 1 - min(1, max(0, x - c, c - x)), as Equal makes it:
/// for words that name the extent.
static std::optional<Relation> asEquality(ExprArena &arena, Expr value) {
  Atom least = (arena.one() - value).asAtom();
  if (!least || least.kind() != AtomKind::Min)
    return std::nullopt;
  for (Expr operand : least.operands()) {
    Atom most = operand.asAtom();
    if (!most || most.kind() != AtomKind::Max)
      continue;
    for (Expr d : most.operands()) {
      Expr constant = arena.zero();
      for (const Expr::Term &term : d.terms())
        if (term.powers.empty())
          constant = arena.constant(term.coefficient);
      Expr x = d - constant;
      if (llvm::is_contained(most.operands(), -d) && !x.terms().empty() &&
          x.terms().front().coefficient > 0)
        return Relation::eq(x, -constant);
    }
  }
  return std::nullopt;
}

/// Requires the condition to be as it is in that arm.
static void requireArm(Node &n, Value condition, std::optional<Expr> known,
                       bool isThen) {
  Emitter &e = n.emit();
  Expr value;
  if (known) {
    value = *known;
  } else {
    Scalars s(e.builder(), e.loc());
    value = e.bindInteger(s.toIndex(condition, DataType::Bool), "_v");
  }
  auto equality = isThen ? asEquality(e.arena(), value) : std::nullopt;
  e.require(equality.value_or(Relation::eq(value, e.constant(isThen))),
            "the ranks of the model are those of the " +
                Twine(isThen ? "then" : "else") + " branch");
}

/// Imports an arm at the beginning of a region; its results as tensors.
static std::optional<SmallVector<Tensor>> importArm(Node &n, Region &region,
                                                    const Graph &arm) {
  OpBuilder &b = n.emit().builder();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&region.front());
  auto results = n.graph().importBody(arm, {}, /*mayNotRun=*/true);
  if (!results || results->size() < n.numOutputs())
    return std::nullopt;
  SmallVector<Tensor> tensors;
  NodeData none;
  Node all(n.graph(), none, *results);
  for (size_t i = 0; i < results->size(); ++i) {
    if ((*results)[i].kind == Operand::IsSequence ||
        (*results)[i].kind == Operand::Absent)
      return std::nullopt;
    tensors.push_back(all.tensor(i));
  }
  return tensors;
}

static bool agree(ArrayRef<Tensor> x, ArrayRef<Tensor> y) {
  return x.size() == y.size() &&
         llvm::all_of(llvm::zip(x, y), [](const auto &pair) {
           return std::get<0>(pair).rank() == std::get<1>(pair).rank() &&
                  std::get<0>(pair).type == std::get<1>(pair).type;
         });
}

/// Ends an arm with its results, as the types say.
static void yield(Emitter &e, Region &region, ArrayRef<Tensor> results,
                  TypeRange types) {
  OpBuilder &b = e.builder();
  OpBuilder::InsertionGuard guard(b);
  Block &block = region.front();
  if (block.mightHaveTerminator())
    block.getTerminator()->erase();
  b.setInsertionPointToEnd(&block);
  SmallVector<Value> values;
  for (auto [result, type] : llvm::zip(results, types))
    values.push_back(
        result.value.getType() == type
            ? result.value
            : tensor::CastOp::create(b, e.loc(), type, result.value));
  scf::YieldOp::create(b, e.loc(), values);
}

/// Both arms, as one op.
static LogicalResult branch(Node &n, Value condition, const Graph &thenArm,
                            const Graph &elseArm) {
  Emitter &e = n.emit();
  OpBuilder &b = e.builder();
  auto both = scf::IfOp::create(b, e.loc(), condition, /*withElse=*/true);
  auto x = importArm(n, both.getThenRegion(), thenArm);
  if (!x)
    return failure();
  auto y = importArm(n, both.getElseRegion(), elseArm);
  if (!y)
    return failure();
  for (auto [left, right] : llvm::zip(*x, *y))
    if (left.type != right.type)
      return n.graph().failForGood(
          "expected results of one type from both branches, but got " +
          nameOf(left.type) + " and " + nameOf(right.type));
  if (!agree(*x, *y))
    return n.fail("expected results of one type and rank from both branches");
  SmallVector<Type> types;
  SmallVector<SmallVector<Expr, 4>> dims;
  for (auto [left, right] : llvm::zip(*x, *y)) {
    SmallVector<Expr, 4> joined;
    SmallVector<int64_t> shape;
    for (auto [l, r] : llvm::zip(left.dims, right.dims)) {
      joined.push_back(l == r ? l : Expr());
      shape.push_back(l == r && l.asInt64() ? *l.asInt64()
                                            : ShapedType::kDynamic);
    }
    dims.push_back(joined);
    types.push_back(
        RankedTensorType::get(shape, elementType(e.context(), left.type)));
  }
  auto op = scf::IfOp::create(b, e.loc(), types, condition, /*withElse=*/true);
  op.getThenRegion().takeBody(both.getThenRegion());
  op.getElseRegion().takeBody(both.getElseRegion());
  both.erase();
  yield(e, op.getThenRegion(), *x, types);
  yield(e, op.getElseRegion(), *y, types);
  for (size_t i = 0; i < x->size(); ++i) {
    SmallVector<Expr, 4> extents;
    for (auto [d, dim] : llvm::enumerate(dims[i]))
      extents.push_back(
          dim ? dim
              : e.bind(tensor::DimOp::create(b, e.loc(), op.getResult(i), d),
                       "_v"));
    if (failed(n.set(i, Tensor{op.getResult(i), extents, (*x)[i].type})))
      return failure();
  }
  return success();
}

static LogicalResult ifOp(Node &n) {
  const AttributeData *thenArm = n.attribute("then_branch");
  const AttributeData *elseArm = n.attribute("else_branch");
  if (!thenArm || !elseArm || !thenArm->graph || !elseArm->graph)
    return n.fail("expected two branches");
  if (thenArm->graph->outputs.size() != elseArm->graph->outputs.size())
    return n.graph().failForGood(
        "expected as many results of both branches, but got " +
        Twine(thenArm->graph->outputs.size()) + " and " +
        Twine(elseArm->graph->outputs.size()));
  if (n.type(0) != DataType::Bool)
    return n.fail("expected a bool as the condition");
  std::optional<Expr> known;
  if (n.isKnownList(0) && n.knownInts(0)->size() == 1)
    known = n.knownInts(0)->front();
  if (known && known->asInt64())
    return takeArm(n, known->isConstant(0) ? *elseArm->graph : *thenArm->graph);
  // What an earlier attempt found necessary: the arm of the first call before
  // the other one.
  std::optional<bool> forced = n.graph().nextDecision();
  if (forced && known)
    if (auto first = n.inFirstCall(*known))
      forced = *forced == (*first != 0);
  bool isExpr = forced && known;
  Value condition = isExpr ? Value() : n.oneElement(0);
  if (!isExpr && !condition)
    return failure();
  if (!forced)
    return branch(n, condition, *thenArm->graph, *elseArm->graph);
  requireArm(n, condition, known, *forced);
  return takeArm(n, *forced ? *thenArm->graph : *elseArm->graph);
}

void mlir::symshape::onnx::addControlFlowOps(Registry &registry) {
  registry.add("If", 1, ifOp);
}
