// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --fix=%t.mlir
// RUN: FileCheck %s --check-prefix=TEXT < %t.mlir

// What torch-mlir leaves in its exports is known as the ops that it becomes; a corrected file
// still has it.

// CHECK-LABEL: @main: (s0,s1) (s2)
// CHECK:         result #0: tensor<?x?xf32>  [s0, s1]
// CHECK:         result #1: tensor<?xf32>  [s0]
// CHECK:         guard: extent of %x dim 0 (s0) must equal extent of %a dim 0 (s2)
// CHECK:           needed by symshape.assert at {{.*}}tm-tensor.mlir:[[# @LINE + 9]]:10 (assert)
// TEXT:        func.func @main(%x: tensor<?x?xf32>, %a: tensor<?xf32>)
// TEXT:          tm_tensor.scan dimension(1) inclusive(true)
func.func @main(%x: tensor<?x?xf32>, %a: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %o = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<?x?xf32>) outs(%o, %a : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.addf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}
