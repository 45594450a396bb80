// RUN: symshape-opt %s --symshape-place-data | FileCheck %s

memref.global "private" constant @table : memref<4xf32> = dense<1.0>

// A weight is on the device; another argument is sent once the check has passed.
// CHECK-LABEL: func.func @main(
// CHECK: scf.if
// CHECK: symshape.fail
// CHECK: }
// CHECK: llvm.call @symshape_gpu_constant(
// CHECK-COUNT-1: llvm.call @symshape_gpu_send(
// CHECK: linalg.generic
// CHECK: llvm.call @symshape_gpu_fetch(
// CHECK: llvm.call @symshape_gpu_finish(
// CHECK: llvm.call @symshape_gpu_drop(
// CHECK: memref.dealloc
// CHECK: return
func.func @main(%a: memref<?xf32>, %w: memref<?xf32> {gpu.resident}, %bad: i1) -> memref<?xf32> {
  scf.if %bad {
    symshape.fail "no"
  }
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %t = memref.get_global @table : memref<4xf32>
  %r = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%a, %w : memref<?xf32>, memref<?xf32>) outs(%r : memref<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %e = memref.load %t[%c0] : memref<4xf32>
    %s = arith.addf %x, %y : f32
    %u = arith.addf %s, %e : f32
    linalg.yield %u : f32
  }
  return %r : memref<?xf32>
}

// The address is read from the argument, all else from its copy: also where the
// type says that the array begins elsewhere.
// CHECK-LABEL: func.func @begins_elsewhere(
// CHECK-SAME: %[[A:.*]]: memref<4xf32, strided<[1], offset: ?>>)
// CHECK: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: memref.extract_strided_metadata %[[A]]
// CHECK: %[[COPY:.*]] = memref.reinterpret_cast
// CHECK: memref.load %[[COPY]]
func.func @begins_elsewhere(%a: memref<4xf32, strided<[1], offset: ?>>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = memref.load %a[%c0] : memref<4xf32, strided<[1], offset: ?>>
  return %0 : f32
}
