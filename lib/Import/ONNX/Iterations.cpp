//===- Iterations.cpp - Loops over the body of a node ---------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for where the number of iterations is known when the loop begins: what
// each one adds to a result is put into a tensor with an entry per iteration.
// scf.while where data ends it: that tensor then grows, and is cut at the end.
//
// Only the import of the body tells which of the two it is, and which extents
// of states do not stay: the body is then imported anew.
//
//===----------------------------------------------------------------------===//

#include "Iterations.h"
#include "GraphImporter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

namespace {
class IterationsBuilder {
public:
  IterationsBuilder(Node &n, const Graph &body, const Iterations &iterations,
                    MakeInputs makeInputs)
      : n(n), e(n.emit()), b(e.builder()), body(body), iterations(iterations),
        makeInputs(makeInputs), endsByData(!iterations.count),
        // What iterations add has the same extents in each.
        supposes(body.outputs.size() ==
                 iterations.skipped + iterations.states.size()) {
    for (const Tensor &state : iterations.states)
      varies.emplace_back(state.rank(), false);
  }

  std::optional<SmallVector<Tensor>> run();

private:
  enum class Outcome { Done, Failed, Again };
  using Tensors = SmallVector<Tensor>;

  Outcome fail(const Twine &message) {
    (void)n.fail(message);
    return Outcome::Failed;
  }
  SmallVector<Value> initialValues();
  Tensors asStates(ValueRange values);
  bool doesVary(Expr now, Expr before, size_t state, int64_t dim);
  bool retractSupposed();
  Outcome importIteration(Value counter, ValueRange carried);
  Outcome readResults(ArrayRef<Operand> results, ArrayRef<Tensor> states);
  Outcome stack(Expr length);
  Outcome runFor();
  Outcome runWhile();
  scf::WhileOp beginWhile(SmallVector<Value> &inits);
  void endWhile(scf::WhileOp loop, ArrayRef<Value> inits);
  Tensor withRoom(const Tensor &whole, Value counter);

  Node &n;
  Emitter &e;
  OpBuilder &b;
  const Graph &body;
  const Iterations &iterations;
  MakeInputs makeInputs;

  // What is found out, and stays for the next import of the body.
  bool endsByData;
  SmallVector<SmallVector<bool, 4>> varies; ///< by state and dimension
  bool supposes; ///< what a broadcast may or may not change is said to vary
  bool hasSupposed = false;

  // Of the current import.
  Value goesOn;            ///< an i1; null: it always does
  SmallVector<Value> next; ///< of the states
  Tensors collected;       ///< what an iteration adds
  Tensors stacked;         ///< the same of all iterations, without values
  Tensors results;
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

SmallVector<Value> IterationsBuilder::initialValues() {
  SmallVector<Value> values;
  for (auto [state, open] : llvm::zip_equal(iterations.states, varies)) {
    auto type = cast<RankedTensorType>(state.value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [extent, isOpen] : llvm::zip_equal(shape, open))
      if (isOpen)
        extent = ShapedType::kDynamic;
    auto wider = type.clone(shape);
    values.push_back(
        type == wider ? state.value
                      : tensor::CastOp::create(b, e.loc(), wider, state.value));
  }
  return values;
}

IterationsBuilder::Tensors IterationsBuilder::asStates(ValueRange values) {
  Tensors result = Emitter::asStates(values, iterations.states);
  for (auto [state, open] : llvm::zip_equal(result, varies))
    for (size_t d = 0; d < open.size(); ++d)
      if (open[d])
        state.dims[d] =
            e.bind(tensor::DimOp::create(b, e.loc(), state.value, d), "_v");
  return result;
}

/// The name or number that a value of the body declares as an extent.
static std::string declaredExtent(const ValueInfo &info, int64_t dim) {
  if (dim >= static_cast<int64_t>(info.type.dims.size()))
    return "";
  const Dimension &declared = info.type.dims[dim];
  if (declared.value)
    return *declared.value < 0 ? "" : std::to_string(*declared.value);
  bool isAnonymous = declared.param == "?" || declared.param == "None";
  return isAnonymous ? "" : declared.param.str();
}

/// Whether `now` is what `before` and other extents are broadcast to.
static bool isBroadcastOf(Expr now, Expr before) {
  auto operandsOf = [](Expr e) {
    Atom atom = e.asAtom();
    return atom && atom.kind() == AtomKind::Bc
               ? SmallVector<Expr, 4>(atom.operands())
               : SmallVector<Expr, 4>{e};
  };
  SmallVector<Expr, 4> joined = operandsOf(now);
  return joined.size() > 1 && llvm::all_of(operandsOf(before), [&](Expr e) {
           return llvm::is_contained(joined, e);
         });
}

/// Whether an extent that an iteration makes of another one is not just written
/// in another way. What data decides is another one, unless the body declares
/// both alike; so is a sum, what is added to nothing, and what another axis
/// has. An expression in the old one or a number may be equal, and what a Scan
/// makes is: the first call says so, if it is known. A broadcast is supposed to
/// change it.
bool IterationsBuilder::doesVary(Expr now, Expr before, size_t state,
                                 int64_t dim) {
  if (now == before || e.isProvably(Relation::eq(now, before)))
    return false;
  if (e.isProvably(Relation::ne(now, before)))
    return true;
  // A Loop's body has the number of the iteration and the condition first.
  size_t input = state + (iterations.skipped == 1 ? 2 : 0);
  std::string declared =
      input < body.inputs.size() ? declaredExtent(body.inputs[input], dim) : "";
  if (!declared.empty() &&
      declared == declaredExtent(body.outputs[iterations.skipped + state], dim))
    return false;
  bool isOfIteration = llvm::any_of(now.symbols(), [&](Expr symbol) {
    Value value = e.valueOf(symbol);
    return value &&
           value.getParentRegion() == b.getInsertionBlock()->getParent();
  });
  if (isOfIteration || e.isProvably(Relation::ge(now, before)) ||
      e.isProvably(Relation::le(now, before)))
    return true;
  if (supposes && isBroadcastOf(now, before))
    return hasSupposed = true;
  auto first = n.inFirstCall(now), old = n.inFirstCall(before);
  if (first && old && *first != *old)
    return true;
  // A Scan asks for states of the same extents in each iteration.
  if (iterations.skipped == 0 || now.isConstant())
    return false;
  SmallVector<Expr, 4> parts = now.symbols();
  bool isOfBefore = llvm::any_of(before.symbols(), [&](Expr symbol) {
    return llvm::is_contained(parts, symbol);
  });
  return !isOfBefore;
}

//===----------------------------------------------------------------------===//
// An iteration
//===----------------------------------------------------------------------===//

/// x; extents of it that are computed in the loop are required to be those that
/// the body declares.
static Tensor withDeclaredExtents(Emitter &e, const Tensor &x,
                                  const TypeInfo &type) {
  Tensor result = x;
  Region *iteration = e.builder().getInsertionBlock()->getParent();
  for (auto [dim, declared] : llvm::zip(result.dims, type.dims)) {
    bool isOfIteration = llvm::any_of(dim.symbols(), [&](Expr symbol) {
      Value value = e.valueOf(symbol);
      return value && value.getParentRegion() == iteration;
    });
    if (!isOfIteration || !declared.value || *declared.value < 0)
      continue;
    Expr wanted = e.constant(*declared.value);
    e.require(
        Relation::eq(dim, wanted),
        "what an iteration of the loop adds must have the declared extents");
    dim = wanted;
  }
  return e.wrap(x.value, result.dims, x.type);
}

/// Imports the body at the place of the builder.
IterationsBuilder::Outcome
IterationsBuilder::importIteration(Value counter, ValueRange carried) {
  Tensors states = asStates(carried);
  // A loop that is known to have an iteration needs no second chance.
  auto isSure = [](Expr atLeastOne) {
    return !atLeastOne ||
           (atLeastOne.isConstant() && *atLeastOne.asInt64() > 0);
  };
  auto results = n.graph().importBody(body, makeInputs(counter, states),
                                      !isSure(iterations.count) ||
                                          !isSure(iterations.starts));
  if (!results)
    return Outcome::Failed;
  if (results->size() < iterations.skipped + iterations.states.size())
    return fail("expected a result of the body for each state");
  return readResults(*results, states);
}

IterationsBuilder::Outcome
IterationsBuilder::readResults(ArrayRef<Operand> given,
                               ArrayRef<Tensor> states) {
  NodeData none;
  Node all(n.graph(), none, given);
  goesOn = Value();
  next.clear();
  collected.clear();
  if (iterations.skipped == 1 && !iterations.isCounted) {
    auto always = all.constantInts(0);
    if (!always || always->size() != 1 || always->front() == 0) {
      if (!endsByData) {
        endsByData = true;
        return Outcome::Again;
      }
      Tensor condition = all.tensor(0);
      Expr count = e.product(condition.dims);
      if (condition.type != DataType::Bool ||
          (count.isConstant() && !count.isConstant(1)))
        return fail("expected a bool that says whether the loop goes on");
      if (!count.isConstant())
        e.require(Relation::eq(count, e.constant(1)),
                  "one bool says whether a loop goes on");
      goesOn = e.extract(condition,
                         SmallVector<Expr, 1>(condition.rank(), e.constant(0)));
    }
  }
  bool isAgain = false;
  for (size_t i = 0; i < states.size(); ++i) {
    Tensor now = all.tensor(iterations.skipped + i);
    const Tensor &state = states[i];
    if (now.rank() != state.rank() || now.type != state.type)
      return fail("expected states to keep their type and rank");
    for (int64_t d = 0; d < now.rank(); ++d) {
      if (varies[i][d])
        continue;
      if (doesVary(now.dims[d], state.dims[d], i, d)) {
        isAgain = varies[i][d] = true;
        continue;
      }
      e.require(Relation::eq(now.dims[d], state.dims[d]),
                "a state of a loop must keep its extents");
    }
    if (!isAgain)
      next.push_back(e.wrap(now.value, state.dims, state.type).value);
  }
  if (isAgain)
    return Outcome::Again;
  for (size_t i = iterations.skipped + states.size(); i < given.size(); ++i)
    collected.push_back(
        withDeclaredExtents(e, all.tensor(i), body.outputs[i].type));
  return Outcome::Done;
}

/// The extents of what all iterations make; `length` of them.
IterationsBuilder::Outcome IterationsBuilder::stack(Expr length) {
  stacked.clear();
  for (const Tensor &part : collected) {
    if (!e.isAvailable(part.dims))
      return fail(
          "expected what an iteration of the loop adds to have extents that "
          "are known before the loop");
    SmallVector<Expr, 4> dims{length};
    llvm::append_range(dims, part.dims);
    stacked.push_back({Value(), dims, part.type});
  }
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// A number of iterations that is known
//===----------------------------------------------------------------------===//

IterationsBuilder::Outcome IterationsBuilder::runFor() {
  Expr count = iterations.starts ? iterations.count * iterations.starts
                                 : iterations.count;
  Tensors initial(iterations.states);
  for (auto [state, value] : llvm::zip_equal(initial, initialValues()))
    state.value = value;
  scf::ForOp loop;
  Outcome outcome;
  {
    OpBuilder::InsertionGuard guard(b);
    loop = e.beginLoop(count, initial);
    outcome = importIteration(loop.getInductionVar(), loop.getRegionIterArgs());
    if (outcome == Outcome::Done)
      scf::YieldOp::create(b, e.loc(), next);
  }
  // Now it is known what an iteration adds, and what all of them make.
  if (outcome == Outcome::Done)
    outcome = stack(count);
  if (outcome != Outcome::Done) {
    loop.erase();
    return outcome;
  }
  // Before the loop: its initial values.
  SmallVector<Value> empties;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    e.forget();
    for (const Tensor &whole : stacked)
      empties.push_back(e.empty(whole.dims, whole.type));
  }
  auto addIteration = [&](OpBuilder &inside, Location loc,
                          ArrayRef<BlockArgument> all) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(inside.saveInsertionPoint());
    e.forget();
    Value counter = all.front().getOwner()->getArgument(0);
    SmallVector<Value> filled;
    for (auto [i, whole] : llvm::enumerate(stacked)) {
      Scalars s(b, loc);
      bool backward =
          i < iterations.isBackward.size() && iterations.isBackward[i];
      Value at =
          backward ? s.sub(s.sub(loop.getUpperBound(), loop.getStep()), counter)
                   : counter;
      filled.push_back(
          e.put({all[i], whole.dims, whole.type}, 0, at, collected[i]).value);
    }
    return filled;
  };
  if (!collected.empty()) {
    IRRewriter rewriter(b);
    rewriter.setInsertionPoint(loop);
    auto wider = loop.replaceWithAdditionalYields(
        rewriter, empties, /*replaceInitOperandUsesInLoop=*/false,
        addIteration);
    if (failed(wider))
      return fail("expected a loop that can be widened");
    loop = cast<scf::ForOp>(wider->getOperation());
    b.setInsertionPointAfter(loop);
  }
  e.forget();
  size_t numStates = iterations.states.size();
  results = asStates(loop.getResults().take_front(numStates));
  llvm::append_range(
      results,
      Emitter::asStates(loop.getResults().drop_front(numStates), stacked));
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// A number of iterations that data decides
//===----------------------------------------------------------------------===//

/// An op whose regions have their arguments: whether to go on, the number of
/// iterations so far and the states; without the first one behind the
/// condition. The builder is left in the body.
scf::WhileOp IterationsBuilder::beginWhile(SmallVector<Value> &inits) {
  Location loc = e.loc();
  Value most = iterations.count ? e.index(iterations.count) : Value();
  Value zero = e.index(e.constant(0));
  Value starts = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      e.index(iterations.starts ? iterations.starts : e.constant(1)), zero);
  inits = {starts, zero};
  llvm::append_range(inits, initialValues());
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(ValueRange(inits).drop_front()), inits);
  auto add = [&](Region &region, ValueRange values) {
    Block *block = b.createBlock(&region);
    for (Value value : values)
      block->addArgument(value.getType(), loc);
    return block;
  };
  Block *before = add(loop.getBefore(), inits);
  Value condition = before->getArgument(0);
  if (most) {
    Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         before->getArgument(1), most);
    condition = arith::AndIOp::create(b, loc, condition, isLeft);
  }
  scf::ConditionOp::create(b, loc, condition,
                           before->getArguments().drop_front());
  add(loop.getAfter(), ValueRange(inits).drop_front());
  return loop;
}

/// A tensor with at least one more entry than there are iterations so far.
Tensor IterationsBuilder::withRoom(const Tensor &whole, Value counter) {
  Location loc = e.loc();
  Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, counter,
                                     e.index(whole.dims[0]));
  auto larger = scf::IfOp::create(b, loc, whole.value.getType(), full,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&larger.getThenRegion().front());
    SmallVector<Expr, 4> dims(whole.dims);
    dims[0] = dims[0] + e.constant(8);
    Tensor both =
        e.concat({whole, {e.empty(dims, whole.type), dims, whole.type}}, 0);
    scf::YieldOp::create(b, loc, both.value);
    b.setInsertionPointToStart(&larger.getElseRegion().front());
    scf::YieldOp::create(b, loc, whole.value);
  }
  return e.wrap(larger.getResult(0), whole.type);
}

/// Adds what is collected to the body, which `loop` is then without; `results`
/// are those of the op that has it.
void IterationsBuilder::endWhile(scf::WhileOp loop, ArrayRef<Value> inits) {
  Location loc = e.loc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  e.forget();
  SmallVector<Value> all(inits);
  for (Tensor &whole : stacked) {
    whole.dims[0] = e.constant(0);
    Value empty = e.empty(whole.dims, whole.type);
    auto type = cast<RankedTensorType>(empty.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    all.push_back(tensor::CastOp::create(b, loc, type.clone(shape), empty));
  }
  auto wide = scf::WhileOp::create(
      b, loc, TypeRange(ValueRange(all).drop_front()), all);
  wide.getBefore().takeBody(loop.getBefore());
  wide.getAfter().takeBody(loop.getAfter());
  loop.erase();
  Block &before = wide.getBefore().front(), &after = wide.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  Value counter = after.getArgument(0);
  b.setInsertionPointToEnd(&after);
  if (!goesOn)
    goesOn = arith::ConstantIntOp::create(b, loc, /*value=*/1, /*width=*/1);
  SmallVector<Value> yielded{
      goesOn, Scalars(b, loc).add(counter, e.index(e.constant(1)))};
  llvm::append_range(yielded, next);
  for (auto [whole, part] : llvm::zip_equal(stacked, collected)) {
    Type type = all[yielded.size()].getType();
    condition.getArgsMutable().append(before.addArgument(type, loc));
    Tensor old = whole;
    old.value = after.addArgument(type, loc);
    old.dims[0] = e.bind(tensor::DimOp::create(b, loc, old.value, 0), "_v");
    Tensor room = withRoom(old, counter);
    yielded.push_back(e.put(room, 0, counter, part).value);
  }
  scf::YieldOp::create(b, loc, yielded);
  b.setInsertionPointAfter(wide);
  e.forget();
  results = asStates(wide.getResults().drop_front().take_front(next.size()));
  Expr length = e.bind(wide.getResult(0), "_turns");
  for (auto [i, whole] : llvm::enumerate(stacked)) {
    whole.value = wide.getResult(1 + next.size() + i);
    whole.dims[0] = e.bind(tensor::DimOp::create(b, loc, whole.value, 0), "_v");
    results.push_back(e.slice(whole, 0, e.constant(0), length));
  }
}

IterationsBuilder::Outcome IterationsBuilder::runWhile() {
  SmallVector<Value> inits;
  scf::WhileOp loop;
  Outcome outcome;
  {
    OpBuilder::InsertionGuard guard(b);
    loop = beginWhile(inits);
    Block &after = loop.getAfter().front();
    outcome = importIteration(after.getArgument(0),
                              ValueRange(after.getArguments()).drop_front());
  }
  if (outcome == Outcome::Done)
    outcome = stack(e.constant(0));
  if (outcome == Outcome::Done)
    endWhile(loop, inits);
  else
    loop.erase();
  return outcome;
}

/// After an error: whether the body has one more chance, with extents that stay
/// where they were only supposed to vary.
bool IterationsBuilder::retractSupposed() {
  if (!hasSupposed || n.graph().isBrokenModel())
    return false;
  supposes = hasSupposed = false;
  for (auto &dims : varies)
    llvm::fill(dims, false);
  return true;
}

std::optional<SmallVector<Tensor>> IterationsBuilder::run() {
  for (;;) {
    auto mark = n.graph().mark();
    Outcome outcome = endsByData ? runWhile() : runFor();
    if (outcome == Outcome::Done)
      return results;
    if (outcome == Outcome::Failed && !retractSupposed())
      return std::nullopt;
    // Each time, one more thing is known not to stay.
    n.graph().backTo(mark);
    e.forget();
  }
}

std::optional<SmallVector<Tensor>>
mlir::symshape::onnx::runIterations(Node &n, const Graph &body,
                                    const Iterations &iterations,
                                    MakeInputs makeInputs) {
  return IterationsBuilder(n, body, iterations, makeInputs).run();
}
