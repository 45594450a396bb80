// RUN: symshape-opt %s --symshape-channels-last | FileCheck %s

// What stands beside a convolution keeps what it means: upstream's folders take a
// reshape of nothing for its source, and make constants of open types.
// CHECK-LABEL: func.func @beside(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK-DAG:     tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [0, %[[B]]]
// CHECK-DAG:     arith.cmpi eq, %{{.*}} : tensor<?xi32>
// CHECK-DAG:     linalg.transpose
func.func @beside(%x: tensor<?x3x?x?xf32>, %w: tensor<16x3x3x3xf32>, %f: tensor<?x16x?x?xf32>, %none: tensor<0x?xf32>, %b: index, %i: tensor<?xi32>)
    -> (tensor<?x16x?x?xf32>, tensor<0x?xf32>, tensor<?xi1>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                        affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%a: f32, %v: f32, %s: f32):
    %m = arith.mulf %a, %v : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %flat = tensor.collapse_shape %none [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %again = tensor.expand_shape %flat [[0, 1]] output_shape [0, %b] : tensor<?xf32> into tensor<0x?xf32>
  %same = arith.cmpi eq, %i, %i : tensor<?xi32>
  return %0, %again, %same : tensor<?x16x?x?xf32>, tensor<0x?xf32>, tensor<?xi1>
}
