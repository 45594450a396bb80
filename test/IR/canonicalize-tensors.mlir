// RUN: symshape-opt %s --canonicalize | FileCheck %s

// Constants become part of the op; its mode stays.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>
func.func @constants(%x: tensor<?x8xf32>, %i: tensor<?x1xi64>, %n: index, %v: f32)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?x8x?xf32>, tensor<?x?xf32>, tensor<?xi64>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %m1 = arith.constant -1 : index
  // CHECK: symshape.gather fill %[[X]][%{{.*}}] slice_sizes [1, 4]
  %0 = symshape.gather fill %x[%i] slice_sizes [1, %c4]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, fill_value = 0.0 : f32,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x8xf32>[tensor<?x1xi64>] to tensor<?x?xf32>
  // CHECK: symshape.dynamic_slice %[[X]][%[[N:.*]], %[[N]]] sizes [%[[N]], 2]
  %1 = symshape.dynamic_slice %x[%n, %n] sizes [%n, %c2] : tensor<?x8xf32> to tensor<?x?xf32>
  // CHECK: symshape.reshape %[[X]] to [%[[N]], 4, 2]
  %2 = symshape.reshape %x to [%n, %c4, %c2] : tensor<?x8xf32> to tensor<?x?x?xf32>
  // CHECK: symshape.broadcast %[[X]] to [%[[N]], 8, 4] dims [0, 1] expanding []
  %3 = symshape.broadcast %x to [%n, 8, %c4] dims [0, 1] expanding [] : tensor<?x8xf32> to tensor<?x8x?xf32>
  // CHECK: symshape.pad %[[X]], %{{.*}} low [%[[N]], -1] high [2, %[[N]]] interior [0, 0]
  %4 = symshape.pad %x, %v low [%n, %m1] high [%c2, %n] interior [0, 0] : tensor<?x8xf32> to tensor<?x?xf32>
  // CHECK: symshape.iota [-1, %[[N]], 2]
  %5 = symshape.iota [%m1, %n, %c2] : tensor<?xi64>
  return %0, %1, %2, %3, %4, %5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?x8x?xf32>, tensor<?x?xf32>, tensor<?xi64>
}

// What the verifier would refuse is for the check at run time to say.
// CHECK-LABEL: func.func @refused(
func.func @refused(%x: tensor<?x8xf32>, %s: index, %n: index) -> (tensor<?x?xf32>, tensor<?x3xf32>, tensor<?xi64>) {
  %c9 = arith.constant 9 : index
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[C9:.*]] = arith.constant 9 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: symshape.dynamic_slice {{.*}} sizes [%{{.*}}, %[[C9]]]
  %0 = symshape.dynamic_slice %x[%s, %s] sizes [%n, %c9] : tensor<?x8xf32> to tensor<?x?xf32>
  // CHECK: symshape.dynamic_slice {{.*}} sizes [%{{.*}}, %[[C4]]]
  %1 = symshape.dynamic_slice %x[%s, %s] sizes [%n, %c4] : tensor<?x8xf32> to tensor<?x3xf32>
  // CHECK: symshape.iota [0, %{{.*}}, %[[C0]]]
  %2 = symshape.iota [0, %n, %c0] : tensor<?xi64>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x3xf32>, tensor<?xi64>
}

// What changes nothing is gone.
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[Y:[^:]*]]: tensor<?x8xf32>, %[[U:[^:]*]]: tensor<4x8xf32>
func.func @nothing(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>, %u: tensor<4x8xf32>, %n: index, %v: f32)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  // CHECK-NOT: symshape
  // CHECK: return %[[U]], %[[X]], %[[X]], %[[Y]], %[[Y]]
  %0 = symshape.dynamic_update_slice %u into %x[%n, %n] : tensor<4x8xf32> into tensor<4x8xf32>
  %1 = symshape.dynamic_slice %x[%n, %n] sizes [4, %c8] : tensor<4x8xf32> to tensor<4x8xf32>
  %2 = symshape.reshape %1 to [4, 8] : tensor<4x8xf32> to tensor<4x8xf32>
  %3 = symshape.broadcast %2 to [4, 8] dims [0, 1] expanding [] : tensor<4x8xf32> to tensor<4x8xf32>
  %4 = symshape.dynamic_truncate %3, %c8 axis 1 : tensor<4x8xf32> to tensor<4x8xf32>
  %5 = symshape.pad_to_match %4, %c3 axis 0 : tensor<4x8xf32> to tensor<4x8xf32>
  %6 = symshape.pad_to_match %5, %u axis 0 : tensor<4x8xf32>, tensor<4x8xf32> to tensor<4x8xf32>
  %7 = symshape.pad %y, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<?x8xf32> to tensor<?x8xf32>
  %8 = symshape.pad_to_match %y, %y axis 0 : tensor<?x8xf32>, tensor<?x8xf32> to tensor<?x8xf32>
  return %0, %6, %6, %7, %8 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// What still has something to check, or to move, stays.
// CHECK-LABEL: func.func @stays(
func.func @stays(%x: tensor<4x4xf32>, %y: tensor<?x8xf32>, %n: index, %v: f32)
    -> (tensor<?x8xf32>, tensor<4x4xf32>, tensor<?x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<?x8xf32>) {
  %c5 = arith.constant 5 : index
  // CHECK: symshape.dynamic_slice
  %0 = symshape.dynamic_slice %y[%n, %n] sizes [%n, 8] : tensor<?x8xf32> to tensor<?x8xf32>
  // CHECK: symshape.broadcast
  %1 = symshape.broadcast %x to [4, 4] dims [1, 0] expanding [] : tensor<4x4xf32> to tensor<4x4xf32>
  // CHECK: symshape.dynamic_truncate
  %2 = symshape.dynamic_truncate %y, %c5 axis 0 : tensor<?x8xf32> to tensor<?x8xf32>
  // CHECK: symshape.pad {{.*}} low [-1, 0] high [1, 0]
  %3 = symshape.pad %x, %v low [-1, 0] high [1, 0] interior [0, 0] : tensor<4x4xf32> to tensor<4x4xf32>
  // CHECK: symshape.pad {{.*}} tensor<?x8xf32> to tensor<4x8xf32>
  %4 = symshape.pad %y, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<?x8xf32> to tensor<4x8xf32>
  // CHECK: symshape.pad_to_match
  %5 = symshape.pad_to_match %y, %c5 axis 0 : tensor<?x8xf32> to tensor<?x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x8xf32>, tensor<4x4xf32>, tensor<?x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<?x8xf32>
}
