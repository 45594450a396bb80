// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s

// Positive: a convolution with 2 x 2 taps and the features of 2 x 2 phases, and
// no zeros between elements. The kernel gets zeros up to a multiple of strides,
// and the bias comes last.
// CHECK-LABEL: func.func @phases(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x?x5xf32>, %[[W:[a-z0-9]+]]: tensor<6x4x3x5xf32>
// CHECK:         %[[LONGER:.*]] = symshape.pad %[[W]], {{.*}} low [0, 0, 0, 0] high [0, 0, 1, 0] interior [0, 0, 0, 0] : {{.*}} to tensor<6x4x4x5xf32>
// CHECK:         %[[APART:.*]] = symshape.reshape %[[LONGER]] {{.*}} to tensor<6x2x2x2x2x5xf32>
// CHECK:         %[[TURNED:.*]] = symshape.reverse %[[APART]] axes [1, 3]
// CHECK:         linalg.transpose ins(%[[TURNED]] {{.*}} permutation = [2, 4, 0, 1, 3, 5]
// CHECK:         %[[KERNEL:.*]] = symshape.reshape {{.*}} to tensor<24x2x2x5xf32>
// CHECK:         %[[IMAGE:.*]] = symshape.pad %[[X]], {{.*}} low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[IMAGE]], %[[KERNEL]]
// CHECK:         linalg.transpose {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK:         symshape.pad {{.*}} low [0, -1, 0, 0] high [0, -1, 1, 0] interior [0, 0, 0, 0]
// CHECK:         arith.addf {{.*}} : tensor<?x?x?x6xf32>
func.func @phases(%x: tensor<?x?x?x5xf32>, %w: tensor<6x4x3x5xf32>, %b: tensor<6xf32>) -> tensor<?x?x?x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, -1, 0, 2>, stride = array<i64: 2, 2>} : (tensor<?x?x?x5xf32>, tensor<6x4x3x5xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x6xf32>
  return %r : tensor<?x?x?x6xf32>
}

// Must not fire: a phase would have no element of the kernel. The border is a
// constant, and the bias is what sums begin with.
// CHECK-LABEL: func.func @spread(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x?x5xf32>, %[[W:[a-z0-9]+]]: tensor<6x4x1x5xf32>
// CHECK:         %[[TURNED:.*]] = symshape.reverse %[[W]] axes [1, 2]
// CHECK:         %[[IMAGE:.*]] = symshape.pad %[[X]], {{.*}} low [0, 2, 0, 0] high [0, 2, 2, 0] interior [0, 1, 1, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[IMAGE]], %[[TURNED]]
// CHECK-NOT:     arith.addf {{.*}} : tensor
// CHECK:         return
func.func @spread(%x: tensor<?x?x?x5xf32>, %w: tensor<6x4x1x5xf32>, %b: tensor<6xf32>) -> tensor<?x?x?x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, -1, 0, 2>, stride = array<i64: 2, 2>} : (tensor<?x?x?x5xf32>, tensor<6x4x1x5xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x6xf32>
  return %r : tensor<?x?x?x6xf32>
}
