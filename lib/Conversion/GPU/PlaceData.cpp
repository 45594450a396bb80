//===- PlaceData.cpp - Arguments, constants and results -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers keep arrays on the host, kernels read the device. Not for: single
// elements that host code reads (LowerLaunches).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Buffers.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "symshape/Conversion/KernelOps.h"
#include "symshape/IR/Places.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PLACEDATAPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// True for an op that asks for an extent, not for elements.
static bool readsExtents(Operation *op) { return isa<memref::DimOp>(op); }

/// True for an array that is copied in one piece, of elements with a size.
static bool isDense(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getElementType().isIntOrIndexOrFloat() ||
      !memref.isStrided())
    return false;
  if (memref.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides = memref.getStridesAndOffset().first;
  int64_t expected = 1;
  for (int64_t d = memref.getRank(); d-- > 0;) {
    if (strides[d] != expected ||
        (d > 0 && ShapedType::isDynamic(memref.getDimSize(d))))
      return false;
    expected *= memref.getDimSize(d);
  }
  return true;
}

/// The uses of `value`, before others are made.
static SmallVector<OpOperand *> getUses(Value value) {
  return llvm::map_to_vector(value.getUses(),
                             [](OpOperand &use) { return &use; });
}

namespace {
class DataPlacer {
public:
  explicit DataPlacer(ModuleOp module)
      : module(module), builder(module.getContext()) {}
  LogicalResult verify();
  void run();

private:
  void keepOnHost(func::CallOp call);
  void separateCalls(func::FuncOp function);
  void placeConstant(memref::GetGlobalOp op);
  Operation *findFirstUse(func::FuncOp function);
  void sendArguments(func::FuncOp function);
  void fetchResults(func::ReturnOp op);

  ModuleOp module;
  OpBuilder builder;
  SmallVector<Value> sent; ///< buffers of the function at hand
};
} // namespace

/// The arrays of a call of deallocation's helper are read by the host.
void DataPlacer::keepOnHost(func::CallOp call) {
  for (Value operand : call.getOperands()) {
    auto alloc = getRoot(operand).getDefiningOp<memref::AllocOp>();
    if (!alloc || !alloc.getType().hasStaticShape())
      continue;
    auto function = call->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.getBody().front());
    Value onStack =
        memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType());
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    alloc.replaceAllUsesWith(onStack);
    alloc.erase();
  }
}

/// Calls of a public function from within go to a private copy.
void DataPlacer::separateCalls(func::FuncOp function) {
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return;
  SmallVector<CallOpInterface> calls; // attributes name what is called outside
  for (SymbolTable::SymbolUse use : *uses)
    if (auto call = dyn_cast<CallOpInterface>(use.getUser()))
      calls.push_back(call);
  if (calls.empty())
    return;
  SymbolTable symbols(module);
  auto copy = cast<func::FuncOp>(function->clone());
  copy.setPrivate();
  copy->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
  copy.setName((function.getName() + ".inside").str());
  symbols.insert(copy);
  for (CallOpInterface call : calls)
    call.setCalleeFromCallable(SymbolRefAttr::get(copy));
}

void DataPlacer::placeConstant(memref::GetGlobalOp op) {
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  SmallVector<OpOperand *> uses = getUses(op);
  Value program = getProgram(builder, loc, module);
  Value address = makeAddress(builder, loc, op);
  Value bytes = makeByteCount(builder, loc, sizes, type.getElementType());
  Value onDevice = callRuntime(
      builder, loc, module, "symshape_gpu_constant", builder.getI64Type(),
      {program, makePointer(builder, loc, address), bytes});
  Value buffer = makeBuffer(builder, loc, makePointer(builder, loc, onDevice),
                            type, sizes, denseStrides(builder, loc, sizes));
  for (OpOperand *use : uses)
    use->set(buffer);
}

/// True for an op that the device may run, or that holds one.
static bool runsOnDevice(Operation *op) {
  return op
      ->walk([](Operation *inside) {
        return WalkResult(failure(
            isa<linalg::LinalgOp, ContractOp, memref::CopyOp, memref::LoadOp,
                memref::StoreOp, affine::AffineLoadOp, affine::AffineStoreOp>(
                inside)));
      })
      .wasInterrupted();
}

/// The first op of the body that reads an argument which is on the host, or
/// that runs on the device: copies do not come between kernels.
Operation *DataPlacer::findFirstUse(func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *first = body.getTerminator();
  for (BlockArgument argument : function.getArguments()) {
    if (!isa<MemRefType>(argument.getType()) ||
        function.getArgAttr(argument.getArgNumber(), residentAttr))
      continue;
    for (Operation *user : argument.getUsers()) {
      Operation *top = body.findAncestorOpInBlock(*user);
      if (!readsExtents(user) && top && top->isBeforeInBlock(first))
        first = top;
    }
  }
  for (Operation &op : body)
    if (&op == first || runsOnDevice(&op))
      return &op;
  return first;
}

void DataPlacer::sendArguments(func::FuncOp function) {
  sent.clear();
  Block &body = function.getBody().front();
  Operation *first = findFirstUse(function);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || function.getArgAttr(argument.getArgNumber(), residentAttr) ||
        llvm::all_of(argument.getUsers(), readsExtents))
      continue;
    Location loc = argument.getLoc();
    // Where blocks follow, any of them may read.
    if (function.getBody().hasOneBlock())
      builder.setInsertionPoint(first);
    else
      builder.setInsertionPointToStart(&body);
    SmallVector<OpOperand *> uses = getUses(argument);
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(builder, loc, argument);
    Value bytes = makeByteCount(builder, loc, sizes, type.getElementType());
    Value address = makeAddress(builder, loc, argument);
    Value onDevice = callRuntime(builder, loc, module, "symshape_gpu_send",
                                 builder.getI64Type(),
                                 {makePointer(builder, loc, address), bytes});
    Value buffer = makeBuffer(builder, loc, makePointer(builder, loc, onDevice),
                              type, sizes, denseStrides(builder, loc, sizes));
    sent.push_back(buffer);
    for (OpOperand *use : uses)
      if (!readsExtents(use->getOwner()))
        use->set(buffer);
  }
}

void DataPlacer::fetchResults(func::ReturnOp op) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  auto function = op->getParentOfType<func::FuncOp>();
  SmallVector<Value> owned; // addresses
  if (!function->hasAttr(residentAttr))
    for (OpOperand &operand : op->getOpOperands()) {
      Value result = operand.get();
      auto type = dyn_cast<MemRefType>(result.getType());
      if (!type)
        continue;
      SmallVector<OpFoldResult> sizes =
          memref::getMixedSizes(builder, loc, result);
      owned.push_back(makeAddress(builder, loc, result));
      Value data =
          callRuntime(builder, loc, module, "symshape_gpu_fetch",
                      LLVM::LLVMPointerType::get(builder.getContext()),
                      {owned.back(), makeByteCount(builder, loc, sizes,
                                                   type.getElementType())});
      operand.set(makeBuffer(builder, loc, data, type, sizes,
                             denseStrides(builder, loc, sizes)));
    }
  finishCall(builder, loc, module);
  for (Value address : owned)
    callRuntime(builder, loc, module, "symshape_gpu_drop", Type(), address);
  for (Value buffer : sent)
    memref::DeallocOp::create(builder, loc, buffer);
}

/// True for a function of the host alone, such as one that checks extents.
static bool hasNoArrays(func::FuncOp function) {
  return llvm::none_of(function.getArgumentTypes(),
                       llvm::IsaPred<BaseMemRefType>) &&
         llvm::none_of(function.getResultTypes(),
                       llvm::IsaPred<BaseMemRefType>) &&
         !function
              ->walk([](Operation *op) {
                return WalkResult(failure(llvm::any_of(
                    op->getResultTypes(), llvm::IsaPred<BaseMemRefType>)));
              })
              .wasInterrupted();
}

/// Whether callers see the arrays of `function`.
static bool isEntry(func::FuncOp function) {
  return function.isPublic() && !function.isExternal() &&
         !hasNoArrays(function);
}

LogicalResult DataPlacer::verify() {
  auto refuse = [](Operation *op, Type type) {
    return findPlaced(op)->emitError()
           << "expected arguments, results and constants that are dense arrays "
              "of numbers, but got "
           << type;
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (isEntry(function))
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                function.getResultTypes()))
        if (isa<BaseMemRefType>(type) && !isDense(type))
          return refuse(function, type);
  for (auto function : module.getOps<func::FuncOp>()) {
    auto walk = function.walk([&](memref::GetGlobalOp op) {
      return isDense(op.getType()) ? WalkResult::advance()
                                   : WalkResult(refuse(op, op.getType()));
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

void DataPlacer::run() {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (isEntry(function))
      separateCalls(function);
  SmallVector<func::CallOp> calls;
  SmallVector<memref::GetGlobalOp> constants;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op);
          call && call.getCallee().starts_with(hostHelperName))
        calls.push_back(call);
      else if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
        constants.push_back(constant);
    });
  for (func::CallOp call : calls)
    keepOnHost(call);
  for (memref::GetGlobalOp op : constants)
    placeConstant(op);
  for (func::FuncOp function : functions) {
    if (!isEntry(function))
      continue;
    sendArguments(function);
    SmallVector<func::ReturnOp> returns;
    function.walk([&](func::ReturnOp op) { returns.push_back(op); });
    for (func::ReturnOp op : returns)
      fetchResults(op);
  }
}

namespace {
struct PlaceDataPass : symshape::impl::PlaceDataPassBase<PlaceDataPass> {
  void runOnOperation() override {
    DataPlacer placer(getOperation());
    if (failed(placer.verify()))
      return signalPassFailure();
    placer.run();
  }
};
} // namespace
