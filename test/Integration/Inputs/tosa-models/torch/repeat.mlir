module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x?xf32> {tosa.tensor_name = "arguments_0"}) -> (tensor<?x?xf32> {tosa.tensor_name = "tosa_tile_default"}) {
    %0 = tosa.const_shape  {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.tile %arg0, %0 : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
}

