// RUN: symshape-opt %s --symshape-fuse-elementwise --cse | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @chain(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.add ins(%e, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: the producer has two users and computes something.
// CHECK-LABEL: func.func @two_users(
// CHECK:         math.exp
// CHECK:         linalg.generic
// CHECK-NOT:     math.exp
func.func @two_users(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.add ins(%e, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %e, %0 : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: a contraction reads its operands many times.
// CHECK-LABEL: func.func @contraction(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.matmul
func.func @contraction(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = linalg.exp ins(%a : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%e, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
