// RUN: symshape-opt %s --symshape-widen-sums --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-widen-sums --symshape-widen-sums --split-input-file | FileCheck %s

// Positive: between conversions, with the axis that it has.
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf16>)
// CHECK:         %[[W:.*]] = arith.extf %[[X]] : tensor<?x?xf16> to tensor<?x?xf32>
// CHECK:         %[[S:.*]] = symshape.cumsum %[[W]] axis 1 reverse : tensor<?x?xf32>
// CHECK:         %[[R:.*]] = arith.truncf %[[S]] : tensor<?x?xf32> to tensor<?x?xf16>
// CHECK:         return %[[R]]
func.func @cumsum(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %r = symshape.cumsum %x axis 1 reverse : tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// -----

// Positive: the destination of a softmax only says extents.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xbf16>, %[[O:.*]]: tensor<?x4xbf16>)
// CHECK:         %[[N:.*]] = tensor.dim %[[O]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK:         %[[W:.*]] = arith.extf %[[X]]
// CHECK:         %[[S:.*]] = linalg.softmax dimension(0) ins(%[[W]] : tensor<?x4xf32>) outs(%[[E]] : tensor<?x4xf32>)
// CHECK:         arith.truncf %[[S]] : tensor<?x4xf32> to tensor<?x4xbf16>
func.func @softmax(%x: tensor<?x4xbf16>, %o: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %r = linalg.softmax dimension(0) ins(%x : tensor<?x4xbf16>) outs(%o : tensor<?x4xbf16>) -> tensor<?x4xbf16>
  return %r : tensor<?x4xbf16>
}

// -----

// Positive: operands stay, and what they are added to is widened.
// CHECK-LABEL: func.func @pool(
// CHECK-SAME:    %[[X:.*]]: tensor<1x9x9x2xf16>, %[[K:.*]]: tensor<3x3xf16>, %[[I:.*]]: tensor<1x7x7x2xf16>)
// CHECK:         %[[W:.*]] = arith.extf %[[I]] : tensor<1x7x7x2xf16> to tensor<1x7x7x2xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[X]], %[[K]] : tensor<1x9x9x2xf16>, tensor<3x3xf16>) outs(%[[W]] : tensor<1x7x7x2xf32>)
// CHECK:         ^bb0(%[[A:.*]]: f16, %{{.*}}: f16, %[[O:.*]]: f32):
// CHECK:           %[[V:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK:           %[[S:.*]] = arith.addf %[[O]], %[[V]] : f32
// CHECK:           linalg.yield %[[S]] : f32
// CHECK:         arith.truncf %{{.*}} : tensor<1x7x7x2xf32> to tensor<1x7x7x2xf16>
func.func @pool(%x: tensor<1x9x9x2xf16>, %k: tensor<3x3xf16>, %i: tensor<1x7x7x2xf16>) -> tensor<1x7x7x2xf16> {
  %r = linalg.pooling_nhwc_sum ins(%x, %k : tensor<1x9x9x2xf16>, tensor<3x3xf16>)
      outs(%i : tensor<1x7x7x2xf16>) -> tensor<1x7x7x2xf16>
  return %r : tensor<1x7x7x2xf16>
}

// -----

// Positive: a product of each channel.
// CHECK-LABEL: func.func @depthwise(
// CHECK:           %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:           arith.addf %{{.*}}, %[[P]] : f32
func.func @depthwise(%x: tensor<1x9x9x2xbf16>, %k: tensor<3x3x2xbf16>, %i: tensor<1x7x7x2xbf16>) -> tensor<1x7x7x2xbf16> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x9x9x2xbf16>, tensor<3x3x2xbf16>)
      outs(%i : tensor<1x7x7x2xbf16>) -> tensor<1x7x7x2xbf16>
  return %r : tensor<1x7x7x2xbf16>
}

// -----

// Positive: each update is added in f32.
// CHECK-LABEL: func.func @scatter(
// CHECK:         symshape.scatter add promise_in_bounds %{{.*}} into %{{.*}} : tensor<?xf32> into tensor<?xf32>
func.func @scatter(%x: tensor<?xf16>, %i: tensor<?x1xi64>, %u: tensor<?xf16>) -> tensor<?xf16> {
  %r = symshape.scatter add promise_in_bounds %u into %x[%i]
      {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       operand_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, index_vector_dim = 1 : i64}
      : tensor<?xf16> into tensor<?xf16>[tensor<?x1xi64>]
  return %r : tensor<?xf16>
}

// -----

// Must not fire: a body that a program writes out, a maximum, a product of matrices, wider types.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     arith.extf
// CHECK:         return
func.func @others(%x: tensor<9x4xf16>, %o: tensor<4xf16>, %y: tensor<4x4xf16>, %i: tensor<9x4xf16>,
                  %u: tensor<1x9x9x2xf16>, %k: tensor<3x3xf16>, %m: tensor<1x7x7x2xf16>, %w: tensor<?xf64>)
    -> (tensor<4xf16>, tensor<9x4xf16>, tensor<1x7x7x2xf16>, tensor<?xf64>) {
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<9x4xf16>) outs(%o : tensor<4xf16>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<9x4xf16>, tensor<4x4xf16>) outs(%i : tensor<9x4xf16>) -> tensor<9x4xf16>
  %most = linalg.pooling_nhwc_max ins(%u, %k : tensor<1x9x9x2xf16>, tensor<3x3xf16>)
      outs(%m : tensor<1x7x7x2xf16>) -> tensor<1x7x7x2xf16>
  %c = symshape.cumsum %w axis 0 : tensor<?xf64>
  return %sum, %p, %most, %c : tensor<4xf16>, tensor<9x4xf16>, tensor<1x7x7x2xf16>, tensor<?xf64>
}

// -----

// Positive: sums of elements at places. Must not fire: copies of them.
// CHECK-LABEL: func.func @resample(
// CHECK:         %[[S:.*]] = symshape.resample {{.*}} : tensor<?xf32> at tensor<2x?xi64> weights tensor<2x?xf32> to tensor<?xf32>
// CHECK:         %[[R:.*]] = arith.truncf %[[S]] : tensor<?xf32> to tensor<?xf16>
// CHECK:         symshape.resample %[[R]] along [0] at {{.*}} : tensor<?xf16> at tensor<1x?xi64> to tensor<?xf16>
func.func @resample(%x: tensor<?xf16>, %p: tensor<2x?xi64>, %w: tensor<2x?xf16>, %q: tensor<1x?xi64>) -> tensor<?xf16> {
  %s = symshape.resample %x along [0] at %p weights %w
      : tensor<?xf16> at tensor<2x?xi64> weights tensor<2x?xf16> to tensor<?xf16>
  %r = symshape.resample %s along [0] at %q : tensor<?xf16> at tensor<1x?xi64> to tensor<?xf16>
  return %r : tensor<?xf16>
}
