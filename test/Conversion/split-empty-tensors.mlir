// RUN: symshape-opt %s --symshape-split-empty-tensors | FileCheck %s

// CHECK-LABEL: func.func @carried(
func.func @carried(%n: index, %v: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = tensor.empty
  // CHECK: %[[B:.*]] = tensor.empty
  %e = tensor.empty(%n) : tensor<?xf32>
  // CHECK: iter_args(%{{.*}} = %[[B]], %{{.*}} = %[[A]])
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e, %y = %e) -> (tensor<?xf32>, tensor<?xf32>) {
    %p = tensor.insert %v into %x[%i] : tensor<?xf32>
    %q = tensor.insert %v into %y[%i] : tensor<?xf32>
    scf.yield %p, %q : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: one use.
// CHECK-LABEL: func.func @once(
func.func @once(%n: index) -> tensor<?xf32> {
  // CHECK-NEXT: %[[E:.*]] = tensor.empty
  // CHECK-NEXT: return %[[E]]
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
