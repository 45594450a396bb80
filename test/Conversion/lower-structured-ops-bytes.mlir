// RUN: symshape-opt %s --symshape-lower-structured-ops | FileCheck %s

// Positive: squares of 16 or of 8 where one fits, else one by one.
// CHECK-LABEL: func.func @transposed(
func.func @transposed(%x: memref<?x?xi8>, %y: memref<?x?xi8>) {
  // CHECK: scf.if
  // CHECK:   vector.load {{.*}} : memref<?x?xi8>, vector<16xi8>
  // CHECK:   vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
  // CHECK:   vector.store {{.*}} : memref<?x?xi8>, vector<16xi8>
  // CHECK: } else {
  // CHECK:   scf.if
  // CHECK:     vector.shuffle {{.*}} : vector<8xi8>, vector<8xi8>
  // CHECK:   } else {
  // CHECK-NOT: vector.shuffle
  // CHECK: return
  linalg.transpose ins(%x : memref<?x?xi8>) outs(%y : memref<?x?xi8>) permutation = [1, 0]
  return
}

// Positive: neighbours that stay neighbours are one dimension.
// CHECK-LABEL: func.func @channels_last(
func.func @channels_last(%x: memref<2x64x?x?xi8>, %y: memref<2x?x?x64xi8>) {
  // CHECK: memref.collapse_shape {{.*}} : memref<2x64x?x?xi8> into memref<2x64x?xi8>
  // CHECK: memref.collapse_shape {{.*}} : memref<2x?x?x64xi8> into memref<2x?x64xi8>
  // CHECK: vector.shuffle
  linalg.transpose ins(%x : memref<2x64x?x?xi8>) outs(%y : memref<2x?x?x64xi8>) permutation = [0, 2, 3, 1]
  return
}

// Must not fire: the last dimension stays.
// CHECK-LABEL: func.func @outer(
// CHECK-NOT: vector.shuffle
func.func @outer(%x: memref<?x?x?xi8>, %y: memref<?x?x?xi8>) {
  linalg.transpose ins(%x : memref<?x?x?xi8>) outs(%y : memref<?x?x?xi8>) permutation = [1, 0, 2]
  return
}

// Positive: numbers of 32 bits, in squares of a register's lanes, and of half as
// many.
// CHECK-LABEL: func.func @wider(
// CHECK-COUNT-16: vector.load {{.*}} : memref<?x?xf32>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-COUNT-16: vector.store {{.*}} : memref<?x?xf32>, vector<16xf32>
// CHECK-COUNT-8: vector.load {{.*}} : memref<?x?xf32>, vector<8xf32>
func.func @wider(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}

// Must not fire: numbers of 64 bits.
// CHECK-LABEL: func.func @widest(
// CHECK-NOT: vector.shuffle
func.func @widest(%x: memref<?x?xf64>, %y: memref<?x?xf64>) {
  linalg.transpose ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) permutation = [1, 0]
  return
}
