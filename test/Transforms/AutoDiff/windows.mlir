// RUN: symshape-opt %s --symshape-linearize="function=conv wrt=0,1" --symshape-transpose=function=conv | FileCheck %s
// RUN: symshape-opt %s --symshape-linearize="function=pool wrt=0" --symshape-transpose=function=pool | FileCheck %s --check-prefix=POOL

// By the image: windows overlap, so iterations of both of its loops meet in one
// element. By the filter: each of its axes is a loop.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3, d4)>
// CHECK-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK: func.func @conv.transpose(
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #[[RESULT]], #[[IMAGE]]], iterator_types = ["parallel", "reduction", "reduction", "reduction", "parallel"]}
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #[[RESULT]], #[[FILTER]]], iterator_types = ["reduction", "reduction", "parallel", "parallel", "parallel"]}
func.func @conv(%x: tensor<1x?x3xf64>, %k: tensor<?x3x4xf64>, %y: tensor<1x?x4xf64>) -> tensor<1x?x4xf64> {
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
      ins(%x, %k : tensor<1x?x3xf64>, tensor<?x3x4xf64>) outs(%y : tensor<1x?x4xf64>) -> tensor<1x?x4xf64>
  return %r : tensor<1x?x4xf64>
}

// The window has no elements that matter: its extent is a residual, it is not.
// POOL: func.func @pool.fwd({{.*}}) -> (tensor<1x?x3xf64>, index, index, index)
// POOL: func.func @pool.lin(%{{.*}}: index, %[[W:.*]]: index, %{{.*}}: index,
// POOL: tensor.empty(%[[W]]) : tensor<?xf64>
func.func @pool(%x: tensor<1x?x3xf64>, %w: tensor<?xf64>, %y: tensor<1x?x3xf64>) -> tensor<1x?x3xf64> {
  %r = linalg.pooling_nwc_sum ins(%x, %w : tensor<1x?x3xf64>, tensor<?xf64>)
      outs(%y : tensor<1x?x3xf64>) -> tensor<1x?x3xf64>
  return %r : tensor<1x?x3xf64>
}
