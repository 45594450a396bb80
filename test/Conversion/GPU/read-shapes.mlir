// RUN: symshape-opt %s --symshape-read-shapes | FileCheck %s

// Sizes that were just stored stay values.
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK-NOT: memref.alloc
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[M]], %[[N]]], strides: [%[[N]], 1]
func.func @stored(%a: memref<?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %shape = memref.alloc() : memref<2xindex>
  memref.store %m, %shape[%c0] : memref<2xindex>
  memref.store %n, %shape[%c1] : memref<2xindex>
  %r = memref.reshape %a(%shape) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  return %r : memref<?x?xf32>
}

// Those that something else computes are read.
// CHECK-LABEL: func.func @computed(
// CHECK: %[[M:.*]] = memref.load
// CHECK: %[[N:.*]] = memref.load
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[M]], %[[N]]]
func.func @computed(%a: memref<?xf32>, %shape: memref<2xindex>) -> memref<?x?xf32> {
  %r = memref.reshape %a(%shape) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  return %r : memref<?x?xf32>
}

// Must not fire: the rank of the result is not known.
// CHECK-LABEL: func.func @unranked(
// CHECK: memref.reshape
// CHECK: memref.reshape
func.func @unranked(%a: memref<*xf32>, %one: memref<1xi32>, %any: memref<?xi32>) -> memref<*xf32> {
  %0 = memref.reshape %a(%one) : (memref<*xf32>, memref<1xi32>) -> memref<?xf32>
  %1 = memref.reshape %0(%any) : (memref<?xf32>, memref<?xi32>) -> memref<*xf32>
  return %1 : memref<*xf32>
}
