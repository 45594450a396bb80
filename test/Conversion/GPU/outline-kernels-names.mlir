// RUN: symshape-opt %s --symshape-outline-kernels | FileCheck %s

// A launch without a name.
// CHECK-LABEL: func.func @nameless(
// CHECK: gpu.launch_func @kernels::@kernel_0
func.func @nameless(%a: memref<?xf64>, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %v = memref.load %a[%bx] : memref<?xf64>
    memref.store %v, %a[%tx] : memref<?xf64>
    gpu.terminator
  }
  return
}
