//===- OutlineKernels.cpp - From gpu.launch to gpu.func -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's outlining passes a memref as a descriptor of 3 + 2 * rank words; a
// kernel needs the pointer, and those extents and strides that are not known.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"

#include "GPU/Buffers.h"
#include "GPU/Kernels.h"
#include "NestedModules.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "symshape/IR/Places.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/FailMessage.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// Outlines the kernels of a module.
class Outliner {
public:
  explicit Outliner(ModuleOp module);
  void outline(gpu::LaunchOp launch);
  void finish();

private:
  gpu::GPUFuncOp share(gpu::GPUFuncOp kernel);
  int64_t numberOf(StringRef message);

  ModuleOp module;
  bool hasChecks; ///< in any kernel
  gpu::GPUModuleOp kernels;
  llvm::StringMap<gpu::GPUFuncOp> byText;
  llvm::MapVector<StringAttr, int64_t> messages;
  unsigned numKernels = 0;
  friend class KernelOutliner;
};

/// Outlines one kernel.
class KernelOutliner {
public:
  KernelOutliner(Outliner &all, gpu::LaunchOp launch)
      : all(all), launch(launch), host(launch), device(launch.getContext()) {}
  void run();

private:
  void pass(Value value);
  void passBuffer(Value value);
  Value passScalar(Value value);
  OpFoldResult passSize(OpFoldResult size);
  /// Makes the type of the kernel that of its arguments; returns what the host
  /// passes for them.
  SmallVector<Value> setType();
  void findWritten();
  void markReadOnly();
  void mapIds();
  void cloneBody();
  void lowerChecks();

  Outliner &all;
  gpu::LaunchOp launch;
  OpBuilder host, device;
  gpu::GPUFuncOp kernel;
  IRMapping mapping;
  llvm::MapVector<Value, BlockArgument> arguments; ///< by the host's value
  llvm::DenseSet<Value> written;                   ///< arrays
  /// Of a pointer that is passed, whether it is of what is read alone.
  llvm::DenseMap<Value, bool> isReadOnly;
};
} // namespace

/// True if a kernel of `module` checks anything.
static bool hasKernelWithChecks(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    bool isCheck =
        isa<FailOp, cf::AssertOp>(op) && op->getParentOfType<gpu::LaunchOp>();
    return isCheck ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

Outliner::Outliner(ModuleOp module)
    : module(module), hasChecks(hasKernelWithChecks(module)) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), kernelsName);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
}

int64_t Outliner::numberOf(StringRef message) {
  auto text = StringAttr::get(module.getContext(), message);
  return messages.insert({text, static_cast<int64_t>(messages.size())})
      .first->second;
}

/// The kernel with the same code as `kernel`, which is erased if it is another
/// one.
gpu::GPUFuncOp Outliner::share(gpu::GPUFuncOp kernel) {
  std::string name = kernel.getName().str();
  kernel.setName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  kernel.setName(name);
  auto [entry, isNew] = byText.try_emplace(text, kernel);
  if (!isNew)
    kernel.erase();
  return entry->second;
}

void Outliner::finish() {
  SmallVector<Attribute> texts;
  for (auto [text, number] : messages)
    texts.push_back(text);
  kernels->setAttr(messagesAttr, ArrayAttr::get(module.getContext(), texts));
}

Value KernelOutliner::passScalar(Value value) {
  unsigned number = arguments.size();
  auto [entry, isNew] = arguments.insert({value, BlockArgument()});
  if (isNew) // before shared memory, which are arguments of the block, too
    entry->second = kernel.getBody().front().insertArgument(
        number, value.getType(), value.getLoc());
  return entry->second;
}

OpFoldResult KernelOutliner::passSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return device.getIndexAttr(*constant);
  return passScalar(cast<Value>(size));
}

/// True if the kernel reads and writes elements of `buffer`, and no more.
static bool isOnlyAccessed(gpu::LaunchOp launch, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    return !launch->isProperAncestor(user) ||
           isa<memref::LoadOp, memref::StoreOp, nvgpu::DeviceAsyncCopyOp>(user);
  });
}

void KernelOutliner::passBuffer(Value value) {
  Location loc = launch.getLoc();
  auto type = cast<MemRefType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    OpFoldResult size = memref::getMixedSize(host, loc, value, d);
    // The outermost size of a dense buffer does not tell where elements are.
    if (d == 0 && isOnlyAccessed(launch, value) && type.isDynamicDim(0))
      size = host.getIndexAttr(0);
    sizes.push_back(passSize(size));
  }
  SmallVector<OpFoldResult> strides;
  auto [typeStrides, offset] = type.getStridesAndOffset();
  if (type.getLayout().isIdentity()) {
    strides = denseStrides(device, loc, sizes);
  } else {
    memref::ExtractStridedMetadataOp metadata;
    for (auto [d, stride] : llvm::enumerate(typeStrides)) {
      if (!ShapedType::isDynamic(stride)) {
        strides.push_back(device.getIndexAttr(stride));
        continue;
      }
      if (!metadata)
        metadata = memref::ExtractStridedMetadataOp::create(host, loc, value);
      strides.push_back(passScalar(metadata.getStrides()[d]));
    }
  }
  Value address = makeAddress(host, loc, value);
  if (offset != 0 && !ShapedType::isDynamic(offset)) // it is in the type
    address = arith::SubIOp::create(
        host, loc, address,
        arith::ConstantIntOp::create(
            host, loc, offset * bytesOf(type.getElementType()), 64));
  Value hostPointer = makePointer(host, loc, address, globalSpace);
  bool &isRead = isReadOnly.try_emplace(hostPointer, true).first->second;
  isRead &= !written.contains(getArray(value));
  Value pointer = passScalar(hostPointer);
  auto deviceType =
      MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(),
                      device.getI64IntegerAttr(globalSpace));
  mapping.map(value,
              makeBuffer(device, loc, pointer, deviceType, sizes, strides));
}

/// Finds the arrays that the kernel may write to.
void KernelOutliner::findWritten() {
  launch.getBody().walk([&](Operation *op) {
    if (isa<memref::LoadOp, vector::LoadOp, memref::DimOp, ViewLikeOpInterface,
            memref::ExtractStridedMetadataOp>(op))
      return;
    auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op);
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          !(copy && operand == copy.getSrc()))
        written.insert(getArray(operand));
  });
}

/// Says of pointers to what is only read that nothing else leads there: what is
/// read before a store need not be read again after it.
void KernelOutliner::markReadOnly() {
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    if (!isReadOnly.lookup(argument.first))
      continue;
    for (StringRef name : {LLVM::LLVMDialect::getNoAliasAttrName(),
                           LLVM::LLVMDialect::getReadonlyAttrName()})
      kernel.setArgAttr(number, name, device.getUnitAttr());
  }
}

void KernelOutliner::pass(Value value) {
  if (isa<BaseMemRefType>(value.getType()))
    return passBuffer(value);
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<OpTrait::ConstantLike>())
    mapping.map(value, device.clone(*op)->getResult(0));
  else
    mapping.map(value, passScalar(value));
}

void KernelOutliner::mapIds() {
  Location loc = launch.getLoc();
  auto map = [&](Value x, auto make) {
    if (!x.use_empty())
      mapping.map(x, make());
  };
  map(launch.getBlockIds().x, [&] {
    return gpu::BlockIdOp::create(device, loc, gpu::Dimension::x).getResult();
  });
  map(launch.getThreadIds().x, [&] {
    return gpu::ThreadIdOp::create(device, loc, gpu::Dimension::x).getResult();
  });
}

/// Buffers that the kernel makes of its own lie where those do.
static void setSpace(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.getMemorySpace() || value.getDefiningOp<memref::AllocaOp>())
    return;
  auto space =
      IntegerAttr::get(IntegerType::get(value.getContext(), 64), globalSpace);
  value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                type.getLayout(), space));
}

void KernelOutliner::cloneBody() {
  for (Operation &op : launch.getBody().front().without_terminator())
    device.clone(op, mapping)->walk([](Operation *inside) {
      for (Value result : inside->getResults())
        setSpace(result);
      for (Region &region : inside->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            setSpace(argument);
    });
  gpu::ReturnOp::create(device, launch.getLoc());
}

void KernelOutliner::lowerChecks() {
  SmallVector<cf::AssertOp> asserts;
  kernel.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts) {
    OpBuilder builder(op);
    OpBuilder failed = branchUnless(builder, op.getLoc(), op.getArg());
    (FailMessage() << op.getMsg()).emit(failed, op.getLoc());
    op.erase();
  }
  kernel.walk([&](FailOp op) {
    op->setAttr(checkAttr,
                host.getI64IntegerAttr(all.numberOf(op.getMessage())));
  });
  if (!all.hasChecks)
    return;
  // A kernel may rely on what one before it has checked.
  Location loc = launch.getLoc();
  Value status = callRuntime(host, loc, all.module, "symshape_gpu_status",
                             host.getI64Type(), {});
  (void)passScalar(makePointer(host, loc, status, globalSpace));
}

SmallVector<Value> KernelOutliner::setType() {
  SmallVector<Value> operands = llvm::map_to_vector(
      arguments, [](auto &entry) -> Value { return entry.first; });
  kernel.setFunctionType(
      device.getFunctionType(ValueRange(operands).getTypes(), {}));
  return operands;
}

/// Bytes of a shared array.
static int64_t countBytes(Value shared) {
  auto type = cast<MemRefType>(shared.getType());
  return type.getNumElements() * bytesOf(type.getElementType());
}

void KernelOutliner::run() {
  Location loc = launch.getLoc();
  device.setInsertionPointToEnd(all.kernels.getBody());
  auto given = launch->getAttrOfType<StringAttr>(kernelNameAttr);
  StringRef name = given ? given.getValue() : "kernel";
  kernel = gpu::GPUFuncOp::create(device, UnknownLoc::get(launch.getContext()),
                                  (name + "_" + Twine(all.numKernels)).str(),
                                  device.getFunctionType({}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  device.getUnitAttr());
  IntegerAttr threads;
  if (matchPattern(launch.getBlockSizeX(), m_Constant(&threads)))
    kernel.setKnownBlockSizeAttr(device.getDenseI32ArrayAttr(
        {static_cast<int32_t>(threads.getInt()), 1, 1}));
  StringRef blocks = NVVM::NVVMDialect::getMinctasmAttrName();
  if (Attribute count = launch->getAttr(blocks))
    kernel->setAttr(blocks, count);
  device.setInsertionPointToStart(&kernel.getBody().front());
  findWritten();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  for (Value value : captured)
    pass(value);
  setType();
  int64_t dynamicBytes = 0;
  for (BlockArgument shared : launch.getWorkgroupAttributions()) {
    int64_t bytes = countBytes(shared);
    bool isDynamic = bytes > mostStaticSharedBytes;
    dynamicBytes += isDynamic ? bytes : 0;
    mapping.map(shared, kernel.addWorkgroupAttribution(shared.getType(),
                                                       shared.getLoc()));
    kernel.setWorkgroupAttributionAttr(
        kernel.getNumWorkgroupAttributions() - 1,
        LLVM::LLVMDialect::getAlignAttrName(),
        device.getI64IntegerAttr(isDynamic ? dynamicAlignment : chunkBytes));
  }
  mapIds();
  cloneBody();
  lowerChecks();
  SmallVector<Value> operands = setType();
  markReadOnly();
  gpu::GPUFuncOp shared = all.share(kernel);
  if (shared == kernel)
    ++all.numKernels;
  Value one = makeIndex(host, loc, 1), dynamic;
  if (dynamicBytes)
    dynamic = arith::ConstantOp::create(
        host, loc, host.getI32IntegerAttr(int32_t(dynamicBytes)));
  gpu::LaunchFuncOp::create(
      host, loc, shared, gpu::KernelDim3{launch.getGridSizeX(), one, one},
      gpu::KernelDim3{launch.getBlockSizeX(), one, one}, dynamic, operands);
  launch.erase();
}

void Outliner::outline(gpu::LaunchOp launch) {
  KernelOutliner(*this, launch).run();
}

/// Fails where a kernel reads a buffer that cannot be passed to it.
static LogicalResult verifyBuffer(gpu::LaunchOp launch, Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !type.isStrided())
    return findPlaced(launch)->emitError()
           << "expected buffers with strides in a kernel, but got "
           << value.getType();
  if (!type.getElementType().isIntOrIndexOrFloat())
    return findPlaced(launch)->emitError()
           << "expected buffers of numbers in a kernel, but got " << type;
  if (getRoot(value).getDefiningOp<memref::AllocaOp>())
    return findPlaced(launch)->emitError()
           << "expected buffers on the device in a kernel, but got one on the "
              "host's stack";
  return success();
}

/// Fails at a launch of another form than `symshape-form-kernels` makes.
static LogicalResult verifyLaunch(gpu::LaunchOp launch) {
  Value x[] = {launch.getBlockIds().x, launch.getThreadIds().x};
  ArrayRef<BlockArgument> shared = launch.getWorkgroupAttributions();
  bool isAlongX =
      launch.getBody().hasOneBlock() &&
      launch.getPrivateAttributions().empty() &&
      !launch.getDynamicSharedMemorySize() && !launch.hasClusterSize() &&
      launch.getAsyncDependencies().empty() && !launch.getAsyncToken() &&
      llvm::all_of(
          ArrayRef<Value>{launch.getGridSizeY(), launch.getGridSizeZ(),
                          launch.getBlockSizeY(), launch.getBlockSizeZ()},
          [](Value size) { return isOneInteger(getAsOpFoldResult(size)); }) &&
      llvm::all_of(launch.getBody().getArguments(), [&](BlockArgument id) {
        return id.use_empty() || llvm::is_contained(x, id) ||
               llvm::is_contained(shared, id);
      });
  if (!isAlongX)
    return findPlaced(launch)->emitError()
           << "expected a launch along x alone, as symshape-form-kernels makes";
  for (BlockArgument array : shared) {
    auto type = dyn_cast<MemRefType>(array.getType());
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrIndexOrFloat())
      return findPlaced(launch)->emitError()
             << "expected shared arrays of numbers, of static sizes, but got "
             << array.getType();
  }
  auto used = SymbolTable::getSymbolUses(&launch.getBody());
  if (!used || !used->empty())
    return findPlaced(launch)->emitError()
           << "expected kernels to use nothing outside by its name";
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  for (Value value : captured)
    if (isa<BaseMemRefType>(value.getType()) &&
        failed(verifyBuffer(launch, value)))
      return failure();
  return success();
}

namespace {
struct OutlineKernelsPass
    : symshape::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  /// Those of a module that are in no module inside of it.
  LogicalResult outlineKernels(ModuleOp module) {
    SmallVector<gpu::LaunchOp> launches = findOwn<gpu::LaunchOp>(module);
    if (launches.empty() && module != getOperation())
      return success();
    if (!llvm::all_of(launches, [](gpu::LaunchOp launch) {
          return succeeded(verifyLaunch(launch));
        }))
      return failure();
    if (Operation *other = module.lookupSymbol(kernelsName)) {
      if (launches.empty())
        return success();
      return findPlaced(other)->emitError()
             << "expected '@" << kernelsName << "' to be free for kernels";
    }
    Outliner outliner(module);
    for (gpu::LaunchOp launch : launches)
      outliner.outline(launch);
    outliner.finish();
    return success();
  }

  void runOnOperation() override {
    for (ModuleOp module : withNestedModules(getOperation()))
      if (failed(outlineKernels(module)))
        return signalPassFailure();
  }
};
} // namespace
