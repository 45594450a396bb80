module attributes {tosa.description = "TOSA FBS Converted", tosa.fbs_version = "1.1.0d"} {
  func.func @main(%arg0: tensor<?x?xf32> {tosa.tensor_name = "input_1"}) -> (tensor<?x?xf32> {tosa.tensor_name = "tosa_mul_default"}) {
    %0 = tosa.reduce_max %arg0 {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?x1xf32>
    %1 = tosa.sub %arg0, %0 : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
    %2 = tosa.exp %1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
    %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?x1xf32>
    %4 = tosa.reciprocal %3 : (tensor<?x1xf32>) -> tensor<?x1xf32>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = tosa.mul %2, %4, %5 : (tensor<?x?xf32>, tensor<?x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
    return %6 : tensor<?x?xf32>
  }
}

