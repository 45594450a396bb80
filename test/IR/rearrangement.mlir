// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @slices(
func.func @slices(%x: tensor<?x?xf32>, %u: tensor<1x?xf32>, %i: index, %n: index)
    -> (tensor<2x?xf32>, tensor<?x?xf32>) {
  // CHECK: symshape.dynamic_slice %{{.*}}[%{{.*}}, %{{.*}}] sizes [2, %{{.*}}] : tensor<?x?xf32> to tensor<2x?xf32>
  %0 = symshape.dynamic_slice %x[%i, %i] sizes [2, %n] : tensor<?x?xf32> to tensor<2x?xf32>
  // CHECK: symshape.dynamic_update_slice %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] : tensor<1x?xf32> into tensor<?x?xf32>
  %1 = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<1x?xf32> into tensor<?x?xf32>
  return %0, %1 : tensor<2x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @pads(
// SHAPES-LABEL: func.func @pads(
func.func @pads(%x: tensor<?x3xf32> {symshape.shape = #symshape.shape<[N, 3]>}, %v: f32) -> tensor<?x?xf32> {
  // CHECK: symshape.pad %{{.*}}, %{{.*}} low [1, -1] high [2, 0] interior [0, 2] : tensor<?x3xf32> to tensor<?x?xf32>
  // SHAPES: symshape.pad {{.*}}symshape.extents = [#symshape.shape<[N + 3, 6]>]
  %0 = symshape.pad %x, %v low [1, -1] high [2, 0] interior [0, 2] : tensor<?x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @shapes(
func.func @shapes(%x: tensor<1x?xf32>, %n: index, %m: index) -> (tensor<?x4xf32>, tensor<2x?xf32>) {
  // CHECK: symshape.broadcast %{{.*}} to [%{{.*}}, 4] dims [1, 0] expanding [0] : tensor<1x?xf32> to tensor<?x4xf32>
  %0 = symshape.broadcast %x to [%n, 4] dims [1, 0] expanding [0] : tensor<1x?xf32> to tensor<?x4xf32>
  // CHECK: symshape.reshape %{{.*}} to [2, %{{.*}}] : tensor<1x?xf32> to tensor<2x?xf32>
  %1 = symshape.reshape %x to [2, %m] : tensor<1x?xf32> to tensor<2x?xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<2x?xf32>
}
