// RUN: symshape-opt %s --symshape-channels-last --canonicalize --split-input-file | FileCheck %s

// The convolution, the op on its channels, the border and the pool after it, and the
// second convolution: one transposed copy before and one after all of them.
// CHECK-DAG:   #[[$X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d6)>
// CHECK-DAG:   #[[$W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG:   #[[$Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG:   #[[$ALL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG:   #[[$BIAS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG:   #[[$POOL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-DAG:   #[[$DEEP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[IMAGE:[a-z0-9]+]]: tensor<?x3x?x?xf32>, %[[WEIGHTS:[a-z0-9]+]]: tensor<16x3x3x3xf32>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[IMAGE]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[U:.*]] = linalg.transpose ins(%[[WEIGHTS]] {{.*}} permutation = [2, 3, 1, 0]
// CHECK:         %[[C:.*]] = linalg.generic {indexing_maps = [#[[$X]], #[[$W]], #[[$Y]]]
// CHECK-SAME:      ins(%[[T]], %[[U]] : tensor<?x?x?x3xf32>, tensor<3x3x3x16xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[B:.*]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$BIAS]], #[[$ALL]]]
// CHECK-SAME:      ins(%[[C]],
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[P:.*]] = tensor.pad %[[B]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[M:.*]] = linalg.generic {indexing_maps = [#[[$POOL]],
// CHECK-SAME:      ins(%[[P]],
// CHECK:         linalg.transpose {{.*}} tensor<16x3x3xf32>
// CHECK:         %[[D:.*]] = linalg.generic {indexing_maps = [#[[$DEEP]],
// CHECK-SAME:      ins(%[[M]],
// CHECK:         %[[R:.*]] = linalg.transpose ins(%[[D]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         return %[[R]]
func.func @chain(%x: tensor<?x3x?x?xf32>, %w: tensor<16x3x3x3xf32>, %bias: tensor<16xf32>, %d: tensor<16x3x3xf32>,
                 %c: tensor<?x16x?x?xf32>, %p: tensor<?x16x?x?xf32>, %r: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h * 2 + i, w * 2 + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>,
                                        affine_map<(n, c, h, w) -> (n, c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<?x16x?x?xf32>, tensor<16xf32>) outs(%c : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %2 = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %ch: index, %i: index, %j: index):
    tensor.yield %least : f32
  } : tensor<?x16x?x?xf32> to tensor<?x16x?x?xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %g = linalg.fill ins(%least : f32) outs(%p : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, i, j) -> (n, c, h * 2 + i, w * 2 + j)>,
                                        affine_map<(n, c, h, w, i, j) -> (i, j)>,
                                        affine_map<(n, c, h, w, i, j) -> (n, c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%2, %window : tensor<?x16x?x?xf32>, tensor<3x3xf32>) outs(%g : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %t = arith.maximumf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %e = linalg.fill ins(%zero : f32) outs(%r : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, c, h, w, i, j) -> (c, i, j)>,
                                        affine_map<(n, c, h, w, i, j) -> (n, c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%3, %d : tensor<?x16x?x?xf32>, tensor<16x3x3xf32>) outs(%e : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  return %4 : tensor<?x16x?x?xf32>
}

// -----

// Must not fire: groups of channels of an argument, which stay so, and so does
// the other convolution.
// CHECK-LABEL: func.func @groups(
// CHECK-NOT:     linalg.transpose
func.func @groups(%x: tensor<?x8x?x?xf32>, %g: tensor<?x2x4x?x?xf32>, %w: tensor<8x8x1x1xf32>, %v: tensor<2x4x4x3x3xf32>,
                  %c: tensor<?x8x?x?xf32>, %d: tensor<?x2x4x?x?xf32>) -> (tensor<?x8x?x?xf32>, tensor<?x2x4x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x?x?xf32>, tensor<8x8x1x1xf32>) outs(%f : tensor<?x8x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x8x?x?xf32>
  %e = linalg.fill ins(%zero : f32) outs(%d : tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, g, f, h, w, c, i, j) -> (n, g, c, h + i, w + j)>,
                                        affine_map<(n, g, f, h, w, c, i, j) -> (g, f, c, i, j)>,
                                        affine_map<(n, g, f, h, w, c, i, j) -> (n, g, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%g, %v : tensor<?x2x4x?x?xf32>, tensor<2x4x4x3x3xf32>) outs(%e : tensor<?x2x4x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x2x4x?x?xf32>
  return %0, %1 : tensor<?x8x?x?xf32>, tensor<?x2x4x?x?xf32>
}

// -----

// Groups of channels that come from a split image: the same between a split and a
// collapse of the last dimension.
// CHECK-DAG:   #[[$X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d5, d2 * 2 + d6, d3, d7)>
// CHECK-DAG:   #[[$W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d5, d6, d7, d4)>
// CHECK-DAG:   #[[$Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func @split_groups(
// CHECK-SAME:    %[[IMAGE:[a-z0-9]+]]: tensor<?x8x?x?xf32>, %[[WEIGHTS:[a-z0-9]+]]: tensor<2x8x4x3x3xf32>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[IMAGE]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[S:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0], [1], [2], [3, 4]]
// CHECK-SAME:      tensor<?x?x?x8xf32> into tensor<?x?x?x2x4xf32>
// CHECK:         %[[U:.*]] = linalg.transpose ins(%[[WEIGHTS]] {{.*}} permutation = [0, 3, 4, 2, 1]
// CHECK:         %[[C:.*]] = linalg.generic {indexing_maps = [#[[$X]], #[[$W]], #[[$Y]]]
// CHECK-SAME:      ins(%[[S]], %[[U]] : tensor<?x?x?x2x4xf32>, tensor<2x3x3x4x8xf32>)
// CHECK:         %[[J:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0], [1], [2], [3, 4]]
// CHECK:         %[[R:.*]] = linalg.transpose ins(%[[J]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         return %[[R]]
func.func @split_groups(%x: tensor<?x8x?x?xf32>, %w: tensor<2x8x4x3x3xf32>, %c: tensor<?x2x8x?x?xf32>, %n: index, %h: index, %v: index) -> tensor<?x16x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [%n, 2, 4, %h, %v] : tensor<?x8x?x?xf32> into tensor<?x2x4x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x2x8x?x?xf32>) -> tensor<?x2x8x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, g, f, h, w, c, i, j) -> (n, g, c, h * 2 + i, w * 2 + j)>,
                                        affine_map<(n, g, f, h, w, c, i, j) -> (g, f, c, i, j)>,
                                        affine_map<(n, g, f, h, w, c, i, j) -> (n, g, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%g, %w : tensor<?x2x4x?x?xf32>, tensor<2x8x4x3x3xf32>) outs(%f : tensor<?x2x8x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x2x8x?x?xf32>
  %r = tensor.collapse_shape %0 [[0], [1, 2], [3], [4]] : tensor<?x2x8x?x?xf32> into tensor<?x16x?x?xf32>
  return %r : tensor<?x16x?x?xf32>
}

// -----

// Images side by side, of which one is moved: the other moves as well, and not the
// moved one back. A part of them stays moved.
// CHECK-LABEL: func.func @side_by_side(
// CHECK-SAME:    %[[IMAGE:[a-z0-9]+]]: tensor<?x8x?x?xf32>
// CHECK:         %[[C:.*]] = linalg.generic
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[IMAGE]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[J:.*]] = tensor.concat dim(3) %[[C]], %[[T]]
// CHECK-SAME:      (tensor<?x?x?x16xf32>, tensor<?x?x?x8xf32>) -> tensor<?x?x?x24xf32>
// CHECK:         %[[P:.*]] = tensor.extract_slice %[[J]][0, 1, 0, 4] [%{{.*}}, %{{.*}}, %{{.*}}, 8] [1, 2, 1, 1]
// CHECK:         %[[R:.*]] = linalg.transpose ins(%[[P]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         return %[[R]]
func.func @side_by_side(%x: tensor<?x8x?x?xf32>, %w: tensor<16x8x1x1xf32>, %c: tensor<?x16x?x?xf32>, %n: index, %h: index, %v: index) -> tensor<?x8x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x?x?xf32>, tensor<16x8x1x1xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %j = tensor.concat dim(1) %0, %x : (tensor<?x16x?x?xf32>, tensor<?x8x?x?xf32>) -> tensor<?x24x?x?xf32>
  %p = tensor.extract_slice %j[0, 4, 1, 0] [%n, 8, %h, %v] [1, 1, 2, 1] : tensor<?x24x?x?xf32> to tensor<?x8x?x?xf32>
  return %p : tensor<?x8x?x?xf32>
}

// -----

// Of three dimensions, moving there and back are the same: with an image that is not
// moved, nothing changes.
// CHECK-LABEL: func.func @lines(
// CHECK:         tensor.concat dim(1) {{.*}} -> tensor<?x24x?xf32>
func.func @lines(%x: tensor<?x8x?xf32>, %w: tensor<16x8x1xf32>, %c: tensor<?x16x?xf32>) -> tensor<?x24x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x16x?xf32>) -> tensor<?x16x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, v, c, j) -> (n, c, v + j)>, affine_map<(n, f, v, c, j) -> (f, c, j)>,
                                        affine_map<(n, f, v, c, j) -> (n, f, v)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x?xf32>, tensor<16x8x1xf32>) outs(%f : tensor<?x16x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?xf32>
  %j = tensor.concat dim(1) %0, %x : (tensor<?x16x?xf32>, tensor<?x8x?xf32>) -> tensor<?x24x?xf32>
  return %j : tensor<?x24x?xf32>
}

// -----

// What a body computes from places, and reads at places, follows the order of its
// loops: here every second line of an image, doubled in line 0, between equal numbers.
// CHECK-LABEL: func.func @places(
// CHECK:         %[[C:.*]] = linalg.generic
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[G:.*]] = linalg.generic
// CHECK:           %[[N:.*]] = linalg.index 0 : index
// CHECK:           %[[F:.*]] = linalg.index 3 : index
// CHECK:           %[[H:.*]] = linalg.index 1 : index
// CHECK:           %[[V:.*]] = linalg.index 2 : index
// CHECK:           %[[LINE:.*]] = arith.muli %[[H]], %c2
// CHECK:           tensor.extract %[[C]][%[[N]], %[[LINE]], %[[V]], %[[F]]]
// CHECK:         %[[E:.*]] = linalg.generic {{.*}} ins(%[[G]] : tensor<?x?x?x16xf32>)
// CHECK:           %[[H:.*]] = linalg.index 1 : index
// CHECK:           arith.cmpi eq, %[[H]], %c0
// CHECK:         %[[AROUND:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<?x?x?x16xf32>)
// CHECK:         %[[I:.*]] = tensor.insert_slice %[[E]] into %[[AROUND]][0, %{{.*}}, 1, 0]
// CHECK:         %[[R:.*]] = linalg.transpose ins(%[[I]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         return %[[R]]
func.func @places(%x: tensor<?x8x?x?xf32>, %w: tensor<16x8x1x1xf32>, %c: tensor<?x16x?x?xf32>, %g: tensor<?x16x?x?xf32>,
                  %n: index, %h: index, %v: index, %o: index) -> tensor<?x16x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x?x?xf32>, tensor<16x8x1x1xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %half = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, h, w)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%g : tensor<?x16x?x?xf32>) {
  ^bb0(%s: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %line = arith.muli %i2, %c2 : index
    %e = tensor.extract %0[%i0, %i1, %line, %i3] : tensor<?x16x?x?xf32>
    linalg.yield %e : f32
  } -> tensor<?x16x?x?xf32>
  %first = linalg.generic {indexing_maps = [affine_map<(n, f, h, w) -> (n, f, h, w)>, affine_map<(n, f, h, w) -> (n, f, h, w)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%half : tensor<?x16x?x?xf32>) outs(%g : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %i2 = linalg.index 2 : index
    %is = arith.cmpi eq, %i2, %c0 : index
    %twice = arith.addf %a, %a : f32
    %e = arith.select %is, %twice, %a : f32
    linalg.yield %e : f32
  } -> tensor<?x16x?x?xf32>
  %around = linalg.fill ins(%zero : f32) outs(%c : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %r = tensor.insert_slice %first into %around[0, 0, %o, 1] [%n, 16, %h, %v] [1, 1, 1, 1] : tensor<?x16x?x?xf32> into tensor<?x16x?x?xf32>
  return %r : tensor<?x16x?x?xf32>
}
