module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x?xf32> {tosa.tensor_name = "arguments_0"}) -> (tensor<?x?xf32> {tosa.tensor_name = "tosa_pad_default"}) {
    %0 = tosa.const_shape  {values = dense<[0, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.pad %arg0, %0, %1 : (tensor<?x?xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<?x?xf32>
    return %2 : tensor<?x?xf32>
  }
}

