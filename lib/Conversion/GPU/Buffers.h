//===- Buffers.h - Buffers from addresses -----------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memrefs from pointers and back, and calls of the runtime's functions, in code
// that is on its way to the LLVM dialect. Private to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_BUFFERS_H
#define SYMSHAPE_LIB_CONVERSION_GPU_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {

/// Bytes of an element in memory; an index has 8, an i1 has 1.
int64_t bytesOf(Type element);

/// The strides of a row-major array of these sizes, in elements.
SmallVector<OpFoldResult> denseStrides(OpBuilder &builder, Location loc,
                                       ArrayRef<OpFoldResult> sizes);

/// The bytes of an array of these sizes, as an i64, which may wrap.
Value makeByteCount(OpBuilder &builder, Location loc,
                    ArrayRef<OpFoldResult> sizes, Type element);

/// A memref of `type` over `pointer`, which lies in its memory space; a dynamic
/// offset is 0.
Value makeBuffer(OpBuilder &builder, Location loc, Value pointer,
                 MemRefType type, ArrayRef<OpFoldResult> sizes,
                 ArrayRef<OpFoldResult> strides);

/// The address of the first element of a memref with strides, as an i64.
Value makeAddress(OpBuilder &builder, Location loc, Value buffer);

/// The i64 `value` as a pointer.
Value makePointer(OpBuilder &builder, Location loc, Value value,
                  unsigned space = 0);

/// The memref that a view is a part of, through views of every kind.
Value getRoot(Value buffer);

/// The array that a reshape or a view with strides is about; parts of an arena,
/// which have places of their own while they are in use, are arrays. Two arrays
/// that one kernel uses do not overlap.
Value getArray(Value buffer);

/// Calls the runtime's function `name`, which it declares first; returns the
/// result, or null for none.
Value callRuntime(OpBuilder &builder, Location loc, ModuleOp module,
                  StringRef name, Type result, ValueRange arguments);

/// The address of the program's table for the runtime.
Value getProgram(OpBuilder &builder, Location loc, ModuleOp module);

/// Waits for the device, and fails if a check has.
void finishCall(OpBuilder &builder, Location loc, ModuleOp module);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_BUFFERS_H
