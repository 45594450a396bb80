// What static extents say to be empty is lowered without slices: MLIR refuses a slice
// that begins where its tensor ends.
// RUN: symshape-opt %s --symshape-lower-tensor-ops | FileCheck %s --implicit-check-not=extract_slice

// CHECK-LABEL: func.func @crops_all(
// CHECK-SAME:    %[[X:.*]]: tensor<2x?xf64>, %[[V:.*]]: f64, %[[N:.*]]: index
// CHECK:         %[[FILLED:.*]] = linalg.fill ins(%[[V]] : f64)
// CHECK-SAME:      -> tensor<2x?xf64>
// CHECK-NOT:     insert_slice
// CHECK:         return %[[FILLED]]
func.func @crops_all(%x: tensor<2x?xf64>, %v: f64, %n: index) -> tensor<2x?xf64> {
  %r = symshape.pad %x, %v low [-2, 0] high [2, 0] interior [0, 0] : tensor<2x?xf64> to tensor<2x?xf64>
  return %r : tensor<2x?xf64>
}

// CHECK-LABEL: func.func @sums_of_none(
// CHECK-NEXT:    %[[E:.*]] = tensor.empty
// CHECK-NEXT:    return %[[E]]
func.func @sums_of_none(%x: tensor<3x0xf64>) -> tensor<3x0xf64> {
  %r = symshape.cumsum %x axis 0 : tensor<3x0xf64>
  return %r : tensor<3x0xf64>
}

// CHECK-LABEL: func.func @order_of_none(
// CHECK-COUNT-2: tensor.empty
// CHECK-NOT:     scf.
// CHECK:         return
func.func @order_of_none(%x: tensor<0xf64>) -> (tensor<0xf64>, tensor<0xi64>) {
  %v, %p = symshape.sort %x axis 0 : tensor<0xf64>, tensor<0xi64>
  return %v, %p : tensor<0xf64>, tensor<0xi64>
}

// The size is checked all the same.
// CHECK-LABEL: func.func @truncation_of_none(
// CHECK:         symshape.fail
// CHECK:         tensor.empty
func.func @truncation_of_none(%x: tensor<0xf64>, %s: f64) -> tensor<?xf64> {
  %r = symshape.dynamic_truncate %x, %s axis 0 : tensor<0xf64>, f64 to tensor<?xf64>
  return %r : tensor<?xf64>
}
