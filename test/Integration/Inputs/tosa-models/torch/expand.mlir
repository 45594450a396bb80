module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<1x7xf32> {tosa.tensor_name = "arguments_0"}, %arg1: tensor<?x2xf32> {tosa.tensor_name = "arguments_1"}) -> (tensor<?x7xf32> {tosa.tensor_name = "tosa_add_default"}) {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %1 = tosa.dim %arg1 {axis = 0 : i32} : (tensor<?x2xf32>) -> !tosa.shape<1>
    %2 = tosa.const_shape  {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %3 = tosa.concat_shape %1, %2 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
    %4 = tosa.tile %arg0, %3 : (tensor<1x7xf32>, !tosa.shape<2>) -> tensor<?x7xf32>
    %5 = tosa.add %4, %0 : (tensor<?x7xf32>, tensor<1x1xf32>) -> tensor<?x7xf32>
    return %5 : tensor<?x7xf32>
  }
}

