// What our ops require, as the checks of upstream's pass: each op by itself.
// RUN: symshape-opt %s --generate-runtime-verification=verbose-level=0 | FileCheck %s

// CHECK-LABEL: func.func @gather(
func.func @gather(%x: tensor<?x?xf32>, %i: tensor<?x1xi64>, %n: index) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} slice_sizes[1]: expected 0 <= operand2\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} slice_sizes[1]: expected operand2 <= dim1_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} slice_sizes[0]: expected 1 <= dim0_of_operand0\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.gather
  %0 = symshape.gather clip %x[%i] slice_sizes [1, %n]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32>[tensor<?x1xi64>] to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @scatter(
func.func @scatter(%x: tensor<?x?xf32>, %i: tensor<?xindex>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} updates.shape[1]: expected dim1_of_operand2 <= dim1_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} operand.shape[0]: expected 1 <= dim0_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} updates.shape[0]: expected dim0_of_operand2 == dim0_of_operand1\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.scatter
  %0 = symshape.scatter add drop %u into %x[%i]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xindex>]
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<?x?xf32>, %i: index, %n: index, %u: tensor<1x?xf32>) -> (tensor<2x?xf32>, tensor<?x?xf32>) {
  // CHECK: cf.assert %{{.*}}, "{{.*}} sizes[0]: expected 2 <= dim0_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} sizes[1]: expected 0 <= operand3\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} sizes[1]: expected operand3 <= dim1_of_operand0\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.dynamic_slice
  %0 = symshape.dynamic_slice %x[%i, %i] sizes [2, %n] : tensor<?x?xf32> to tensor<2x?xf32>
  // CHECK: cf.assert %{{.*}}, "{{.*}} update.shape[0]: expected 1 <= dim0_of_operand1\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} update.shape[1]: expected dim1_of_operand0 <= dim1_of_operand1\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.dynamic_update_slice
  %1 = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<1x?xf32> into tensor<?x?xf32>
  return %0, %1 : tensor<2x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<?x6xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} target_shape: expected operand1*operand2 == 6*dim0_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} target_shape[0]: expected 0 <= operand1\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} target_shape[1]: expected 0 <= operand2\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.reshape
  %0 = symshape.reshape %x to [%m, %n] : tensor<?x6xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%x: tensor<1x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} shape[0]: expected operand1 == dim1_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} shape[0]: expected 0 <= operand1\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} shape[1]: expected 0 <= operand2\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.broadcast
  %0 = symshape.broadcast %x to [%n, %m] dims [1, 0] expanding [0] : tensor<1x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<?x3xf32>, %v: f32, %n: index) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} result.shape[0]: expected 0 <= dim0_of_operand0 - 1\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} result.shape[1]: expected 0 <= operand2 + 5\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} result.shape[1]: expected operand2 + 5 <= 9223372036854775807\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.pad
  %0 = symshape.pad %x, %v low [-1, %n] high [0, 0] interior [0, 1] : tensor<?x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @iota(
func.func @iota(%n: index, %step: index) -> tensor<?xi64> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} step: expected operand1 != 0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} result.shape[0]: expected max(0, -((-operand0) floordiv operand1)) <= 9223372036854775807\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.iota
  %0 = symshape.iota [0, %n, %step] : tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: func.func @top_k(
func.func @top_k(%v: tensor<?x4xf32>, %k: index) -> tensor<?x?xf32> {
  // CHECK: cf.assert %{{.*}}, "{{.*}} size: expected 0 <= operand1\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} size: expected operand1 <= 4\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.top_k
  %w, %q = symshape.top_k %v, %k axis 1 : tensor<?x4xf32> to tensor<?x?xf32>, tensor<?x?xi32>
  return %w : tensor<?x?xf32>
}

// A size is clamped, so nothing is required.
// CHECK-LABEL: func.func @truncate(
func.func @truncate(%x: tensor<?x4xf32>, %n: index) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK-NOT: cf.assert
  // CHECK: symshape.dynamic_truncate
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK-NOT: cf.assert
  // CHECK: symshape.pad_to_match
  %1 = symshape.pad_to_match %0, %n axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Names that the op itself gives count; what others give them is not known here.
// CHECK-LABEL: func.func @names(
func.func @names(%x: tensor<?x?x?xf32>, %n: index) -> (tensor<?x?x?xf32>, index) {
  // CHECK: cf.assert %{{.*}}, "{{.*}} extent of dimension 1: expected dim1_of_operand0 == dim0_of_operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} bound of dimension 2: expected dim2_of_operand0 <= 2*dim0_of_operand0\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.bind_shape
  %0 = symshape.bind_shape %x [A, A, <= A * 2] : tensor<?x?x?xf32>
  // CHECK: cf.assert %{{.*}}, "{{.*}} divisor: expected operand0 != 0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} value: expected -9223372036854775808 <= operand0 floordiv operand0\0A
  // CHECK: cf.assert %{{.*}}, "{{.*}} value: expected operand0 floordiv operand0 <= 9223372036854775807\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.size
  %1 = symshape.size "a floordiv b" (a = %n, b = %n)
  // CHECK-NOT: cf.assert
  // CHECK: symshape.bind_shape
  %2 = symshape.bind_shape %0 [A, B, ?] : tensor<?x?x?xf32>
  return %2, %1 : tensor<?x?x?xf32>, index
}

// Constants and types decide the window; the rest is asked.
// CHECK-LABEL: func.func @decided(
func.func @decided(%x: tensor<?x8xf32>, %i: tensor<?x1xi64>) -> tensor<?x4xf32> {
  %c4 = arith.constant 4 : index
  // CHECK: cf.assert %{{.*}}, "{{.*}} slice_sizes[0]: expected 1 <= dim0_of_operand0\0A
  // CHECK-NOT: cf.assert
  // CHECK: symshape.gather
  %0 = symshape.gather clip %x[%i] slice_sizes [1, %c4]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x8xf32>[tensor<?x1xi64>] to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
