// Three programs that stock MLIR lowers to code that reads out of bounds or
// computes something else when the extents do not fit; what they need has to be
// checked at entry. check_tosa.py lowers them to linalg by upstream passes.

func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

func.func @rows(%x: tensor<?x4xf32>) -> tensor<3x?xf32> {
  %shape = tosa.const_shape {values = dense<[3, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.reshape %x, %shape : (tensor<?x4xf32>, !tosa.shape<2>) -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

func.func @product(%x: tensor<1x2x?xf32>, %y: tensor<1x?x2xf32>) -> tensor<1x2x2xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %z = tosa.matmul %x, %y, %zp, %zp : (tensor<1x2x?xf32>, tensor<1x?x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  return %z : tensor<1x2x2xf32>
}
