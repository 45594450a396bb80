#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<?x?xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<?x?xi64>) {
    ^bb0(%out: i64):
      %7 = linalg.index 1 : index
      %8 = arith.index_cast %7 : index to i64
      linalg.yield %8 : i64
    } -> tensor<?x?xi64>
    %2:2 = tm_tensor.sort dimension(1) outs(%arg0, %1 : tensor<?x?xf32>, tensor<?x?xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %7 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %7 : i1
    } -> tensor<?x?xf32>, tensor<?x?xi64>
    %3 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %5 = tensor.empty(%dim) : tensor<?xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<?xf32>) -> tensor<?xf32>
    %9:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%2#0 : tensor<?x?xf32>) outs(%4, %6 : tensor<?x?xf32>, tensor<?xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %10 = arith.addf %arg1, %arg2 : f32
      tm_tensor.yield %10 : f32
    } -> tensor<?x?xf32>, tensor<?xf32>
    return %2#0, %2#1, %9#0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  }
}
