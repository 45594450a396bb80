// RUN: symshape-opt %s --symshape-prepare-bufferization | FileCheck %s

// CHECK-LABEL: func.func @carried(
func.func @carried(%n: index, %v: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = tensor.empty
  // CHECK-NEXT: %[[B:.*]] = tensor.empty
  %e = tensor.empty(%n) : tensor<?xf32>
  // CHECK: iter_args(%{{.*}} = %[[B]], %{{.*}} = %[[A]])
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e, %y = %e) -> (tensor<?xf32>, tensor<?xf32>) {
    %p = tensor.insert %v into %x[%i] : tensor<?xf32>
    %q = tensor.insert %v into %y[%i] : tensor<?xf32>
    scf.yield %p, %q : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// The casts of one empty tensor.
// CHECK-LABEL: func.func @cast(
func.func @cast(%n: index, %v: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-COUNT-2: tensor.empty
  // CHECK: scf.for
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %f, %y = %f) -> (tensor<?xf32>, tensor<?xf32>) {
    %p = tensor.insert %v into %x[%i] : tensor<?xf32>
    scf.yield %p, %y : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: a use that is no loop's.
// CHECK-LABEL: func.func @others(
func.func @others(%n: index, %v: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK-COUNT-1: tensor.empty
  // CHECK-NOT: tensor.empty
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %e, %f : tensor<?xf32>, tensor<?xf32>
}

// A reduction that yields what it does not read leaves its initial value if it has
// no turn.
// CHECK-LABEL: func.func @left(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>
func.func @left(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[Y]])
  // CHECK: outs(%[[COPY]] :
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r, %y : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: each element is written, since each loop has a turn.
// CHECK-LABEL: func.func @written(
func.func @written(%x: tensor<2x3xf32>, %y: tensor<2xf32>, %z: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  // CHECK-NOT: alloc_tensor
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%y : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %s = linalg.exp ins(%z : tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<2xf32>, tensor<?xf32>
}

// Buffers want constants where their types are static.
// CHECK-LABEL: @sizes_of_an_expansion
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] output_shape [2, %{{.*}}, 3, %{{.*}}]
func.func @sizes_of_an_expansion(%x: tensor<?x?xf32>, %a: index, %b: index, %c: index) -> tensor<2x?x3x?xf32> {
  %0 = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [%a, %b, 3, %c] : tensor<?x?xf32> into tensor<2x?x3x?xf32>
  return %0 : tensor<2x?x3x?xf32>
}

// A vector at a place that is not known is taken for a part of its tensor: no
// copy in each turn. One at 0 is taken for all of it.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     bufferization.alloc_tensor
// CHECK:         scf.for
// CHECK-NOT:     bufferization.alloc_tensor
// CHECK:         scf.yield
// CHECK:         bufferization.alloc_tensor
// CHECK-NEXT:    vector.transfer_write
func.func @rows(%v: vector<4xf32>, %t: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<4x4xf32> {
    %w = vector.transfer_write %v, %a[%i, %c0] {in_bounds = [true]} : vector<4xf32>, tensor<4x4xf32>
    scf.yield %w : tensor<4x4xf32>
  }
  %w = vector.transfer_write %v, %r[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}

// Of what a call may write to, others need a copy, which bufferization makes of
// ranked tensors only.
// CHECK-LABEL: func.func @to_calls(
// CHECK:         %[[T:.*]] = tensor.insert
// CHECK:         %[[FIRST:.*]] = bufferization.alloc_tensor() copy(%[[T]])
// CHECK-NEXT:    %[[U:.*]] = tensor.cast %[[FIRST]]
// CHECK-NEXT:    call @takes(%[[U]])
// CHECK-NEXT:    %[[SECOND:.*]] = bufferization.alloc_tensor() copy(%[[T]])
// CHECK-NEXT:    %[[V:.*]] = tensor.cast %[[SECOND]]
// CHECK-NEXT:    call @takes(%[[V]])
// CHECK-NEXT:    return %[[T]]
func.func private @takes(tensor<*xf32>)
func.func @to_calls(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.insert %v into %x[%c0] : tensor<?xf32>
  %u = tensor.cast %t : tensor<?xf32> to tensor<*xf32>
  call @takes(%u) : (tensor<*xf32>) -> ()
  call @takes(%u) : (tensor<*xf32>) -> ()
  return %t : tensor<?xf32>
}

// CHECK-LABEL: func.func @many_uses(
// CHECK:         %[[B:.*]] = tensor.empty
// CHECK-NEXT:    %[[A:.*]] = tensor.empty
// CHECK-NEXT:    tensor.concat dim(0) %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[B]] :
func.func @many_uses() -> tensor<17xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %r = tensor.concat dim(0) %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e
      : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<17xf32>
  return %r : tensor<17xf32>
}
