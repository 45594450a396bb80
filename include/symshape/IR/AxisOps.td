//===- AxisOps.td - Order and sums along an axis -----------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_AXISOPS
#define SYMSHAPE_IR_AXISOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_ReverseOp : SymShape_SameShapeOp<"reverse"> {
  let summary = "A tensor read backwards along axes";
  let description = [{
    The element at position `i` of each of `axes` is that of the source at
    `extent - 1 - i`.

    - (C1) `axes` are axes of the source, each once.

    ```mlir
    %r = symshape.reverse %x axes [0] : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `axes` $axes attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SymShape_CumsumOp : SymShape_SameShapeOp<"cumsum"> {
  let summary = "Sums of all elements so far along an axis";
  let description = [{
    Along `axis` the element at `i` is the sum of those at `0` to `i` of the
    source; with `reverse`, of those at `i` to the last. Integers wrap.

    - (C1) The axis is one of the source.
    - (C2) Its elements are floats, integers or indices.

    ```mlir
    %r = symshape.cumsum %x axis 1 : tensor<?x?xf32>
    %q = symshape.cumsum %x axis 1 reverse : tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$source `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

/// An op that is not linear: its tangents are made of other ops.
class SymShape_OrderOp<string mnemonic, list<Trait> traits = []>
    : SymShape_Op<mnemonic, traits # [
        NoMemoryEffect,
        DeclareOpInterfaceMethods<JvpOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                                  ["populateBoundsForShapedValueDim"]>]>;

def SymShape_SortOp : SymShape_OrderOp<"sort", [
    AllTypesMatch<["source", "values"]>]> {
  let summary = "Sorts along an axis, and says from where each element comes";
  let description = [{
    `values` has the elements of the source in ascending order along `axis`; equal
    ones stay in order. `permutation` has their positions along the axis in the
    source. Integers are read as signed; NaN comes last.

    - (C1) The axis is one of the source.
    - (C2) Its elements are floats, indices, or integers of more than one bit.
    - (C3) The permutation has the extents of the source; its elements are i32,
      i64 or index.

    ```mlir
    %v, %p = symshape.sort %x axis 0 : tensor<?x4xf32>, tensor<?x4xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$permutation);
  let assemblyFormat =
      "$source `axis` $axis attr-dict `:` type($source) `,` type($permutation)";
  let hasVerifier = 1;
}

def SymShape_TopKOp : SymShape_OrderOp<"top_k"> {
  let summary = "The largest elements along an axis";
  let description = [{
    The first `size` elements along `axis` of the source in descending order, and
    their positions; equal ones stay in order, and NaN comes first. `size` is at
    least 0 and at most the extent.

    - (C1) The axis is one of the source.
    - (C2) Its elements are floats, indices, or integers of more than one bit.
    - (C3) The positions are i32, i64 or index, and have the extents of the
      values; these have the element type of the source and its static extents
      off the axis.

    ```mlir
    %v, %p = symshape.top_k %x, %k axis 1 : tensor<?x?xf32> to tensor<?x?xf32>, tensor<?x?xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Index:$size, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$positions);
  let assemblyFormat = [{
    $source `,` $size `axis` $axis attr-dict `:` type($source) `to`
    type($values) `,` type($positions)
  }];
  let hasVerifier = 1;
}

#endif // SYMSHAPE_IR_AXISOPS
