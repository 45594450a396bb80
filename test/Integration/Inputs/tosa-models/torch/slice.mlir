module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x7xf32> {tosa.tensor_name = "arguments_0"}) -> (tensor<?x2xf32> {tosa.tensor_name = "tosa_slice_default"}) {
    %0 = tosa.const_shape  {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.dim %arg0 {axis = 0 : i32} : (tensor<?x7xf32>) -> !tosa.shape<1>
    %2 = tosa.const_shape  {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
    %3 = tosa.concat_shape %1, %2 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
    %4 = tosa.slice %arg0, %0, %3 : (tensor<?x7xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x2xf32>
    return %4 : tensor<?x2xf32>
  }
}

