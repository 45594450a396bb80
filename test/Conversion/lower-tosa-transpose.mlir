// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s

// The types of the results say more than that of the operand.
// CHECK-LABEL: func.func @twice(
// CHECK:         tensor.cast %{{.*}} : tensor<3x?xi32> to tensor<3x2xi32>
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<2x3xi32>)
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<3x2xi32>)
// CHECK-NOT:     tosa
func.func @twice(%x: tensor<3x?xi32>) -> tensor<3x2xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<3x?xi32>) -> tensor<2x3xi32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %1 : tensor<3x2xi32>
}

// The operand says more than the results.
// CHECK-LABEL: func.func @open_result(
// CHECK:         %[[FIRST:.*]] = linalg.transpose {{.*}} outs(%{{.*}} : tensor<2x3xi32>)
// CHECK:         tensor.cast %[[FIRST]] : tensor<2x3xi32> to tensor<?x3xi32>
// CHECK-NOT:     tosa
func.func @open_result(%x: tensor<3x2xi32>) -> tensor<3x?xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<3x2xi32>) -> tensor<?x3xi32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<?x3xi32>) -> tensor<3x?xi32>
  return %1 : tensor<3x?xi32>
}
