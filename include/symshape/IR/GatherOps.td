//===- GatherOps.td - Gather and scatter -------------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_GATHEROPS
#define SYMSHAPE_IR_GATHEROPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "symshape/IR/SymShapeBase.td"
include "symshape/IR/SymShapeEnums.td"

def SymShape_GatherOp : SymShape_TensorOp<"gather", [SymShape_InferType]> {
  let summary = "Windows of a tensor at places that a tensor of indices says";
  let description = [{
    For each vector of `indices` along `index_vector_dim`, reads the window of
    `source` of extents `slice_sizes` that begins where the vector says:
    component `c` is the start along axis `start_index_map[c]`. Without that
    dimension each index is a vector of one component. Axes of the source that
    are neither collapsed nor batching are window axes; in order, they become the
    axes `offset_dims` of the result. Its other axes are those of `indices`, in
    order, without `index_vector_dim`. Along `operand_batching_dims` a window
    begins at the position along `start_indices_batching_dims` of the indices.

    A component is in range if the window fits. Where one is not, `clip` moves
    it to the nearest place that is in range; `fill` makes all of the window the
    `fill_value`; `promise_in_bounds` states that it does not happen, which is
    checked. Negative indices are out of range.

    A slice size may be a value. It is at least 0 and at most the extent, also
    when there are no indices; on batching axes it is 1, whatever the extent.

    - (C7) There is one slice size per axis of the source.
    - (C8) `collapsed_slice_dims` are axes of the source, in increasing order.
    - (C9) So are `operand_batching_dims`; none of them is collapsed.
    - (C10) `start_indices_batching_dims` are as many distinct axes of the
      indices, without `index_vector_dim`.
    - (C11) `index_vector_dim` is at least 0 and at most the rank of the indices.
    - (C12) `start_index_map` has one axis of the source per component, each
      once, none a batching one.
    - (C13) `offset_dims` are as many axes of the result as there are window
      axes, in increasing order.
    - (C14) The result has these and the batch axes of the indices.
    - (C15) The slice size of a collapsed or batching axis is 1.
    - (C16) A constant slice size is at least 0 and at most a static extent.
    - (C17) Batching axes of source and indices have equal extents.
    - (C18) The result has the element type of the source, the extents of the
      batch axes of the indices and the slice sizes of window axes.
    - (C19) Indices are i32, i64 or index.
    - (C20) With `fill` alone there is a fill value, of the element type.
    - (C28) The mode is `clip`, `fill` or `promise_in_bounds`, by ODS.

    ```mlir
    %r = symshape.gather clip %table[%ids] slice_sizes [1, %w]
        {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
         start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
        : tensor<?x?xf32>[tensor<?xi64>] to tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices,
                       Variadic<Index>:$slice_sizes,
                       DenseI64ArrayAttr:$static_slice_sizes,
                       SymShape_GatherMode:$mode,
                       OptionalAttr<TypedAttrInterface>:$fill_value,
                       DenseI64ArrayAttr:$offset_dims,
                       DenseI64ArrayAttr:$collapsed_slice_dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$operand_batching_dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$start_indices_batching_dims,
                       DenseI64ArrayAttr:$start_index_map,
                       I64Attr:$index_vector_dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $mode $source `[` $indices `]` `slice_sizes`
    custom<DynamicIndexList>($slice_sizes, $static_slice_sizes) attr-dict `:`
    type($source) `[` type($indices) `]` `to` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSliceSizes();
    /// Axes of the source that are neither collapsed nor batching.
    ::llvm::SmallVector<int64_t> getWindowAxes();
    /// Axes of the result that are those of the indices, in order.
    ::llvm::SmallVector<int64_t> getBatchAxes();
    /// Axes of the indices without `index_vector_dim`.
    ::llvm::SmallVector<int64_t> getIndexBatchAxes();
  }];
}

def SymShape_ScatterOp : SymShape_SameShapeOp<"scatter"> {
  let summary = "Combines windows of updates into a tensor";
  let description = [{
    The mirror image of `symshape.gather`: each window of `updates` is combined
    with the window of `source` that begins where the indices say, one update
    after the other in row-major order of `updates`, by the combiner, whose left
    operand is the element of the source. The result is the source with these
    changes. The extent of a window along axis `d` is 1 for inserted and
    batching axes, else that of the updates along the matching axis of
    `update_window_dims`.

    Where a component is out of range, `clip` moves it to the nearest place where
    the window fits, `drop` leaves out the whole window, and `promise_in_bounds`
    states that it does not happen. `unique_indices` states that no element is
    written twice. What is stated is checked.

    - (C9) `operand_batching_dims` are axes of the source, in increasing order;
      none is an inserted one.
    - (C10) `scatter_indices_batching_dims` are as many distinct axes of the
      indices, without `index_vector_dim`.
    - (C11) `index_vector_dim` is at least 0 and at most the rank of the indices.
    - (C12) `scatter_dims_to_operand_dims` has one axis of the source per
      component, each once, none a batching one.
    - (C17) Batching axes of source and indices have equal extents.
    - (C19) Indices are i32, i64 or index.
    - (C21) Window, inserted and batching axes are all axes of the source.
    - (C22) `update_window_dims` are axes of the updates, in increasing order.
    - (C23) `inserted_window_dims` are axes of the source, in increasing order.
    - (C24) The updates have these and the batch axes of the indices.
    - (C25) Batch extents of the updates are those of the indices, in order.
    - (C26) The extent of a window is at most that of the source.
    - (C27) Source, updates and result have one element type: floats or
      integers, which the combiner supports.
    - (C28) The mode is `clip`, `drop` or `promise_in_bounds`, by ODS.

    ```mlir
    %r = symshape.scatter add drop %updates into %x[%ids]
        {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
         scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
        : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xi64>]
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices,
                       AnyRankedTensor:$updates, SymShape_Combiner:$combiner,
                       SymShape_ScatterMode:$mode, UnitAttr:$unique_indices,
                       DenseI64ArrayAttr:$update_window_dims,
                       DenseI64ArrayAttr:$inserted_window_dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$operand_batching_dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$scatter_indices_batching_dims,
                       DenseI64ArrayAttr:$scatter_dims_to_operand_dims,
                       I64Attr:$index_vector_dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $combiner $mode $updates `into` $source `[` $indices `]` attr-dict `:`
    type($updates) `into` type($source) `[` type($indices) `]`
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Axes of the source that are neither inserted nor batching.
    ::llvm::SmallVector<int64_t> getWindowAxes();
    /// Axes of the updates that are those of the indices, in order.
    ::llvm::SmallVector<int64_t> getBatchAxes();
    /// Axes of the indices without `index_vector_dim`.
    ::llvm::SmallVector<int64_t> getIndexBatchAxes();
  }];
}

#endif // SYMSHAPE_IR_GATHEROPS
