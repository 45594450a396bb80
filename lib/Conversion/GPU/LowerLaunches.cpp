//===- LowerLaunches.cpp - Host code calls the runtime --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches become calls of the runtime. Upstream's lowering of them would call
// functions that report no error, use a stream per launch, and load kernels
// before main. Not for: what the runtime
// does with a call (symshape-c/RuntimeGPU.h).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Buffers.h"
#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "symshape/IR/Places.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERLAUNCHESPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Lowers the host code of one function.
class HostLowering {
public:
  HostLowering(func::FuncOp function, const llvm::StringMap<int64_t> &numbers)
      : module(function->getParentOfType<ModuleOp>()), function(function),
        numbers(numbers), builder(function.getContext()) {}
  /// Finds what is to be lowered; fails where it cannot be.
  LogicalResult collect();
  void run();

private:
  LogicalResult verify(Operation *op);
  void makeParameters(size_t count);
  void lowerLaunch(gpu::LaunchFuncOp op);
  void lowerAlloc(memref::AllocOp op);
  void lowerLoad(memref::LoadOp op);
  void lowerStore(memref::StoreOp op);
  Value makeElementAddress(Value buffer, ValueRange indices);
  Value getSlot(int64_t number);
  /// `value` as memory holds it, for parameters and single elements.
  Value encode(Location loc, Value value);

  ModuleOp module;
  func::FuncOp function;
  const llvm::StringMap<int64_t> &numbers; ///< of kernels
  OpBuilder builder;
  SmallVector<Operation *> ops;
  size_t numParameters = 1; ///< of a launch, at most
  Value slots, pointers;    ///< words of parameters, and where each lies
};
} // namespace

/// Words of a parameter: an i128 has two, and lies at a multiple of both.
static constexpr int64_t slotWords = 2;

Value HostLowering::getSlot(int64_t number) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::GEPOp::create(
      builder, function.getLoc(), pointer, builder.getI64Type(), slots,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number * slotWords)});
}

/// Room for the parameters of any launch, once per call.
void HostLowering::makeParameters(size_t count) {
  Location loc = function.getLoc();
  builder.setInsertionPointToStart(&function.getBody().front());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  Value number = LLVM::ConstantOp::create(builder, loc, i64, count);
  Value words = LLVM::ConstantOp::create(builder, loc, i64, count * slotWords);
  slots = LLVM::AllocaOp::create(builder, loc, pointer, i64, words,
                                 /*alignment=*/8 * slotWords);
  pointers = LLVM::AllocaOp::create(builder, loc, pointer, pointer, number);
  for (size_t i = 0; i < count; ++i) {
    Value place =
        LLVM::GEPOp::create(builder, loc, pointer, pointer, pointers,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    LLVM::StoreOp::create(builder, loc, getSlot(i), place);
  }
}

Value HostLowering::encode(Location loc, Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  return value;
}

void HostLowering::lowerLaunch(gpu::LaunchFuncOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  for (auto [number, operand] : llvm::enumerate(op.getKernelOperands()))
    LLVM::StoreOp::create(builder, loc, encode(loc, operand), getSlot(number));
  Type i64 = builder.getI64Type();
  Value kernel = LLVM::ConstantOp::create(builder, loc, i64,
                                          numbers.lookup(op.getKernelName()));
  SmallVector<Value> operands{getProgram(builder, loc, module), kernel,
                              encode(loc, op.getGridSizeX()),
                              encode(loc, op.getBlockSizeX()), pointers};
  StringRef callee = "symshape_gpu_launch";
  if (Value bytes = op.getDynamicSharedMemorySize()) {
    callee = "symshape_gpu_launch_shared";
    operands.insert(operands.end() - 1,
                    arith::ExtUIOp::create(builder, loc, i64, bytes));
  }
  callRuntime(builder, loc, module, callee, Type(), operands);
  op.erase();
}

void HostLowering::lowerAlloc(memref::AllocOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  MemRefType type = op.getType();
  Value bytes = makeByteCount(builder, loc, sizes, type.getElementType());
  Value pointer =
      callRuntime(builder, loc, module, "symshape_gpu_alloc",
                  LLVM::LLVMPointerType::get(builder.getContext()), bytes);
  op.replaceAllUsesWith(makeBuffer(builder, loc, pointer, type, sizes,
                                   denseStrides(builder, loc, sizes)));
  op.erase();
}

Value HostLowering::makeElementAddress(Value buffer, ValueRange indices) {
  Location loc = buffer.getLoc();
  Value address = makeAddress(builder, loc, buffer);
  if (indices.empty())
    return address;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value place = makeIndex(builder, loc, 0);
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    place = arith::AddIOp::create(
        builder, loc, place,
        arith::MulIOp::create(builder, loc, index, stride));
  int64_t bytes = bytesOf(getElementTypeOrSelf(buffer.getType()));
  place = arith::MulIOp::create(builder, loc, place,
                                makeIndex(builder, loc, bytes));
  return arith::AddIOp::create(builder, loc, address, encode(loc, place));
}

void HostLowering::lowerLoad(memref::LoadOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  Value address = makeElementAddress(op.getMemRef(), op.getIndices());
  Value bytes = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         bytesOf(type));
  callRuntime(builder, loc, module, "symshape_gpu_read", Type(),
              {getProgram(builder, loc, module), address, slots, bytes});
  Type inMemory = type.isIndex()      ? Type(builder.getI64Type())
                  : type.isInteger(1) ? Type(builder.getI8Type())
                                      : type;
  Value value = LLVM::LoadOp::create(builder, loc, inMemory, slots);
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  else if (inMemory != type)
    value = arith::TruncIOp::create(builder, loc, type, value);
  op.replaceAllUsesWith(value);
  op.erase();
}

void HostLowering::lowerStore(memref::StoreOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  LLVM::StoreOp::create(builder, loc, encode(loc, op.getValueToStore()), slots);
  Value address = makeElementAddress(op.getMemRef(), op.getIndices());
  Value bytes =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                               bytesOf(op.getValueToStore().getType()));
  callRuntime(builder, loc, module, "symshape_gpu_write", Type(),
              {address, slots, bytes});
  op.erase();
}

/// True for memory of the host, which is all on its stack.
static bool isOnHost(Value buffer) {
  return getRoot(buffer).getDefiningOp<memref::AllocaOp>() != nullptr;
}

/// Fails on an op of a form that earlier passes do not make.
LogicalResult HostLowering::verify(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    bool isOurs = launch.getKernelModuleName() == kernelsName &&
                  numbers.contains(launch.getKernelName());
    if (!isOurs)
      return findPlaced(op)->emitError()
             << "expected a kernel of symshape-outline-kernels, but got "
             << launch.getKernel();
    return success();
  }
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto buffer = dyn_cast<BaseMemRefType>(type);
        buffer && (!buffer.getElementType().isIntOrIndexOrFloat() ||
                   !cast<MemRefType>(buffer).isStrided()))
      return findPlaced(op)->emitError() << "expected buffers of numbers with "
                                            "strides on the device, but got "
                                         << type;
  return success();
}

LogicalResult HostLowering::collect() {
  WalkResult walk = function.walk([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      numParameters =
          std::max<size_t>(numParameters, launch.getNumKernelOperands());
      ops.push_back(op);
    } else if (isa<memref::AllocOp>(op)) {
      ops.push_back(op);
    } else if (isa<memref::LoadOp, memref::StoreOp>(op)) {
      if (!isOnHost(op->getOperand(isa<memref::StoreOp>(op) ? 1 : 0)))
        ops.push_back(op);
    } else if (isa<memref::CopyOp, memref::AtomicRMWOp, memref::ReallocOp,
                   memref::GenericAtomicRMWOp, memref::ReshapeOp>(op)) {
      op->emitOpError("is not supported on a GPU");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return success(
      !walk.wasInterrupted() &&
      llvm::all_of(ops, [&](Operation *op) { return succeeded(verify(op)); }));
}

void HostLowering::run() {
  if (ops.empty())
    return;
  makeParameters(numParameters);
  for (Operation *op : ops) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      lowerLaunch(launch);
    else if (auto alloc = dyn_cast<memref::AllocOp>(op))
      lowerAlloc(alloc);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      lowerLoad(load);
    else
      lowerStore(cast<memref::StoreOp>(op));
  }
}

/// A constant of the module with these bytes.
static LLVM::GlobalOp makeText(OpBuilder &builder, ModuleOp module,
                               StringRef name, StringRef text) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  return LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                /*isConstant=*/true, LLVM::Linkage::Private,
                                name, builder.getStringAttr(text));
}

/// Strings, each followed by a 0; never empty.
static std::string joinTexts(ArrayRef<StringRef> texts) {
  std::string joined;
  for (StringRef text : texts)
    joined += text.str() + '\0';
  return joined.empty() ? std::string(1, '\0') : joined;
}

/// Gives the program's table its contents.
static void defineProgram(ModuleOp module, gpu::GPUModuleOp kernels,
                          ArrayRef<StringRef> names) {
  OpBuilder builder(module.getContext());
  Location loc = module.getLoc();
  builder.setInsertionPointToStart(module.getBody());
  SmallVector<StringRef> messages;
  for (auto text :
       kernels->getAttrOfType<ArrayAttr>(messagesAttr).getAsRange<StringAttr>())
    messages.push_back(text.getValue());
  StringRef code;
  if (auto attribute = kernels->getAttrOfType<StringAttr>(codeAttr))
    code = attribute.getValue();
  SmallVector<LLVM::GlobalOp> texts{
      makeText(builder, module, "symshape_gpu.code", joinTexts(code)),
      makeText(builder, module, "symshape_gpu.kernels", joinTexts(names)),
      makeText(builder, module, "symshape_gpu.messages", joinTexts(messages))};
  builder.setInsertionPointToEnd(module.getBody());
  Operation *address = getProgram(builder, loc, module).getDefiningOp();
  address->erase();
  auto program = module.lookupSymbol<LLVM::GlobalOp>(programName);
  Block *block = builder.createBlock(&program.getInitializerRegion());
  builder.setInsertionPointToStart(block);
  SmallVector<Value> fields{LLVM::ZeroOp::create(
      builder, loc, LLVM::LLVMPointerType::get(module.getContext()))};
  for (LLVM::GlobalOp text : texts)
    fields.push_back(LLVM::AddressOfOp::create(builder, loc, text));
  for (size_t count : {names.size(), messages.size()})
    fields.push_back(
        LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), count));
  Value table = LLVM::PoisonOp::create(builder, loc, program.getType());
  for (auto [position, field] : llvm::enumerate(fields))
    table = LLVM::InsertValueOp::create(builder, loc, table, field,
                                        static_cast<int64_t>(position));
  LLVM::ReturnOp::create(builder, loc, table);
}

namespace {
struct LowerLaunchesPass
    : symshape::impl::LowerLaunchesPassBase<LowerLaunchesPass> {
  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>(kernelsName);
    if (!kernels)
      return;
    if (!kernels->hasAttr(messagesAttr)) {
      findPlaced(kernels)->emitError()
          << "expected kernels of symshape-outline-kernels in '@" << kernelsName
          << "'";
      return signalPassFailure();
    }
    llvm::StringMap<int64_t> numbers;
    SmallVector<StringRef> names;
    for (Operation &op : *kernels.getBody()) {
      if (!op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        continue;
      names.push_back(SymbolTable::getSymbolName(&op).getValue());
      numbers[names.back()] = names.size() - 1;
    }
    std::vector<HostLowering> lowerings;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() ||
          function.getName().starts_with(hostHelperName))
        continue;
      if (failed(lowerings.emplace_back(function, numbers).collect()))
        return signalPassFailure();
    }
    for (HostLowering &lowering : lowerings)
      lowering.run();
    defineProgram(getOperation(), kernels, names);
    kernels.erase();
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
