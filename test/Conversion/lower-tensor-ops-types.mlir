// Sizes that say more than the type of the result: the lowered op is cast.
// RUN: symshape-opt %s --symshape-lower-tensor-ops | FileCheck %s

// CHECK-LABEL: func.func @slice(
// CHECK:         %[[S:.*]] = tensor.extract_slice {{.*}} : tensor<?x8xf32> to tensor<2x4xf32>
// CHECK:         %[[R:.*]] = tensor.cast %[[S]] : tensor<2x4xf32> to tensor<?x?xf32>
// CHECK:         return %[[R]]
func.func @slice(%x: tensor<?x8xf32>, %i: index) -> tensor<?x?xf32> {
  %0 = symshape.dynamic_slice %x[%i, %i] sizes [2, 4] : tensor<?x8xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:         %[[R:.*]] = tensor.cast %{{.*}} : tensor<4x4xf32> to tensor<?x4xf32>
// CHECK:         return %[[R]]
func.func @broadcast(%x: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = symshape.broadcast %x to [4, 4] dims [1] expanding [] : tensor<4xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK:         tensor.extract_slice {{.*}} : tensor<?x8xf32> to tensor<4xf32>
// CHECK:         %[[R:.*]] = tensor.cast %{{.*}} : tensor<?x4xf32> to tensor<?x?xf32>
// CHECK:         return %[[R]]
func.func @gather(%x: tensor<?x8xf32>, %i: tensor<?x1xi64>) -> tensor<?x?xf32> {
  %0 = symshape.gather clip %x[%i] slice_sizes [1, 4]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x8xf32>[tensor<?x1xi64>] to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
