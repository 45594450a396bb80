//===- PositionOps.td - Tensors of positions ---------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_POSITIONOPS
#define SYMSHAPE_IR_POSITIONOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_IotaOp : SymShape_Op<"iota", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForShapedValueDim"]>]> {
  let summary = "Integers at equal distances";
  let description = [{
    For `bounds = [start, limit, step]`, the integers `start`, `start + step`, ...
    that are before `limit`; their number is
    `max(0, (limit - start) ceildiv step)`. The step is not 0; a negative one
    counts down.

    - (C1) There are three bounds.
    - (C2) A constant step is not 0.
    - (C3) The result has rank 1; its elements are i32, i64 or index.
    - (C4) Where all bounds are constants, a static extent is what they give.

    ```mlir
    %r = symshape.iota [0, %n, 2] : tensor<?xi64>
    ```
  }];
  let arguments = (ins Variadic<Index>:$bounds, DenseI64ArrayAttr:$static_bounds);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<DynamicIndexList>($bounds, $static_bounds) attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedBounds();
  }];
}

def SymShape_NonzeroOp : SymShape_Op<"nonzero", [
    NoMemoryEffect, SymShape_InferType,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForShapedValueDim"]>]> {
  let summary = "The positions of the elements that are not zero";
  let description = [{
    One row per element that is not zero, in row-major order: its position along
    each axis. How many there are is known at run time only: at least 0, at most
    as many as the source has elements. NaN is not zero.

    - (C1) The elements are floats, integers or indices.
    - (C2) The result is a tensor of index of rank 2, dynamic along its first
      axis; a static extent of its second is the rank of the source.

    ```mlir
    %r = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x2xindex>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

#endif // SYMSHAPE_IR_POSITIONOPS
