//===- RearrangementOps.td - Slices, pads, reshapes --------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_REARRANGEMENTOPS
#define SYMSHAPE_IR_REARRANGEMENTOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_DynamicSliceOp : SymShape_TensorOp<"dynamic_slice", [
    AttrSizedOperandSegments, SymShape_InferType]> {
  let summary = "A slice that is moved inside where it would stick out";
  let description = [{
    The slice of extents `sizes` that begins at `starts`, each of which is
    clamped to `[0, extent - size]`. Sizes are at least 0 and at most the extent.

    - (C29) There are one start and one size per axis; a constant size is at
      least 0 and at most a static extent; the result has the element type of
      the source and these sizes.

    ```mlir
    %r = symshape.dynamic_slice %x[%i, %j] sizes [2, %n] : tensor<?x?xf32> to tensor<2x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$starts,
                       Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $starts `]` `sizes`
    custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:`
    type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

def SymShape_DynamicUpdateSliceOp
    : SymShape_SameShapeOp<"dynamic_update_slice"> {
  let summary = "A tensor with one slice replaced, which is moved inside";
  let description = [{
    `source`, in which `update` replaces the slice of the same extents that
    begins at `starts`. Each start is clamped to `[0, extent - size]`.

    - (C29) There is one start per axis; source, update and result have one
      element type and rank; a static extent of the update is at most a static
      one of the source.

    ```mlir
    %r = symshape.dynamic_update_slice %u into %x[%i] : tensor<?xf32> into tensor<?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$update, AnyRankedTensor:$source,
                       Variadic<Index>:$starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $update `into` $source `[` $starts `]` attr-dict `:` type($update) `into` type($source)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SymShape_PadOp : SymShape_TensorOp<"pad", [
    AttrSizedOperandSegments, SymShape_InferType,
    TypesMatchWith<"the value has the element type of the source", "source", "value",
                   "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "Pads between and around elements, or crops";
  let description = [{
    Puts `interior[d]` copies of `value` between neighbours along axis `d`, then
    `low[d]` before and `high[d]` after; negative ones crop instead. The extent is
    `low + high + base`, where `base` is 0 for an empty axis, else
    `(extent - 1) * (interior + 1) + 1`.

    - (C35) There are one `low`, `high` and `interior` per axis; no interior and
      no extent is negative; the value and the result have the element type of
      the source.

    ```mlir
    %r = symshape.pad %x, %v low [1, -1] high [%h, 0] interior [0, 2]
        : tensor<?x?xf32> to tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyType:$value,
                       Variadic<Index>:$low, Variadic<Index>:$high,
                       DenseI64ArrayAttr:$static_low,
                       DenseI64ArrayAttr:$static_high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $value `low` custom<DynamicIndexList>($low, $static_low)
    `high` custom<DynamicIndexList>($high, $static_high) `interior` $interior
    attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedLow();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedHigh();
  }];
}

def SymShape_BroadcastOp : SymShape_TensorOp<"broadcast", [SymShape_InferType]> {
  let summary = "Repeats a tensor along new and along declared axes";
  let description = [{
    A tensor of extents `sizes` whose axis `dims[i]` is axis `i` of the source;
    elements repeat along other axes, and along those of `expanding`, whose extent
    in the source is the constant 1. An extent that happens to be 1 at run time
    does not expand: it equals its size.

    - (C30) `dims` has one axis of the result per axis of the source, each once.
    - (C31) `expanding` are axes of the source of static extent 1, each once.
    - (C32) Other static extents equal their static size. The result has the
      element type of the source and one axis per size.

    ```mlir
    %r = symshape.broadcast %x to [%n, 3] dims [1] expanding [] : tensor<3xf32> to tensor<?x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$expanding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `to` custom<DynamicIndexList>($sizes, $static_sizes) `dims` $dims
    `expanding` $expanding attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

def SymShape_ReshapeOp : SymShape_TensorOp<"reshape", [SymShape_InferType]> {
  let summary = "The same elements in row-major order with other extents";
  let description = [{
    The elements of the source in row-major order as a tensor of extents `sizes`,
    which have the same product.

    - (C33) Where all extents are constants, both products are equal; no size is
      negative. The result has the element type of the source and these sizes.

    ```mlir
    %r = symshape.reshape %x to [%n, 3] : tensor<?xf32> to tensor<?x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `to` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:`
    type($source) `to` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

#endif // SYMSHAPE_IR_REARRANGEMENTOPS
