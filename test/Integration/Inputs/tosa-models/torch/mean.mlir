module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x?xf32> {tosa.tensor_name = "arguments_0"}) -> (tensor<?xf32> {tosa.tensor_name = "tosa_reshape_default_2"}) {
    %0 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.dim %arg0 {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
    %2 = tosa.dim %arg0 {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
    %3 = tosa.const_shape  {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %4 = tosa.concat_shape %3, %3, %1, %2 : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<4>
    %5 = tosa.reshape %arg0, %4 : (tensor<?x?xf32>, !tosa.shape<4>) -> tensor<1x1x?x?xf32>
    %6 = tosa.reduce_sum %5 {axis = 3 : i32} : (tensor<1x1x?x?xf32>) -> tensor<1x1x?x1xf32>
    %7 = tosa.tile %0, %2 : (tensor<1xf32>, !tosa.shape<1>) -> tensor<?xf32>
    %8 = tosa.reduce_sum %7 {axis = 0 : i32} : (tensor<?xf32>) -> tensor<1xf32>
    %9 = tosa.const_shape  {values = dense<1> : tensor<4xindex>} : () -> !tosa.shape<4>
    %10 = tosa.reshape %8, %9 : (tensor<1xf32>, !tosa.shape<4>) -> tensor<1x1x1x1xf32>
    %11 = tosa.reciprocal %10 : (tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = tosa.mul %6, %11, %12 : (tensor<1x1x?x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x?x1xf32>
    %14 = tosa.reshape %13, %1 : (tensor<1x1x?x1xf32>, !tosa.shape<1>) -> tensor<?xf32>
    return %14 : tensor<?xf32>
  }
}

