#map = affine_map<()[s0] -> (s0 * 2)>
module {
  func.func @main(%arg0: tensor<?x2x?x8xf32>, %arg1: tensor<?x2x?x8xf32>, %arg2: tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<?x2x?x8xf32> into tensor<?x?x8xf32>
    %collapsed_0 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<?x2x?x8xf32> into tensor<?x?x8xf32>
    %collapsed_1 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<?x2x?x8xf32> into tensor<?x?x8xf32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x2x?x8xf32>
    %0 = affine.apply #map()[%dim]
    %dim_2 = tensor.dim %arg0, %c2 : tensor<?x2x?x8xf32>
    %1 = tensor.empty(%0, %dim_2) : tensor<?x?x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %3 = tm_tensor.attention ins(%collapsed, %collapsed_0, %collapsed_1 : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) outs(%2 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %dim_3 = tensor.dim %3, %c0 : tensor<?x?x8xf32>
    %4 = arith.divsi %dim_3, %c2 : index
    %expanded = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [%4, 2, %dim_2, 8] : tensor<?x?x8xf32> into tensor<?x2x?x8xf32>
    return %expanded : tensor<?x2x?x8xf32>
  }
}
