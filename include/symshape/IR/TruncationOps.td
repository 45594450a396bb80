//===- TruncationOps.td - Truncation and its transpose -----*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_TRUNCATIONOPS
#define SYMSHAPE_IR_TRUNCATIONOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_TruncateSizeOp : SymShape_Op<"truncate_size", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForIndexValue"]>]> {
  let summary = "The extent to which a size truncates another";
  let description = [{
    Rounds `size` half away from zero, and clamps it to `[0, extent]`. Integers
    never pass through floating point; i32 is read as signed. A size that is not
    finite is an error at run time.

    - (C3) The size is a scalar, or a tensor of rank 0.
    - (C4) Its type is f32, f64, i32, i64 or index.

    ```mlir
    %n = symshape.truncate_size %s, %extent : f64
    ```
  }];
  let arguments = (ins AnyType:$size, Index:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$size `,` $extent attr-dict `:` type($size)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SymShape_DynamicTruncateOp : SymShape_TensorOp<"dynamic_truncate", [SymShape_InferType]> {
  let summary = "The first slices along an axis, as many as a value says";
  let description = [{
    The first `n` slices of `source` along `axis`, where `n` is
    `symshape.truncate_size` of `size` and of the extent of that axis at run
    time. Other axes are unchanged.

    - (C1) The source has rank 1 or more.
    - (C2) The axis is one of the source.
    - (C3) The size is a scalar, or a tensor of rank 0.
    - (C4) Its type is f32, f64, i32, i64 or index.
    - (C5) The result has the element type of the source and its static extents
      off the axis; at the axis it is dynamic, or the value of a constant size.

    ```mlir
    %r = symshape.dynamic_truncate %t, %n axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
    %q = symshape.dynamic_truncate %t, %s axis 0 : tensor<?x4xf32>, f64 to tensor<?x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyType:$size, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $size `axis` $axis attr-dict `:` type($source)
    `` custom<SizeType>(type($size)) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def SymShape_PadToMatchOp : SymShape_TensorOp<"pad_to_match", [SymShape_InferType]> {
  let summary = "Pads an axis with zeros to at least an extent";
  let description = [{
    Adds zeros at the high side of `axis` up to the extent `size`; none if the
    source is already as large. `size` is an index, or a tensor of which only the
    extent at `axis` counts.

    - (C1) The source has rank 1 or more.
    - (C2) The axis is one of the source, and of a tensor that gives the size.
    - (C5) The result has the element type of the source and its static extents
      off the axis.
    - (C6) The element type has a zero.

    ```mlir
    %r = symshape.pad_to_match %t, %n axis 0 : tensor<?xf32> to tensor<?xf32>
    %q = symshape.pad_to_match %t, %ref axis 0 : tensor<?xf32>, tensor<?x4xf32> to tensor<?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       AnyTypeOf<[Index, AnyRankedTensor]>:$size, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $size `axis` $axis attr-dict `:` type($source)
    `` custom<SizeType>(type($size)) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // SYMSHAPE_IR_TRUNCATIONOPS
