// RUN: symshape-opt %s --symshape-expand-reshapes | FileCheck %s

// Two dynamic dimensions from one: the extents are those of the op.
// CHECK-LABEL: func.func @two_dynamic(
// CHECK-SAME:    %[[M:.*]]: memref<?x32xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK:         %[[BASE:[a-z_]+]], {{.*}} = memref.extract_strided_metadata %[[M]]
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]], 32], strides: [%{{.*}}, 32, 1]
// CHECK-NOT:     memref.expand_shape
func.func @two_dynamic(%m: memref<?x32xf32>, %a: index, %b: index) -> memref<?x?x32xf32> {
  %0 = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, 32] : memref<?x32xf32> into memref<?x?x32xf32>
  return %0 : memref<?x?x32xf32>
}

// Behind a check that fails: operands that would become negative attributes.
// CHECK-LABEL: func.func @behind_a_check(
// CHECK-SAME:    %[[X:.*]]: memref<4x4xf32>, %[[N:.*]]: index
// CHECK:         %[[OFFSET:.*]] = arith.constant 0 : index
// CHECK:         %[[SIZE:.*]] = arith.constant 0 : index
// CHECK:         memref.subview %[[X]][%[[OFFSET]], %[[N]]] [%[[N]], %[[SIZE]]] [3, 2]
func.func @behind_a_check(%x: memref<4x4xf32>, %n: index) -> memref<?x?xf32, strided<[12, 2], offset: ?>> {
  %minus = arith.constant -1 : index
  %v = memref.subview %x[%minus, %n] [%n, %minus] [3, 2] : memref<4x4xf32> to memref<?x?xf32, strided<[12, 2], offset: ?>>
  return %v : memref<?x?xf32, strided<[12, 2], offset: ?>>
}
