func.func @main(%t: tensor<0x?xf32>) -> tensor<?xf32> { %c = tensor.collapse_shape %t [[0,1]] : tensor<0x?xf32> into tensor<?xf32>
 return %c : tensor<?xf32> }
