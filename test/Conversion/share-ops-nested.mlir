// RUN: symshape-opt %s --symshape-share-ops | FileCheck %s

// The ops of each module are shared by themselves: a name reaches no further. A
// name that is taken is not used.
// CHECK-LABEL: func.func @outer(
// CHECK-COUNT-2: call @symshape.shared.0_0(
// CHECK-LABEL: module @inner
// CHECK:         func.func @f(
// CHECK-COUNT-2:   call @symshape.shared.0(
// CHECK:         func.func private @symshape.shared.0(
// CHECK-LABEL: module @one
// CHECK:         linalg.fill
// CHECK:       func.func private @symshape.shared.0_0(
func.func private @symshape.shared.0()
func.func @outer(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  return
}
module @inner {
  func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
    linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
    return
  }
}
module @one {
  func.func @f(%a: memref<?xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
    return
  }
}
