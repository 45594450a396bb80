// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(affine-simplify-min-max))' | FileCheck %s

// What our ops say of extents reaches a stock pass: each minimum or maximum is
// one of its operands. For the stock tool, see test/Plugin/value-bounds.test.

// CHECK-LABEL: func.func @same_extents(
// CHECK-NOT:     affine.max
// CHECK:         return
func.func @same_extents(%x: tensor<?x?xf32>, %i: tensor<?x2xi64>, %u: tensor<?xf32>, %p: index)
    -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r0 = symshape.reverse %x axes [1] : tensor<?x?xf32>
  %r1 = symshape.cumsum %x axis 0 : tensor<?x?xf32>
  %r2, %r3 = symshape.sort %x axis 1 : tensor<?x?xf32>, tensor<?x?xi64>
  %r4 = symshape.scatter add drop %u into %x[%i] {update_window_dims = array<i64>,
      inserted_window_dims = array<i64: 0, 1>, scatter_dims_to_operand_dims = array<i64: 0, 1>, index_vector_dim = 1 : i64}
      : tensor<?xf32> into tensor<?x?xf32>[tensor<?x2xi64>]
  %r5 = symshape.dynamic_update_slice %x into %x[%p, %p] : tensor<?x?xf32> into tensor<?x?xf32>
  %d0 = tensor.dim %r0, %c1 : tensor<?x?xf32>
  %d1 = tensor.dim %r1, %c1 : tensor<?x?xf32>
  %d2 = tensor.dim %r2, %c1 : tensor<?x?xf32>
  %d3 = tensor.dim %r3, %c1 : tensor<?x?xi64>
  %d4 = tensor.dim %r4, %c1 : tensor<?x?xf32>
  %d5 = tensor.dim %r5, %c1 : tensor<?x?xf32>
  %m0 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d0, %e)
  %m1 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d1, %e)
  %m2 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d2, %e)
  %m3 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d3, %e)
  %m4 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d4, %e)
  %m5 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d5, %e)
  return %m0, %m1, %m2, %m3, %m4, %m5 : index, index, index, index, index, index
}

// CHECK-LABEL: func.func @given_extents(
// CHECK-NOT:     affine.max
// CHECK:         return
func.func @given_extents(%x: tensor<?x?xf32>, %i: tensor<?xi64>, %n: index, %m: index)
    -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.dim %i, %c0 : tensor<?xi64>
  %r0 = symshape.gather clip %x[%i] slice_sizes [1, %n] {offset_dims = array<i64: 1>,
      collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32>[tensor<?xi64>] to tensor<?x?xf32>
  %r1 = symshape.dynamic_slice %x[%m, %m] sizes [2, %n] : tensor<?x?xf32> to tensor<2x?xf32>
  %r2 = symshape.broadcast %x to [%m, %n, 3] dims [0, 1] expanding [] : tensor<?x?xf32> to tensor<?x?x3xf32>
  %r3 = symshape.reshape %x to [%m, %n] : tensor<?x?xf32> to tensor<?x?xf32>
  %r4, %p4 = symshape.top_k %x, %n axis 1 : tensor<?x?xf32> to tensor<?x?xf32>, tensor<?x?xi64>
  %d0 = tensor.dim %r0, %c1 : tensor<?x?xf32>
  %d1 = tensor.dim %r1, %c1 : tensor<2x?xf32>
  %d2 = tensor.dim %r2, %c1 : tensor<?x?x3xf32>
  %d3 = tensor.dim %r3, %c1 : tensor<?x?xf32>
  %d4 = tensor.dim %r4, %c1 : tensor<?x?xf32>
  %d5 = tensor.dim %r0, %c0 : tensor<?x?xf32>
  %m0 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d0, %n)
  %m1 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d1, %n)
  %m2 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d2, %n)
  %m3 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d3, %n)
  %m4 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d4, %n)
  %m5 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d5, %e)
  return %m0, %m1, %m2, %m3, %m4, %m5 : index, index, index, index, index, index
}

// CHECK-LABEL: func.func @computed_extents(
// CHECK-NOT:     affine.{{min|max}}
// CHECK:         return
func.func @computed_extents(%x: tensor<?xf32>, %s: i64, %n: index, %v: f32)
    -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %e = tensor.dim %x, %c0 : tensor<?xf32>
  %r0 = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf32>, i64 to tensor<?xf32>
  %r1 = symshape.pad_to_match %x, %n axis 0 : tensor<?xf32> to tensor<?xf32>
  %r2 = symshape.pad %x, %v low [%n] high [-1] interior [0] : tensor<?xf32> to tensor<?xf32>
  %r3 = symshape.pad %x, %v low [0] high [0] interior [2] : tensor<?xf32> to tensor<?xf32>
  %r4 = symshape.iota [0, %n, 2] : tensor<?xi64>
  %d0 = tensor.dim %r0, %c0 : tensor<?xf32>
  %d1 = tensor.dim %r1, %c0 : tensor<?xf32>
  %d2 = tensor.dim %r2, %c0 : tensor<?xf32>
  %d3 = tensor.dim %r3, %c0 : tensor<?xf32>
  %d4 = tensor.dim %r4, %c0 : tensor<?xi64>
  %m0 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%d0, %e)
  %m1 = affine.max affine_map<(d0, d1, d2) -> (d0, d1, d2)>(%d1, %e, %n)
  %m2 = affine.max affine_map<(d0, d1, d2) -> (d0, d1 + d2 - 1)>(%d2, %e, %n)
  %m3 = affine.min affine_map<(d0, d1) -> (d0, d1 * 3)>(%d3, %e)
  %m4 = affine.max affine_map<(d0, d1) -> (d0, d1 * 3 - 2)>(%d3, %e)
  %m5 = affine.max affine_map<(d0, d1) -> (d0 * 2, d1)>(%d4, %n)
  return %m0, %m1, %m2, %m3, %m4, %m5 : index, index, index, index, index, index
}

// Must not fire: a truncation may be to 0, and a size may be any.
// CHECK-LABEL: func.func @unknown(
// CHECK:         affine.max
// CHECK:         affine.min
func.func @unknown(%x: tensor<?xf32>, %s: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %e = tensor.dim %x, %c0 : tensor<?xf32>
  %r = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf32> to tensor<?xf32>
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  %m0 = affine.max affine_map<(d0, d1) -> (d0, d1)>(%d, %e)
  %m1 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%d, %s)
  return %m0, %m1 : index, index
}
