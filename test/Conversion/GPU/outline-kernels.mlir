// RUN: symshape-opt %s --symshape-outline-kernels | FileCheck %s

// A pointer, one extent for both buffers, and the number of elements; the two
// launches share their kernel.
// CHECK: gpu.func @fill_0(%{{.*}}: index, %{{.*}}: !llvm.ptr<1>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: memref.store {{.*}} : memref<?xf32, 1>
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @twice(
// CHECK: gpu.launch_func @kernels::@fill_0
// CHECK: gpu.launch_func @kernels::@fill_0
func.func @twice(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %blocks: index) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
    %inside = arith.cmpi ult, %tx, %n : index
    scf.if %inside {
      memref.store %zero, %a[%tx] : memref<?xf32>
    }
    gpu.terminator
  } {kernel_name = "fill"}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
    %inside = arith.cmpi ult, %tx, %n : index
    scf.if %inside {
      memref.store %zero, %b[%tx] : memref<?xf32>
    }
    gpu.terminator
  } {kernel_name = "fill"}
  return
}
