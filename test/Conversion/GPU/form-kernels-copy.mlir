// RUN: symshape-opt %s --symshape-form-kernels | FileCheck %s

// A copy becomes a kernel in a program that has no other op of linalg.
// CHECK-LABEL: func.func @copy(
// CHECK: gpu.launch
// CHECK: memref.store
func.func @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return
}
