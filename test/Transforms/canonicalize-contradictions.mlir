// RUN: symshape-opt %s --symshape-canonicalize --split-input-file | FileCheck %s

// Types of ops that are not reached may contradict each other, behind a check
// that always fails. What an op reads through a cast is not joined then.

// Positive: types that agree.
// CHECK-LABEL: func.func @agree(
// CHECK-SAME:      %[[X:.*]]: tensor<2xf32>, %[[B:.*]]: memref<2xf32>, %[[O:.*]]: memref<?xf32>)
// CHECK:         linalg.exp ins(%[[X]] : tensor<2xf32>)
// CHECK:         linalg.exp ins(%[[B]] : memref<2xf32>) outs(%[[O]] : memref<?xf32>)
func.func @agree(%x: tensor<2xf32>, %b: memref<2xf32>, %o: memref<?xf32>) -> tensor<2xf32> {
  %cast = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.exp ins(%cast : tensor<?xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %open = memref.cast %b : memref<2xf32> to memref<?xf32>
  linalg.exp ins(%open : memref<?xf32>) outs(%o : memref<?xf32>)
  return %r : tensor<2xf32>
}

// -----

// Positive: a transposition, whose verifier wants all extents at once.
// CHECK-LABEL: func.func @inferred(
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<3x2xf32>) outs(%{{.*}} : tensor<2x3xf32>)
func.func @inferred(%x: tensor<?x?xf32>, %o: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %cast = tensor.cast %o : tensor<2x3xf32> to tensor<?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%cast : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}

// -----

// Must not fire: operands of a structured op.
// CHECK-LABEL: func.func @operands(
// CHECK:         linalg.add ins(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf32>)
// CHECK:         linalg.softmax {{.*}} outs(%{{.*}} : tensor<4x3xf32>)
// CHECK:         linalg.matmul {{.*}} outs(%{{.*}} : memref<4x5xf32>)
func.func @operands(%x: tensor<1xf32>, %y: tensor<2xf32>, %z: tensor<2x3xf32>, %a: memref<4x3xf32>,
                    %b: memref<2x5xf32>, %c: memref<4x5xf32>) -> (tensor<1xf32>, tensor<4x3xf32>) {
  %ycast = tensor.cast %y : tensor<2xf32> to tensor<?xf32>
  %s = linalg.add ins(%x, %ycast : tensor<1xf32>, tensor<?xf32>) outs(%x : tensor<1xf32>) -> tensor<1xf32>
  %zcast = tensor.cast %z : tensor<2x3xf32> to tensor<?x3xf32>
  %o = tensor.empty() : tensor<4x3xf32>
  %m = linalg.softmax dimension(1) ins(%zcast : tensor<?x3xf32>) outs(%o : tensor<4x3xf32>) -> tensor<4x3xf32>
  %bcast = memref.cast %b : memref<2x5xf32> to memref<?x5xf32>
  linalg.matmul ins(%a, %bcast : memref<4x3xf32>, memref<?x5xf32>) outs(%c : memref<4x5xf32>)
  return %s, %m : tensor<1xf32>, tensor<4x3xf32>
}

// -----

// Must not fire: a cast of the result.
// CHECK-LABEL: func.func @result(
// CHECK:         linalg.exp ins(%{{.*}} : tensor<2xf32>)
// CHECK:         tensor.cast %{{.*}} to tensor<4xf32>
func.func @result(%x: tensor<2xf32>, %o: tensor<?xf32>) -> tensor<4xf32> {
  %r = linalg.exp ins(%x : tensor<2xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %c = tensor.cast %r : tensor<?xf32> to tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Must not fire: casts of buffers, and copies of them.
// CHECK-LABEL: func.func @buffers(
// CHECK:         %[[A:.*]] = memref.cast %{{.*}} : memref<2xf32> to memref<?xf32>
// CHECK:         memref.cast %[[A]] : memref<?xf32> to memref<1xf32>
// CHECK:         memref.copy %{{.*}}, %{{.*}} : memref<?xf32> to memref<3xf32>
// CHECK:         memref.expand_shape {{.*}} : memref<?xf32> into memref<2x?xf32>
func.func @buffers(%x: memref<2xf32>, %y: memref<3xf32>, %z: memref<3xf32>) -> (memref<1xf32>, memref<2x?xf32>) {
  %c1 = arith.constant 1 : index
  %a = memref.cast %x : memref<2xf32> to memref<?xf32>
  %b = memref.cast %a : memref<?xf32> to memref<1xf32>
  memref.copy %a, %y : memref<?xf32> to memref<3xf32>
  %c = memref.cast %z : memref<3xf32> to memref<?xf32>
  %d = memref.expand_shape %c [[0, 1]] output_shape [2, %c1] : memref<?xf32> into memref<2x?xf32>
  return %b, %d : memref<1xf32>, memref<2x?xf32>
}

// -----

// Must not fire: a padding whose result says more than its source.
// CHECK-LABEL: func.func @padding(
// CHECK:         tensor.pad
// CHECK:         } : tensor<?xf32> to tensor<5xf32>
func.func @padding(%x: tensor<2xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<5xf32>
  return %p : tensor<5xf32>
}
