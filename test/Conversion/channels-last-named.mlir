// RUN: symshape-opt %s --symshape-channels-last --canonicalize | FileCheck %s

// Named convolutions with channels in dimension 1, as torch-mlir makes them, move
// theirs like those in generic form.

// CHECK-LABEL: func.func @image(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8x?x?xf32>, %[[W:[a-z0-9]+]]: tensor<16x8x3x3xf32>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[U:.*]] = linalg.transpose ins(%[[W]] {{.*}} permutation = [2, 3, 1, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[T]], %[[U]] : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>)
func.func @image(%x: tensor<?x8x?x?xf32>, %w: tensor<16x8x3x3xf32>, %init: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x8x?x?xf32>, tensor<16x8x3x3xf32>) outs(%init : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  return %0 : tensor<?x16x?x?xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<?x?x?x32xf32>, tensor<3x3x32xf32>)
func.func @depthwise(%x: tensor<?x32x?x?xf32>, %w: tensor<32x3x3xf32>, %init: tensor<?x32x?x?xf32>) -> tensor<?x32x?x?xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x32x?x?xf32>, tensor<32x3x3xf32>) outs(%init : tensor<?x32x?x?xf32>) -> tensor<?x32x?x?xf32>
  return %0 : tensor<?x32x?x?xf32>
}

// CHECK-LABEL: func.func @grouped(
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<?x?x?x2x4xf32>, tensor<2x3x3x4x16xf32>)
func.func @grouped(%x: tensor<?x8x?x?xf32>, %w: tensor<2x16x4x3x3xf32>, %init: tensor<?x2x16x?x?xf32>, %n: index, %h: index, %v: index) -> tensor<?x32x?x?xf32> {
  %s = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [%n, 2, 4, %h, %v] : tensor<?x8x?x?xf32> into tensor<?x2x4x?x?xf32>
  %0 = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%s, %w : tensor<?x2x4x?x?xf32>, tensor<2x16x4x3x3xf32>) outs(%init : tensor<?x2x16x?x?xf32>) -> tensor<?x2x16x?x?xf32>
  %j = tensor.collapse_shape %0 [[0], [1, 2], [3], [4]] : tensor<?x2x16x?x?xf32> into tensor<?x32x?x?xf32>
  return %j : tensor<?x32x?x?xf32>
}

// CHECK-LABEL: func.func @line(
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<?x?x8xf32>, tensor<3x8x16xf32>)
func.func @line(%x: tensor<?x8x?xf32>, %w: tensor<16x8x3xf32>, %init: tensor<?x16x?xf32>) -> tensor<?x16x?xf32> {
  %0 = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<?x8x?xf32>, tensor<16x8x3xf32>) outs(%init : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
  return %0 : tensor<?x16x?xf32>
}

// Channels are last already: the op stays.
// CHECK-LABEL: func.func @last(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.conv_2d_nhwc_hwcf
func.func @last(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32>, %init: tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) outs(%init : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %0 : tensor<?x?x?x16xf32>
}

// Beside a convolution, products of numbers without dimensions are looked at, too.
// CHECK-LABEL: func.func @numbers(
// CHECK:         linalg.transpose
func.func @numbers(%x: tensor<?x8x?xf32>, %w: tensor<16x8x3xf32>, %init: tensor<?x16x?xf32>,
                   %y: tensor<?xf32>, %s: tensor<f32>, %none: tensor<f32>) -> (tensor<?x16x?xf32>, tensor<f32>) {
  %0 = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x8x?xf32>, tensor<16x8x3xf32>) outs(%init : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y, %s : tensor<?xf32>, tensor<f32>) outs(%none : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0, %1 : tensor<?x16x?xf32>, tensor<f32>
}
