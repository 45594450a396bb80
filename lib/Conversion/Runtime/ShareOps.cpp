//===- ShareOps.cpp - One function for equal ops on buffers ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of a network do the same to other buffers: what computes is moved into
// functions before it becomes loops, and equal functions become one. Not for:
// functions of a program that are equal.
//
//===----------------------------------------------------------------------===//

#include "Contractions/ContractionKernel.h"
#include "SharedFunctions.h"
#include "symshape/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "symshape/IR/SymShape.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_SHAREOPSPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// Whether `op` does all that it does to buffers.
static bool isOnBuffers(Operation *op) {
  if (op->getNumResults() > 0)
    return false;
  if (isa<memref::CopyOp, scf::ForOp, scf::ParallelOp, scf::ForallOp>(op))
    return true;
  auto structured = dyn_cast<DestinationStyleOpInterface>(op);
  return structured && structured.hasPureBufferSemantics() &&
         isa<linalg::LinalgOp, ContractOp>(op);
}

/// Whether `op` is a branch that may end the call, and does nothing else.
static bool isFailure(Operation *op) {
  if (!isa<scf::IfOp>(op) || op->getNumResults() > 0)
    return false;
  bool fails = false;
  return !op->walk([&](Operation *inner) {
              fails |= isa<FailOp>(inner);
              return WalkResult(success(
                  isa<FailOp, scf::IfOp, scf::YieldOp, memref::LoadOp>(inner) ||
                  isMemoryEffectFree(inner)));
            }).wasInterrupted() &&
         fails;
}

/// The buffers of `op` whose types may say less: if not `all` that mean the
/// same then, those of a contraction by panels, which are all it knows of
/// columns.
static ValueRange getShapeless(Operation *op, bool all) {
  if (auto contract = dyn_cast<ContractOp>(op))
    return (all || contract.isPacked()) && !contract.getTransformed()
               ? ValueRange(contract.getMappedOperands())
               : ValueRange();
  return all && isa<linalg::LinalgOp, memref::CopyOp>(op)
             ? ValueRange(op->getOperands())
             : ValueRange();
}

/// How many last extents of `value`, a buffer of `op`, stay: those of a panel.
static int64_t countKept(Operation *op, Value value) {
  auto contract = dyn_cast<ContractOp>(op);
  if (!contract || !contract.isPacked() || value != contract.getRhs())
    return 0;
  return contract.isGrouped() ? 2 : 1;
}

/// Of the number of columns of `op`, `shapeless` says only whether they fill
/// their panels.
static void keepWholePanels(ContractOp op, ContractOp shapeless) {
  int64_t columns = op.getTileAttr().getColumns();
  shapeless.removeColumnsDivisorAttr();
  if (hasWholePanels(op, columns))
    shapeless.setColumnsDivisor(columns);
}

/// `type` with any extents but the last `kept`, and any strides but that of
/// neighbours. If some are kept, so are taps of which there is one: less code.
static Type getWithAnyShape(Type type, int64_t kept) {
  auto buffer = dyn_cast<MemRefType>(type);
  int64_t offset;
  SmallVector<int64_t> strides;
  if (!buffer || failed(buffer.getStridesAndOffset(strides, offset)))
    return type;
  bool areNeighbours = !strides.empty() && strides.back() == 1;
  strides.assign(strides.size(), ShapedType::kDynamic);
  if (areNeighbours)
    strides.back() = 1;
  SmallVector<int64_t> shape(buffer.getShape());
  for (auto [position, extent] :
       llvm::enumerate(MutableArrayRef(shape).drop_back(kept)))
    if (extent != 1 || kept == 0 || position == 0)
      extent = ShapedType::kDynamic;
  return MemRefType::get(
      shape, buffer.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides),
      buffer.getMemorySpace());
}

namespace {
/// An op, and what a function that does the same takes.
struct Place {
  Operation *op;
  SmallVector<Value> operands;
};

/// Functions that are equal, and what they were made from.
struct Group {
  OwningOpRef<func::FuncOp> function;
  SmallVector<Place> places = {};
  bool isFailure = false; ///< nobody waits for it
};

/// Shares the ops of one module, but those of modules in it, which cannot call
/// its functions.
class OpSharing {
public:
  OpSharing(ModuleOp module, int64_t least, bool anyShape, int64_t wholeFrom)
      : module(module), symbols(module), builder(module.getContext()),
        least(least), anyShape(anyShape), wholeFrom(wholeFrom) {}
  void run();

private:
  Group &add(Operation *op);
  void share(Group &group);
  void shareAll(int64_t fewest);
  void moveRest(ArrayRef<func::FuncOp> callers);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  int64_t least;
  bool anyShape;
  int64_t wholeFrom;
  std::vector<Group> groups;
  IRMapping results; ///< of ops that are calls now
  llvm::DenseMap<llvm::hash_code, SmallVector<size_t>> byHash;
  unsigned numFunctions = 0;
};
} // namespace

/// Of what is in `function`, without names of values and places in the source.
static llvm::hash_code hashBody(func::FuncOp function) {
  llvm::hash_code hash = hash_value(Type(function.getFunctionType()));
  function.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(func::FuncOp lhs, func::FuncOp rhs) {
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

/// Makes a function of `op` that takes what is used in it; constants are in the
/// function. Returns the group that it belongs to.
Group &OpSharing::add(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  Place place{op, {}};
  SmallVector<Operation *> constants;
  SmallVector<Type> types;
  ValueRange shapeless = getShapeless(op, anyShape);
  for (Value value : used) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (constant) {
      constants.push_back(constant);
      continue;
    }
    place.operands.push_back(value);
    types.push_back(llvm::is_contained(shapeless, value)
                        ? getWithAnyShape(value.getType(), countKept(op, value))
                        : value.getType());
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.clearInsertionPoint();
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      op->getLoc(), "shared",
      builder.getFunctionType(types, op->getResultTypes()));
  builder.setInsertionPointToStart(function->addEntryBlock());
  IRMapping mapping;
  mapping.map(place.operands, function->getArguments());
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  Operation *moved = builder.clone(*op, mapping);
  if (auto contract = dyn_cast<ContractOp>(op);
      contract && contract.isPacked() && !shapeless.empty())
    keepWholePanels(contract, cast<ContractOp>(moved));
  func::ReturnOp::create(builder, op->getLoc(), moved->getResults());
  SmallVector<size_t> &alike = byHash[hashBody(*function)];
  auto found = llvm::find_if(alike, [&](size_t number) {
    return areEqual(*groups[number].function, *function);
  });
  if (found == alike.end()) {
    alike.push_back(groups.size());
    groups.push_back({std::move(function)});
    found = std::prev(alike.end());
  }
  Group &group = groups[*found];
  group.places.push_back(std::move(place));
  return group;
}

/// Gives the arguments of `function` the types that `operands` have.
static void setTypes(func::FuncOp function, ValueRange operands) {
  for (auto [argument, operand] :
       llvm::zip_equal(function.getArguments(), operands))
    argument.setType(operand.getType());
  function.setType(FunctionType::get(function.getContext(), operands.getTypes(),
                                     function.getResultTypes()));
}

/// Puts the function into the module, and calls in the places. What only one
/// place calls knows its shapes.
void OpSharing::share(Group &group) {
  func::FuncOp function = group.function.release();
  if (group.places.size() == 1)
    setTypes(function,
             llvm::map_to_vector(group.places[0].operands, [&](Value operand) {
               return results.lookupOrDefault(operand);
             }));
  function.setName((sharedFunctionPrefix + Twine(numFunctions++)).str());
  function.setPrivate();
  function->setAttr("no_inline", builder.getUnitAttr());
  if (group.isFailure)
    function->setAttr("passthrough",
                      builder.getStrArrayAttr({"cold", "noinline", "optnone"}));
  symbols.insert(function, module.getBody()->end()); // a name that is free
  for (Place &place : group.places) {
    builder.setInsertionPoint(place.op);
    Location loc = place.op->getLoc();
    for (auto [operand, type] :
         llvm::zip_equal(place.operands, function.getArgumentTypes())) {
      operand = results.lookupOrDefault(operand);
      if (operand.getType() != type)
        operand = memref::CastOp::create(builder, loc, type, operand);
    }
    auto call = func::CallOp::create(builder, loc, function, place.operands);
    results.map(place.op->getResults(), call.getResults());
    place.op->replaceAllUsesWith(call);
    place.op->erase();
  }
}

void OpSharing::shareAll(int64_t fewest) {
  for (Group &group : groups)
    if (static_cast<int64_t>(group.places.size()) >= fewest)
      share(group);
  groups.clear();
  byHash.clear();
}

/// Of code that runs once, only calls are left: no loop, and no branch that
/// fails.
void OpSharing::moveRest(ArrayRef<func::FuncOp> callers) {
  for (func::FuncOp caller : callers)
    caller.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isFailure(op) && !isa<scf::ForOp, scf::WhileOp>(op))
        return WalkResult::advance();
      add(op).isFailure = isFailure(op);
      return WalkResult::skip();
    });
  shareAll(/*fewest=*/1);
}

void OpSharing::run() {
  llvm::SetVector<func::FuncOp> callers;
  int64_t numOps = 0;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && op->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip();
    if (!isOnBuffers(op))
      return WalkResult::advance();
    if (auto caller = op->getParentOfType<func::FuncOp>())
      callers.insert(caller);
    add(op);
    ++numOps;
    return WalkResult::skip(); // a loop inside a parallel one is not parallel
  });
  if (wholeFrom == 0 || numOps < wholeFrom)
    return shareAll(least);
  shareAll(/*fewest=*/1);
  moveRest(callers.getArrayRef());
}

namespace {
struct ShareOpsPass : symshape::impl::ShareOpsPassBase<ShareOpsPass> {
  using ShareOpsPassBase::ShareOpsPassBase;
  void runOnOperation() override {
    getOperation().walk([&](ModuleOp module) {
      OpSharing(module, least, anyShape, wholeFrom).run();
    });
  }
};
} // namespace
