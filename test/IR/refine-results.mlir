// RUN: symshape-opt %s --symshape-canonicalize | FileCheck %s
// RUN: symshape-opt %s --canonicalize | FileCheck %s

// Positive: what constants say.
// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     symshape.iota [1, 8, 3] : tensor<3xi64>
// CHECK-DAG:     symshape.broadcast %{{.*}} to [3, 2] dims [1] expanding [] : tensor<2xf32> to tensor<3x2xf32>
// CHECK-DAG:     symshape.pad %{{.*}} low [3] high [0] interior [1] : tensor<2xf32> to tensor<6xf32>
// CHECK-DAG:     symshape.windows %{{.*}} : tensor<1x7x2xf32> to tensor<1x3x3x2xf32>
// CHECK-DAG:     symshape.top_k %{{.*}} axis 0 : tensor<2xf32> to tensor<1xf32>, tensor<1xi64>
// CHECK-DAG:     symshape.dynamic_truncate %{{.*}} axis 1 : tensor<1x7x2xf32> to tensor<1x3x2xf32>
// CHECK-DAG:     symshape.pad_to_match %{{.*}} axis 0 : tensor<2xf32> to tensor<3xf32>
// CHECK-DAG:     symshape.dynamic_slice %{{.*}} sizes [1, 3, 1] : tensor<1x7x2xf32> to tensor<1x3x1xf32>
// CHECK-DAG:     symshape.reshape %{{.*}} to [2, 7] : tensor<1x7x2xf32> to tensor<2x7xf32>
// CHECK-DAG:     symshape.nonzero %{{.*}} : tensor<1x7x2xf32> to tensor<?x3xindex>
// CHECK:         return %{{.*}} : tensor<?xi64>
func.func @constants(%x: tensor<2xf32>, %image: tensor<1x7x2xf32>, %v: f32, %i: index)
    -> (tensor<?xi64>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?xi64>, tensor<1x?x2xf32>,
        tensor<?xf32>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xindex>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %iota = symshape.iota [%c1, %c8, %c3] : tensor<?xi64>
  %broadcast = symshape.broadcast %x to [%c3, 2] dims [1] expanding [] : tensor<2xf32> to tensor<?x?xf32>
  %pad = symshape.pad %x, %v low [%c3] high [0] interior [1] : tensor<2xf32> to tensor<?xf32>
  %windows = symshape.windows %image, %v kernel [%c3] low [0] high [0] stride [%c2] dilation [1] spread [1] : tensor<1x7x2xf32> to tensor<?x?x?x?xf32>
  %top, %places = symshape.top_k %x, %c1 axis 0 : tensor<2xf32> to tensor<?xf32>, tensor<?xi64>
  %first = symshape.dynamic_truncate %image, %c3 axis 1 : tensor<1x7x2xf32> to tensor<1x?x2xf32>
  %longer = symshape.pad_to_match %x, %c3 axis 0 : tensor<2xf32>, index to tensor<?xf32>
  %slice = symshape.dynamic_slice %image[%i, %i, %i] sizes [%c1, %c3, 1] : tensor<1x7x2xf32> to tensor<?x?x?xf32>
  %reshape = symshape.reshape %image to [%c2, %c7] : tensor<1x7x2xf32> to tensor<?x?xf32>
  %nonzero = symshape.nonzero %image : tensor<1x7x2xf32> to tensor<?x?xindex>
  return %iota, %broadcast, %pad, %windows, %top, %places, %first, %longer, %slice, %reshape, %nonzero
    : tensor<?xi64>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?xi64>, tensor<1x?x2xf32>,
      tensor<?xf32>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xindex>
}

// Positive: casts that forget extents are looked through, of every operand, and
// also where result and source have one type.
// CHECK-LABEL: func.func @casts(
// CHECK-DAG:     symshape.reverse %{{.*}} axes [0] : tensor<4x3xf32>
// CHECK-DAG:     symshape.sort %{{.*}} axis 1 : tensor<4x3xf32>, tensor<4x3xi64>
// CHECK-DAG:     symshape.gather clip %{{.*}} : tensor<4x3xf32>[tensor<5x1xi64>] to tensor<5x3xf32>
// CHECK-DAG:     symshape.scatter add drop %{{.*}} : tensor<5x3xf32> into tensor<4x3xf32>[tensor<5x1xi64>]
// CHECK-DAG:     symshape.bind_shape %{{.*}} [M, 3] : tensor<4x3xf32>
// CHECK-DAG:     symshape.with_extents %{{.*}} : tensor<4x3xf32>
func.func @casts(%x: tensor<4x3xf32>, %i: tensor<5x1xi64>, %u: tensor<5x3xf32>, %n: index)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>) {
  %open = tensor.cast %x : tensor<4x3xf32> to tensor<?x?xf32>
  %half = tensor.cast %x : tensor<4x3xf32> to tensor<?x3xf32>
  %places = tensor.cast %i : tensor<5x1xi64> to tensor<?x1xi64>
  %updates = tensor.cast %u : tensor<5x3xf32> to tensor<?x?xf32>
  %reverse = symshape.reverse %open axes [0] : tensor<?x?xf32>
  %sort, %permutation = symshape.sort %open axis 1 : tensor<?x?xf32>, tensor<?x?xi64>
  %gather = symshape.gather clip %open[%places] slice_sizes [1, 3]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32>[tensor<?x1xi64>] to tensor<?x?xf32>
  %scatter = symshape.scatter add drop %updates into %open[%places]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?x1xi64>]
  %bound = symshape.bind_shape %half [M, 3] : tensor<?x3xf32>
  %stated = symshape.with_extents %open [%n, 3] : tensor<?x?xf32>
  return %reverse, %sort, %permutation, %gather, %scatter, %bound, %stated
    : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @memref_cast(
// CHECK:         symshape.bind_shape %{{.*}} [M] : memref<4xf32>
func.func @memref_cast(%x: memref<4xf32>) -> memref<?xf32> {
  %open = memref.cast %x : memref<4xf32> to memref<?xf32>
  %bound = symshape.bind_shape %open [M] : memref<?xf32>
  return %bound : memref<?xf32>
}

// Must not fire: a bound of the extent is not the extent.
// CHECK-LABEL: func.func @bounds(
// CHECK:         symshape.dynamic_truncate %{{.*}} axis 0 : tensor<?xf32> to tensor<?xf32>
// CHECK:         symshape.dynamic_truncate %{{.*}} axis 0 : tensor<4xf32> to tensor<?xf32>
// CHECK:         symshape.pad_to_match %{{.*}} axis 0 : tensor<?xf32> to tensor<?xf32>
func.func @bounds(%x: tensor<?xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c3 = arith.constant 3 : index
  %first = symshape.dynamic_truncate %x, %c3 axis 0 : tensor<?xf32> to tensor<?xf32>
  %some = symshape.dynamic_truncate %y, %n axis 0 : tensor<4xf32> to tensor<?xf32>
  %longer = symshape.pad_to_match %x, %c3 axis 0 : tensor<?xf32> to tensor<?xf32>
  return %first, %some, %longer : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Must not fire: the check at run time reports what cannot be, so what a type
// would say against it is not said.
// CHECK-LABEL: func.func @never_valid(
// CHECK:         symshape.dynamic_slice %{{.*}} : tensor<?xf32> to tensor<?xf32>
// CHECK:         symshape.iota [0, 4, %{{.*}}] : tensor<?xi64>
func.func @never_valid(%x: tensor<4xf32>, %i: index) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %open = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %slice = symshape.dynamic_slice %open[%i] sizes [5] : tensor<?xf32> to tensor<?xf32>
  %iota = symshape.iota [0, 4, %c0] : tensor<?xi64>
  return %slice, %iota : tensor<?xf32>, tensor<?xi64>
}
