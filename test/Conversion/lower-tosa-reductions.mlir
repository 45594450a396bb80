// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s

// Results of reductions keep what the operand says of the other extents.
// CHECK-LABEL: func.func @open_results(
// CHECK:         tensor<1x3x?x?xf32> to tensor<?x?x?x?xf32>
// CHECK:         tensor<2x3x?x1xf32> to tensor<?x?x?x?xf32>
// CHECK:         tensor<1x3x?x?xi1> to tensor<?x?x?x?xi1>
// CHECK-NOT:     tosa
func.func @open_results(%x: tensor<2x3x?x?xf32>, %b: tensor<2x3x?x?xi1>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xi1>) {
  %0 = tosa.reduce_sum %x {axis = 0 : i32} : (tensor<2x3x?x?xf32>) -> tensor<?x?x?x?xf32>
  %1 = tosa.reduce_max %x {axis = 3 : i32} : (tensor<2x3x?x?xf32>) -> tensor<?x?x?x?xf32>
  %2 = tosa.reduce_any %b {axis = 0 : i32} : (tensor<2x3x?x?xi1>) -> tensor<?x?x?x?xi1>
  return %0, %1, %2 : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xi1>
}
