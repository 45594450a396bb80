module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<2x3x?x?xf32> {tosa.tensor_name = "input_1"}) -> (tensor<2x3x1x1xf32> {tosa.tensor_name = "tosa_mul_default"}) {
    %0 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %1 = tosa.reduce_sum %arg0 {axis = 3 : i32} : (tensor<2x3x?x?xf32>) -> tensor<2x3x?x1xf32>
    %2 = tosa.reduce_sum %1 {axis = 2 : i32} : (tensor<2x3x?x1xf32>) -> tensor<2x3x1x1xf32>
    %3 = tosa.dim %arg0 {axis = 3 : i32} : (tensor<2x3x?x?xf32>) -> !tosa.shape<1>
    %4 = tosa.dim %arg0 {axis = 2 : i32} : (tensor<2x3x?x?xf32>) -> !tosa.shape<1>
    %5 = tosa.concat_shape %3, %4 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
    %6 = tosa.tile %0, %5 : (tensor<1x1xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
    %7 = tosa.reduce_sum %6 {axis = 0 : i32} : (tensor<?x?xf32>) -> tensor<1x?xf32>
    %8 = tosa.reduce_sum %7 {axis = 1 : i32} : (tensor<1x?xf32>) -> tensor<1x1xf32>
    %9 = tosa.const_shape  {values = dense<1> : tensor<4xindex>} : () -> !tosa.shape<4>
    %10 = tosa.reshape %8, %9 : (tensor<1x1xf32>, !tosa.shape<4>) -> tensor<1x1x1x1xf32>
    %11 = tosa.reciprocal %10 : (tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = tosa.mul %2, %11, %12 : (tensor<2x3x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x1x1xf32>
    return %13 : tensor<2x3x1x1xf32>
  }
}

