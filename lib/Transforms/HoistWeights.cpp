//===- HoistWeights.cpp - What depends on weights alone -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two walks over the call graph. Callers first: which arguments are weights at
// every call. Callees first: each value that is computed from weights alone,
// and used by something that is not, moves to the callers as a new argument; in
// a public function, to its `prepare` function. What several calls need, such
// as those of the versions of a function, is computed once. Not for: choosing
// layouts; it moves existing ops.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/HoistWeights.h"
#include "CloneFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "symshape/Analysis/ModuleCalls.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_HOISTWEIGHTSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
class WeightHoister {
public:
  explicit WeightHoister(ModuleOp module)
      : module(module), calls(module), order(calls.callersFirst()) {
    findSingleSteps();
  }
  unsigned run();
  DenseSet<Value> findPrepared();

private:
  /// Whether every use of the function is a call that is known.
  bool isClosed(func::FuncOp function) const {
    return calls.areKnown(function) && !calls.callsOf(function).empty();
  }
  bool isPrepared(func::FuncOp function);
  void findSingleSteps();
  void findWeights();
  void findWeights(func::FuncOp function);
  bool isWeightOnly(Value value) const { return weightOnly.contains(value); }
  bool computesOnWeights(Operation *op) const;
  SmallVector<Value> findFrontier(func::FuncOp function) const;
  SetVector<Operation *> getSlice(ArrayRef<Value> values) const;
  Operation *getPlaceBefore(func::CallOp call) const;
  bool moveToCallers(func::FuncOp function);
  void shareComputations();
  unsigned moveToPrepare(func::FuncOp function);
  void addArguments(func::FuncOp function, ArrayRef<Value> values);

  ModuleOp module;
  ModuleCalls calls;
  SmallVector<func::FuncOp> order; ///< callers first, without single steps
  /// Functions whose calls move as one op does: they are not to be inlined, and
  /// do nothing but compute results of their arguments.
  DenseSet<Operation *> singleSteps;
  /// Functions whose computations on weights all end up in `prepare` functions.
  DenseSet<Operation *> hoisted;
  DenseSet<Value> weightOnly;
};
} // namespace

/// Whether `function` gets a `prepare` function.
bool WeightHoister::isPrepared(func::FuncOp function) {
  return function.isPublic() && calls.isOnlyCalled(function) &&
         calls.callsOf(function).empty() && !function.isExternal() &&
         function.getBody().hasOneBlock() &&
         !function->hasAttr(kPrepareFunction);
}

/// The greatest number that an index can be, computed from constants and from
/// positions in static loops, if it is never negative and never wraps.
static std::optional<int64_t> findGreatest(Value index, unsigned depth = 0) {
  constexpr unsigned maxDepth = 16;
  if (depth > maxDepth)
    return std::nullopt;
  auto below = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? std::nullopt
                                         : std::make_optional(extent - 1);
  };
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant >= 0 ? constant : std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop =
        dyn_cast<tensor::GenerateOp>(argument.getOwner()->getParentOp());
    return loop ? below(loop.getType().getDimSize(argument.getArgNumber()))
                : std::nullopt;
  }
  Operation *op = index.getDefiningOp();
  if (auto position = dyn_cast<linalg::IndexOp>(op)) {
    auto loop = dyn_cast<linalg::LinalgOp>(op->getParentOp());
    return loop ? below(loop.getStaticLoopRanges()[position.getDim()])
                : std::nullopt;
  }
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::AddIOp, arith::MulIOp,
           arith::MinSIOp, arith::MaxSIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = findGreatest(op->getOperand(0), depth + 1),
                         right = findGreatest(op->getOperand(1), depth + 1);
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
    if (!by || *by <= 0)
      return std::nullopt;
    return isa<arith::DivUIOp>(op) ? *left / *by : *by - 1;
  }
  if (isa<arith::MinSIOp>(op))
    return std::min(*left, *right);
  if (isa<arith::MaxSIOp>(op))
    return std::max(*left, *right);
  return isa<arith::AddIOp>(op) ? llvm::checkedAdd(*left, *right)
                                : llvm::checkedMul(*left, *right);
}

/// Whether the element exists whatever the weights hold.
static bool isInBounds(tensor::ExtractOp extract) {
  return llvm::all_of(
      llvm::zip(extract.getIndices(), extract.getTensor().getType().getShape()),
      [](auto each) {
        auto [index, extent] = each;
        std::optional<int64_t> greatest = findGreatest(index);
        return greatest && !ShapedType::isDynamic(extent) && *greatest < extent;
      });
}

/// Whether the op, or one inside it, makes an index from what a tensor holds,
/// or reads at one: that is checked in the function, and the op stays after the
/// check. What depends on extents alone is checked before anything is prepared.
static bool readsAtData(Operation *op) {
  auto visit = [](Operation *nested) {
    auto extract = dyn_cast<tensor::ExtractOp>(nested);
    bool makesIndex = llvm::any_of(nested->getResultTypes(),
                                   [](Type type) { return type.isIndex(); }) &&
                      llvm::any_of(nested->getOperandTypes(),
                                   [](Type type) { return type.isInteger(); });
    return makesIndex || (extract &&
                          (extract.getType().isIndex() || !isInBounds(extract)))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return op->walk(visit).wasInterrupted();
}

/// Calls that move are erased, so nothing else is to look at them.
void WeightHoister::findSingleSteps() {
  llvm::erase_if(order, [&](func::FuncOp function) {
    bool isStep =
        isClosed(function) && function.getNoInline() &&
        function.getBody().hasOneBlock() &&
        llvm::all_of(function.front().without_terminator(), [](Operation &op) {
          return isPure(&op) && !readsAtData(&op);
        });
    if (isStep)
      singleSteps.insert(function);
    return isStep;
  });
}

/// True if the op has no effect and its operands, and what its regions use from
/// outside, are weight-only tensors or scalars.
bool WeightHoister::computesOnWeights(Operation *op) const {
  if (!isa_and_nonnull<func::FuncOp>(op->getParentOp()) ||
      op->hasTrait<OpTrait::IsTerminator>() || op->getNumResults() == 0)
    return false;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (!singleSteps.contains(
            SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())))
      return false;
  } else if (!isPure(op) || readsAtData(op) ||
             (op->getName().getDialectNamespace() == "symshape" &&
              !isa<DequantizeOp>(op))) {
    // An op of our dialect says something about the place where it stands; not
    // one that is left for FormContractions.
    return false;
  }
  if (!llvm::all_of(op->getOperands(),
                    [&](Value value) { return isWeightOnly(value); }))
    return false;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured,
                      [&](Value value) { return isWeightOnly(value); });
}

void WeightHoister::findWeights(func::FuncOp function) {
  if (function.isExternal())
    return;
  ArrayRef<func::CallOp> sites = calls.callsOf(function);
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    bool isWeight =
        isClosed(function)
            ? llvm::all_of(sites,
                           [&](func::CallOp call) {
                             return isWeightOnly(call.getOperand(number));
                           })
            : function.isPublic() &&
                  function.getArgAttr(number, SymShapeDialect::kWeight);
    if (isWeight)
      weightOnly.insert(argument);
  }
  for (Operation &op : function.front())
    if (computesOnWeights(&op))
      for (Value result : op.getResults())
        weightOnly.insert(result);
}

void WeightHoister::findWeights() {
  weightOnly.clear();
  for (func::FuncOp function : order) {
    findWeights(function);
    auto isHoisted = [&](func::CallOp call) {
      return hoisted.contains(call->getParentOfType<func::FuncOp>());
    };
    if (isPrepared(function) ||
        (isClosed(function) && function.getBody().hasOneBlock() &&
         llvm::all_of(calls.callsOf(function), isHoisted)))
      hoisted.insert(function);
  }
}

/// True for an op that costs time: not a view, a constant or a fill.
static bool isCostly(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return false;
  return isa<linalg::LinalgOp, linalg::PackOp, tensor::PadOp, tensor::ConcatOp,
             tensor::GenerateOp, func::CallOp>(op);
}

SetVector<Operation *> WeightHoister::getSlice(ArrayRef<Value> values) const {
  SetVector<Operation *> reversed;
  SmallVector<Value> worklist(values);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !reversed.insert(op))
      continue;
    llvm::append_range(worklist, op->getOperands());
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(worklist, captured);
  }
  SmallVector<Operation *> sorted(reversed.begin(), reversed.end());
  llvm::sort(sorted, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return SetVector<Operation *>(sorted.begin(), sorted.end());
}

/// Weight-only tensors with a costly history that something else uses.
SmallVector<Value> WeightHoister::findFrontier(func::FuncOp function) const {
  SmallVector<Value> frontier;
  for (Operation &op : function.front()) {
    for (Value result : op.getResults()) {
      if (!isWeightOnly(result) || !isa<RankedTensorType>(result.getType()))
        continue;
      bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *top = function.front().findAncestorOpInBlock(*user);
        return !top || top->getNumResults() == 0 ||
               !isWeightOnly(top->getResult(0));
      });
      if (isUsed && llvm::any_of(getSlice(result), isCostly))
        frontier.push_back(result);
    }
  }
  return frontier;
}

/// Gives `function` one argument per value, which replaces the value.
void WeightHoister::addArguments(func::FuncOp function,
                                 ArrayRef<Value> values) {
  MLIRContext *context = module.getContext();
  for (Value value : values) {
    unsigned number = function.getNumArguments();
    // Prepared once, used by every call: never written to.
    auto attributes = DictionaryAttr::get(
        context,
        NamedAttribute(
            StringAttr::get(
                context,
                bufferization::BufferizationDialect::kWritableAttrName),
            BoolAttr::get(context, false)));
    if (failed(function.insertArgument(number, value.getType(), attributes,
                                       value.getLoc())))
      continue;
    value.replaceAllUsesWith(function.getArgument(number));
    weightOnly.insert(function.getArgument(number));
  }
}

static void eraseDead(const SetVector<Operation *> &slice) {
  for (Operation *op : llvm::reverse(slice.getArrayRef()))
    if (op->use_empty())
      op->erase();
}

/// Where what a call needs is computed: outside of branches and loops if it
/// moves on from there. In a function that computes it in each call, only where
/// the call is reached.
Operation *WeightHoister::getPlaceBefore(func::CallOp call) const {
  auto caller = call->getParentOfType<func::FuncOp>();
  return hoisted.contains(caller)
             ? caller.front().findAncestorOpInBlock(*call.getOperation())
             : call.getOperation();
}

bool WeightHoister::moveToCallers(func::FuncOp function) {
  SmallVector<Value> frontier = findFrontier(function);
  if (frontier.empty())
    return false;
  SetVector<Operation *> slice = getSlice(frontier);
  for (func::CallOp call : calls.callsOf(function)) {
    // The operands that are used are weights, defined at the top of the caller.
    OpBuilder builder(getPlaceBefore(call));
    IRMapping mapping;
    mapping.map(function.getArguments(), call.getOperands());
    for (Operation *op : slice)
      for (Value result : builder.clone(*op, mapping)->getResults())
        weightOnly.insert(result);
    SmallVector<Value> operands(call.getOperands());
    for (Value value : frontier)
      operands.push_back(mapping.lookup(value));
    call.getOperandsMutable().assign(operands);
  }
  addArguments(function, frontier);
  eraseDead(slice);
  return true;
}

/// Merges equal ops that were moved from several places to one.
void WeightHoister::shareComputations() {
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  for (func::FuncOp function : order)
    if (isPrepared(function))
      eliminateCommonSubExpressions(rewriter, dominance, function);
  findWeights(); // values are gone
}

unsigned WeightHoister::moveToPrepare(func::FuncOp function) {
  SmallVector<Value> frontier = findFrontier(function);
  if (frontier.empty())
    return 0;
  std::string name = getUniqueName(function, function.getName() + ".prepare");
  SetVector<Operation *> slice = getSlice(frontier);
  OpBuilder builder(function);
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<BlockArgument> weights;
  for (BlockArgument argument : function.getArguments()) {
    if (!isWeightOnly(argument))
      continue;
    weights.push_back(argument);
    inputs.push_back(argument.getType());
    attributes.push_back(DictionaryAttr::get(
        module.getContext(),
        NamedAttribute(builder.getStringAttr(SymShapeDialect::kWeight),
                       function.getArgAttr(argument.getArgNumber(),
                                           SymShapeDialect::kWeight))));
  }
  auto type = builder.getFunctionType(inputs, ValueRange(frontier).getTypes());
  auto prepare = func::FuncOp::create(builder, function.getLoc(), name, type,
                                      ArrayRef<NamedAttribute>(), attributes);
  function->setAttr(kPrepareFunction, FlatSymbolRefAttr::get(prepare));
  builder.setInsertionPointToStart(prepare.addEntryBlock());
  IRMapping mapping;
  for (auto [weight, argument] : llvm::zip(weights, prepare.getArguments()))
    mapping.map(weight, argument);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value value : frontier)
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, function.getLoc(), results);
  addArguments(function, frontier);
  eraseDead(slice);
  return frontier.size();
}

unsigned WeightHoister::run() {
  findWeights();
  bool anyMoved = false;
  for (func::FuncOp function : llvm::reverse(order))
    if (isClosed(function) && function.getBody().hasOneBlock())
      anyMoved |= moveToCallers(function);
  if (anyMoved)
    shareComputations();
  unsigned count = 0;
  for (func::FuncOp function : order)
    if (isPrepared(function))
      count += moveToPrepare(function);
  return count;
}

DenseSet<Value> WeightHoister::findPrepared() {
  findWeights();
  DenseSet<Value> prepared;
  for (Value value : weightOnly)
    if (isa<RankedTensorType>(value.getType()) &&
        hoisted.contains(value.getParentBlock()->getParentOp()))
      prepared.insert(value);
  return prepared;
}

unsigned mlir::symshape::hoistWeights(ModuleOp module) {
  return WeightHoister(module).run();
}

DenseSet<Value> mlir::symshape::findPreparedValues(ModuleOp module) {
  return WeightHoister(module).findPrepared();
}

namespace {
struct HoistWeightsPass
    : symshape::impl::HoistWeightsPassBase<HoistWeightsPass> {
  void runOnOperation() override { hoistWeights(getOperation()); }
};
} // namespace
