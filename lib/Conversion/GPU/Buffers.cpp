//===- Buffers.cpp - Buffers from addresses -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer over a pointer is a descriptor of the LLVM dialect, cast to a memref
// of rank 0, and that seen with sizes and strides: the cast disappears once
// memrefs have become descriptors, and extents are plain values until then.
//
//===----------------------------------------------------------------------===//

#include "GPU/Buffers.h"

#include "GPU/Kernels.h"
#include "Structure/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::symshape;

int64_t mlir::symshape::bytesOf(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

SmallVector<OpFoldResult>
mlir::symshape::denseStrides(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  for (size_t d = sizes.size(); d-- > 1;) {
    std::optional<int64_t> size = getConstantIntValue(sizes[d]);
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (size && stride)
      strides[d - 1] = builder.getIndexAttr(*size * *stride);
    else if (stride && *stride == 1)
      strides[d - 1] = sizes[d];
    else
      strides[d - 1] =
          arith::MulIOp::create(builder, loc, makeIndex(builder, loc, sizes[d]),
                                makeIndex(builder, loc, strides[d]))
              .getResult();
  }
  return strides;
}

Value mlir::symshape::makeByteCount(OpBuilder &builder, Location loc,
                                    ArrayRef<OpFoldResult> sizes,
                                    Type element) {
  Value count = makeIndex(builder, loc, bytesOf(element));
  for (OpFoldResult size : sizes)
    count = arith::MulIOp::create(builder, loc, count,
                                  makeIndex(builder, loc, size));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
}

Value mlir::symshape::makeBuffer(OpBuilder &builder, Location loc,
                                 Value pointer, MemRefType type,
                                 ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<OpFoldResult> strides) {
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type();
  auto structType = LLVM::LLVMStructType::getLiteral(
      context, {pointer.getType(), pointer.getType(), i64});
  Value zero = LLVM::ConstantOp::create(builder, loc, i64, 0);
  Value descriptor = LLVM::PoisonOp::create(builder, loc, structType);
  SmallVector<Value> fields{pointer, pointer, zero};
  for (auto [position, field] : llvm::enumerate(fields))
    descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, field,
                                             static_cast<int64_t>(position));
  auto baseType =
      MemRefType::get({}, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Value base =
      UnrealizedConversionCastOp::create(builder, loc, baseType, descriptor)
          .getResult(0);
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  OpFoldResult offset = builder.getIndexAttr(typeOffset);
  if (ShapedType::isDynamic(typeOffset))
    offset = makeIndex(builder, loc, 0);
  // What the type says is static must be said as an attribute, and only that.
  auto agree = [&](ArrayRef<OpFoldResult> values, ArrayRef<int64_t> known) {
    SmallVector<OpFoldResult> result;
    for (auto [value, number] : llvm::zip(values, known))
      result.push_back(ShapedType::isDynamic(number)
                           ? OpFoldResult(makeIndex(builder, loc, value))
                           : builder.getIndexAttr(number));
    return result;
  };
  return memref::ReinterpretCastOp::create(builder, loc, type, base, offset,
                                           agree(sizes, type.getShape()),
                                           agree(strides, typeStrides));
}

Value mlir::symshape::makeAddress(OpBuilder &builder, Location loc,
                                  Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  auto [strides, offset] = type.getStridesAndOffset();
  if (offset != 0) {
    Value places = makeIndex(builder, loc, offset);
    if (ShapedType::isDynamic(offset))
      places = memref::ExtractStridedMetadataOp::create(builder, loc, buffer)
                   .getOffset();
    Value bytes = makeIndex(builder, loc, bytesOf(type.getElementType()));
    bytes = arith::MulIOp::create(builder, loc, places, bytes);
    address = arith::AddIOp::create(builder, loc, address, bytes);
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    address);
}

Value mlir::symshape::makePointer(OpBuilder &builder, Location loc, Value value,
                                  unsigned space) {
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), space),
      value);
}

Value mlir::symshape::getRoot(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      buffer = view.getViewSource();
    else
      break;
  }
  return buffer;
}

Value mlir::symshape::getArray(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || isa<memref::ViewOp>(op) ||
        !isa<MemRefType>(view.getViewSource().getType()))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

Value mlir::symshape::callRuntime(OpBuilder &builder, Location loc,
                                  ModuleOp module, StringRef name, Type result,
                                  ValueRange arguments) {
  MLIRContext *context = builder.getContext();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(context);
    function = LLVM::LLVMFuncOp::create(
        builder, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(returned,
                                    llvm::to_vector(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(builder, loc, function, arguments);
  return result ? call.getResult() : Value();
}

Value mlir::symshape::getProgram(OpBuilder &builder, Location loc,
                                 ModuleOp module) {
  auto program = module.lookupSymbol<LLVM::GlobalOp>(programName);
  if (!program) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    MLIRContext *context = builder.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context);
    Type i64 = builder.getI64Type();
    // symshape_gpu_program
    auto type = LLVM::LLVMStructType::getLiteral(
        context, {pointer, pointer, pointer, pointer, i64, i64});
    program =
        LLVM::GlobalOp::create(builder, module.getLoc(), type,
                               /*isConstant=*/false, LLVM::Linkage::External,
                               programName, Attribute());
  }
  return LLVM::AddressOfOp::create(builder, loc, program);
}

void mlir::symshape::finishCall(OpBuilder &builder, Location loc,
                                ModuleOp module) {
  callRuntime(builder, loc, module, "symshape_gpu_finish", Type(),
              getProgram(builder, loc, module));
}
