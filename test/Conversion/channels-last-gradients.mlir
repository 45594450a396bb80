// RUN: symshape-opt %s --symshape-channels-last | FileCheck %s

// Derivatives by weights become products with rows of channels and columns of
// features, between copies.
// CHECK: #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5, d3 * 2 + d6 * 3, d4)>
// CHECK: #[[$GRADIENT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>
// CHECK: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d1)>

#image = affine_map<(n, f, h, w, c, i, j) -> (n, c, h * 2 + i, w * 2 + j * 3)>
#gradient = affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>
#result = affine_map<(n, f, h, w, c, i, j) -> (c, f, i, j)>


// CHECK-LABEL: func.func @all_channels(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x?x?xf32>, %[[G:[a-z0-9]+]]: tensor<?x?x?x?xf32>
// CHECK:         %[[XT:.*]] = linalg.transpose ins(%[[X]] : {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[GT:.*]] = linalg.transpose ins(%[[G]] : {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$IMAGE]], #[[$GRADIENT]], #[[$RESULT]]]
// CHECK-SAME:      ins(%[[XT]], %[[GT]] : {{.*}} outs(%{{.*}} : tensor<3x3x32x64xf32>)
// CHECK:         linalg.transpose ins(%[[SUM]] : {{.*}} permutation = [2, 3, 0, 1]
func.func @all_channels(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?x?xf32>, %s: tensor<32x64x3x3xf32>) -> tensor<32x64x3x3xf32> {
  %0 = linalg.generic {indexing_maps = [#image, #gradient, #result], iterator_types = ["reduction", "parallel", "reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%x, %g : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<32x64x3x3xf32>) {
  ^bb0(%a: f32, %v: f32, %t: f32):
    %m = arith.mulf %a, %v : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<32x64x3x3xf32>
  return %0 : tensor<32x64x3x3xf32>
}

// Fewer features than taps in a row.
// CHECK-LABEL: func.func @few_features(
// CHECK-NOT:     linalg.transpose
func.func @few_features(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?x?xf32>, %s: tensor<32x2x3x3xf32>) -> tensor<32x2x3x3xf32> {
  %0 = linalg.generic {indexing_maps = [#image, #gradient, #result], iterator_types = ["reduction", "parallel", "reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%x, %g : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<32x2x3x3xf32>) {
  ^bb0(%a: f32, %v: f32, %t: f32):
    %m = arith.mulf %a, %v : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<32x2x3x3xf32>
  return %0 : tensor<32x2x3x3xf32>
}

// A channel each: nothing moves, and what stands beside it does all the same.
// CHECK-LABEL: func.func @own_channel(
// CHECK:         outs(%{{.*}} : tensor<32x3x3xf32>)
// CHECK:         outs(%{{.*}} : tensor<?x?x?x16xf32>)
#own = affine_map<(n, c, h, w, i, j) -> (n, c, h + i, w + j)>
#own_gradient = affine_map<(n, c, h, w, i, j) -> (n, c, h, w)>
#own_result = affine_map<(n, c, h, w, i, j) -> (c, i, j)>
#forward = affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>
#weights = affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>
#features = affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>
func.func @own_channel(%x: tensor<?x32x?x?xf32>, %g: tensor<?x32x?x?xf32>, %s: tensor<32x3x3xf32>,
                       %k: tensor<16x32x3x3xf32>, %f: tensor<?x16x?x?xf32>) -> (tensor<32x3x3xf32>, tensor<?x16x?x?xf32>) {
  %0 = linalg.generic {indexing_maps = [#own, #own_gradient, #own_result],
                       iterator_types = ["reduction", "parallel", "reduction", "reduction", "parallel", "parallel"]}
      ins(%x, %g : tensor<?x32x?x?xf32>, tensor<?x32x?x?xf32>) outs(%s : tensor<32x3x3xf32>) {
  ^bb0(%a: f32, %v: f32, %t: f32):
    %m = arith.mulf %a, %v : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<32x3x3xf32>
  %1 = linalg.generic {indexing_maps = [#forward, #weights, #features],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %k : tensor<?x32x?x?xf32>, tensor<16x32x3x3xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %v: f32, %t: f32):
    %m = arith.mulf %a, %v : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<?x16x?x?xf32>
  return %0, %1 : tensor<32x3x3xf32>, tensor<?x16x?x?xf32>
}

// Along the diagonal: one place for two axes is no derivative of a convolution.
// CHECK-LABEL: func.func @diagonal(
// CHECK-NOT:     linalg.transpose
#diagonal = affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, h + j)>
func.func @diagonal(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?x?xf32>, %s: tensor<32x64x3x3xf32>) -> tensor<32x64x3x3xf32> {
  %0 = linalg.generic {indexing_maps = [#diagonal, #gradient, #result], iterator_types = ["reduction", "parallel", "reduction", "reduction", "parallel", "parallel", "parallel"]}
      ins(%x, %g : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%s : tensor<32x64x3x3xf32>) {
  ^bb0(%a: f32, %v: f32, %t: f32):
    %m = arith.mulf %a, %v : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<32x64x3x3xf32>
  return %0 : tensor<32x64x3x3xf32>
}

// -----

// A convolution of images that have fewer places than the window, not a derivative:
// channels move last.
// CHECK-LABEL: func.func @small_image(
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<1x4x4x512xf32>, tensor<3x3x512x512xf32>)
func.func @small_image(%x: tensor<1x512x4x4xf32>, %w: tensor<512x512x3x3xf32>, %init: tensor<1x512x2x2xf32>) -> tensor<1x512x2x2xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x512x4x4xf32>, tensor<512x512x3x3xf32>) outs(%init : tensor<1x512x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<1x512x2x2xf32>
  return %0 : tensor<1x512x2x2xf32>
}
