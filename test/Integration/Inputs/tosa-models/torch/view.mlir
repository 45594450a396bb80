module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x3x4xf32> {tosa.tensor_name = "input_1"}) -> (tensor<?x12xf32> {tosa.tensor_name = "tosa_reshape_default"}) {
    %0 = tosa.dim %arg0 {axis = 0 : i32} : (tensor<?x3x4xf32>) -> !tosa.shape<1>
    %1 = tosa.const_shape  {values = dense<12> : tensor<1xindex>} : () -> !tosa.shape<1>
    %2 = tosa.concat_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
    %3 = tosa.reshape %arg0, %2 : (tensor<?x3x4xf32>, !tosa.shape<2>) -> tensor<?x12xf32>
    return %3 : tensor<?x12xf32>
  }
}

