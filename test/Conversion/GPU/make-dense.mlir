// RUN: symshape-opt %s --symshape-make-dense | FileCheck %s

// CHECK-LABEL: func.func @part(
// CHECK: %[[PART:.*]] = memref.subview
// CHECK: %[[ROWS:.*]] = memref.dim %[[PART]], %c0
// CHECK: %[[DENSE:.*]] = memref.alloc(%[[ROWS]]) {alignment = 64 : i64} : memref<?x3xf32>
// CHECK: memref.copy %[[PART]], %[[DENSE]]
// CHECK: return %[[DENSE]]
func.func @part(%a: memref<?x?xf32>, %n: index) -> memref<?x3xf32> {
  %part = memref.subview %a[0, 0] [%n, 3] [1, 1] : memref<?x?xf32> to memref<?x3xf32, strided<[?, 1]>>
  %r = memref.cast %part : memref<?x3xf32, strided<[?, 1]>> to memref<?x3xf32>
  return %r : memref<?x3xf32>
}

// CHECK-LABEL: func.func @extents(
// CHECK-NEXT: memref.cast
// CHECK-NEXT: return
func.func @extents(%a: memref<4x8xf32>) -> memref<?x8xf32> {
  %r = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  return %r : memref<?x8xf32>
}
