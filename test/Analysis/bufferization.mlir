// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s

// Positive: a buffer has the extents of the tensor it holds, and the other way
// round; a new tensor those it is given, or of what it copies.
// CHECK-LABEL: func.func @both_sides(
// CHECK: bufferization.to_buffer {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: bufferization.clone {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: bufferization.to_tensor {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: bufferization.alloc_tensor({{.*}}) {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: bufferization.alloc_tensor() copy({{.*}}) {symshape.extents = [#symshape.shape<[N, 4]>]}
func.func @both_sides(%t: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %b = bufferization.to_buffer %t read_only : tensor<?x4xf32> to memref<?x4xf32>
  %c = bufferization.clone %b : memref<?x4xf32> to memref<?x4xf32>
  %u = bufferization.to_tensor %c restrict : memref<?x4xf32> to tensor<?x4xf32>
  %n = tensor.dim %u, %c0 : tensor<?x4xf32>
  %v = bufferization.alloc_tensor(%n) : tensor<?x4xf32>
  %w = bufferization.alloc_tensor() copy(%v) : tensor<?x4xf32>
  return %v, %w : tensor<?x4xf32>, tensor<?x4xf32>
}
