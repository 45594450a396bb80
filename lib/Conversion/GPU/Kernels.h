//===- Kernels.h - Kernels while they are formed ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes for GPUs agree on. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_KERNELS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_KERNELS_H

#include "symshape/Conversion/GPUPasses.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "symshape/Conversion/KernelOps.h"

namespace mlir::symshape {

/// Threads of a block of a kernel with a thread for each point.
constexpr int64_t pointThreads = 256;

/// Threads of a warp.
constexpr int64_t warpThreads = 32;

/// Where an array of more than `mostStaticSharedBytes` begins.
constexpr int64_t dynamicAlignment = 1024;

/// The memory space of buffers in kernels.
constexpr int64_t globalSpace = 1;

/// Values of a failed check that the runtime has words for
/// (SYMSHAPE_GPU_STATUS_VALUES of symshape-c/RuntimeGPU.h).
constexpr size_t statusValues = 15;

/// The attribute of a `gpu.launch` that holds the name of its kernel.
constexpr llvm::StringLiteral kernelNameAttr = "kernel_name";
/// The attribute of an argument that is on the device before the call, and of a
/// function whose results stay there.
constexpr llvm::StringLiteral residentAttr = "gpu.resident";
/// The name of the `gpu.module`.
constexpr llvm::StringLiteral kernelsName = "kernels";
/// The attribute of the `gpu.module` that holds the messages of checks, and of
/// `symshape.fail` that holds the number of its message.
constexpr llvm::StringLiteral messagesAttr = "messages";
constexpr llvm::StringLiteral checkAttr = "check";
/// The attribute of the `gpu.module` that holds its code for the driver.
constexpr llvm::StringLiteral codeAttr = "code";
/// The name of the program's table for the runtime.
constexpr llvm::StringLiteral programName = "symshape_gpu.program";

/// The attribute of a structured op that holds, per loop, what is known to
/// divide its extent.
constexpr llvm::StringLiteral divisorsAttr = "gpu.divisors";

/// How the name of the function begins that upstream's lowering of
/// deallocations adds; it works on arrays of the host.
constexpr llvm::StringLiteral hostHelperName = "dealloc_helper";

/// Begins a kernel on `blocks` x `threads` threads in one dimension, with the
/// builder at the start of its body.
gpu::LaunchOp beginKernel(OpBuilder &builder, Location loc, StringRef name,
                          Value blocks, int64_t threads);

/// Where a thread of a kernel of points is.
struct PointThread {
  SmallVector<Value> position; ///< of its point, one index per extent
  Value lane;                  ///< its number among the threads of the point
};

/// Begins a kernel with `perPoint` threads for each point of `extents`, with
/// the builder where a thread works on its point.
PointThread beginPoints(OpBuilder &builder, Location loc, StringRef name,
                        ArrayRef<OpFoldResult> extents, int64_t perPoint,
                        int64_t threads = pointThreads);

/// An array in the shared memory of the kernel's blocks.
Value makeShared(gpu::LaunchOp launch, ArrayRef<int64_t> shape, Type type);

/// True for a copy that can be made a structured op.
bool isCopy(Operation *op);

/// `op`, or the structured op that a copy becomes.
Operation *makeStructured(OpBuilder &builder, Operation *op);

/// The most bytes that a thread reads at once; shared memory is aligned to
/// them.
constexpr int64_t chunkBytes = 16;

/// The extent of each loop of `op`, on buffers.
SmallVector<OpFoldResult> getLoopExtents(OpBuilder &builder, ContractOp op);

/// The place at `ivs`, one per loop, of an operand with `map`; loops that it
/// does not mention may be null.
SmallVector<Value> getElementPlace(OpBuilder &builder, Location loc,
                                   AffineMap map, ArrayRef<Value> ivs);

/// Clones the body of `op` at `ivs`, with arguments by `mapping`; returns what
/// it yields.
SmallVector<Value> cloneStructuredBody(OpBuilder &builder, linalg::LinalgOp op,
                                       ArrayRef<Value> ivs, IRMapping &mapping);

/// Loads the element at `ivs` of mapped operand `number` of `op`.
Value loadMapped(OpBuilder &builder, ContractOp op, unsigned number,
                 ArrayRef<Value> ivs);

/// Stores what the region of `op` makes of `sum` as its result at `ivs`.
void storeResult(OpBuilder &builder, ContractOp op, Value sum,
                 ArrayRef<Value> ivs);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_KERNELS_H
