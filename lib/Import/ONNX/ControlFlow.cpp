//===- ControlFlow.cpp - Branches -----------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If becomes scf.if, if both arms give tensors of one rank. If they do not, all
// that follows stands in both arms; where that does not fit either, one arm is
// taken, and its condition is required to hold.
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
    value = e.bindInteger(s.toIndex(condition, DataType::Bool), "condition");
  }
  auto equality = isThen ? asEquality(e.arena(), value) : std::nullopt;
  e.require(equality.value_or(Relation::eq(value, e.constant(isThen))),
            "the ranks of the model are those of the " +
                Twine(isThen ? "then" : "else") + " branch");
}

using ImportArm =
    llvm::function_ref<std::optional<std::vector<Operand>>(const Graph &)>;

/// Imports an arm at the beginning of a region; its results as tensors.
static std::optional<SmallVector<Tensor>>
importAt(Node &n, Region &region, const Graph &arm, ImportArm import) {
  OpBuilder &b = n.emit().builder();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&region.front());
  auto results = import(arm);
  if (!results)
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

namespace {
/// A branch of which the arms are there, and not yet what it gives.
struct Branch {
  scf::IfOp op;
  SmallVector<Tensor> results[2];
};
} // namespace

static std::optional<Branch> importArms(Node &n, Value condition,
                                        ArrayRef<const Graph *> arms,
                                        ImportArm import) {
  Emitter &e = n.emit();
  Branch branch{scf::IfOp::create(e.builder(), e.loc(), condition,
                                  /*withElse=*/true),
                {}};
  for (unsigned i : {0, 1}) {
    auto results = importAt(n, branch.op->getRegion(i), *arms[i], import);
    if (!results)
      return std::nullopt;
    branch.results[i] = std::move(*results);
  }
  return branch;
}

/// The op with its results, which agree in types and ranks.
static SmallVector<Tensor> join(Emitter &e, Branch &branch) {
  OpBuilder &b = e.builder();
  auto &[x, y] = branch.results;
  SmallVector<Type> types;
  SmallVector<SmallVector<Expr, 4>> dims;
  for (auto [left, right] : llvm::zip(x, y)) {
    SmallVector<Expr, 4> joined;
    SmallVector<int64_t> shape;
    for (auto [l, r] : llvm::zip(left.dims, right.dims)) {
      joined.push_back(l == r && e.isAvailable(l) ? l : Expr());
      shape.push_back(l == r && l.asInt64() ? *l.asInt64()
                                            : ShapedType::kDynamic);
    }
    dims.push_back(joined);
    types.push_back(
        RankedTensorType::get(shape, elementType(e.context(), left.type)));
  }
  auto op = scf::IfOp::create(b, e.loc(), types, branch.op.getCondition(),
                              /*withElse=*/true);
  op.getThenRegion().takeBody(branch.op.getThenRegion());
  op.getElseRegion().takeBody(branch.op.getElseRegion());
  branch.op.erase();
  yield(e, op.getThenRegion(), x, types);
  yield(e, op.getElseRegion(), y, types);
  SmallVector<Tensor> results;
  for (size_t i = 0; i < x.size(); ++i) {
    SmallVector<Expr, 4> extents;
    for (auto [d, dim] : llvm::enumerate(dims[i]))
      extents.push_back(
          dim ? dim
              : e.bind(tensor::DimOp::create(b, e.loc(), op.getResult(i), d),
                       "_v"));
    results.push_back({op.getResult(i), extents, x[i].type});
  }
  return results;
}

/// Both arms, with all nodes that follow.
static LogicalResult branchToEnd(Node &n, Value condition,
                                 ArrayRef<const Graph *> arms) {
  GraphImporter &graph = n.graph();
  if (!graph.mayBranchToEnd())
    return n.fail("expected results of one type and rank from both branches");
  size_t numDecided = graph.getNumDecided();
  auto branch = importArms(n, condition, arms, [&](const Graph &arm) {
    return graph.importToEnd(n.raw(), arm);
  });
  if (branch && agree(branch->results[0], branch->results[1]))
    return graph.endWith(join(n.emit(), *branch));
  // The next attempt takes one arm of this branch, whatever comes behind it.
  graph.forgetDecisions(numDecided);
  return n.fail("expected outputs of one type and rank from both branches");
}

/// Both arms, as one op.
static LogicalResult branch(Node &n, Value condition,
                            ArrayRef<const Graph *> arms) {
  GraphImporter &graph = n.graph();
  auto mark = graph.mark();
  auto both = importArms(n, condition, arms, [&](const Graph &arm) {
    return graph.importBody(arm, {}, /*mayNotRun=*/true);
  });
  if (!both)
    return failure();
  auto &[x, y] = both->results;
  for (const auto &results : both->results)
    if (results.size() < n.numOutputs())
      return n.fail("expected a result of the arm for each output");
  for (auto [left, right] : llvm::zip(x, y))
    if (left.type != right.type)
      return graph.failForGood(
          "expected results of one type from both branches, but got " +
          nameOf(left.type) + " and " + nameOf(right.type));
  if (!agree(x, y)) {
    both->op.erase();
    graph.backTo(mark);
    n.emit().forget();
    return branchToEnd(n, condition, arms);
  }
  for (auto [i, result] : llvm::enumerate(join(n.emit(), *both)))
    if (failed(n.set(i, result)))
      return failure();
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
  if (forced && known) {
    if (auto first = n.inFirstCall(*known))
      forced = *forced == (*first != 0);
  } else if (forced && n.operand(0).input) {
    if (auto first = n.graph().boolInFirstCall(*n.operand(0).input))
      forced = *forced == *first;
  }
  bool isExpr = forced && known;
  Value condition = isExpr ? Value() : n.oneElement(0);
  if (!isExpr && !condition)
    return failure();
  if (!forced)
    return branch(n, condition, {thenArm->graph.get(), elseArm->graph.get()});
  requireArm(n, condition, known, *forced);
  return takeArm(n, *forced ? *thenArm->graph : *elseArm->graph);
}

void mlir::symshape::onnx::addControlFlowOps(Registry &registry) {
  registry.add("If", 1, ifOp);
}
