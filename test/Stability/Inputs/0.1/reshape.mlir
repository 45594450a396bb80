// call: 1x6xf32=iota index=3
// prints: 2x3xf32: [[0, 1, 2], [3, 4, 5]]
func.func @main(%x: tensor<1x?xf32>, %m: index) -> tensor<2x?xf32> {
  %0 = symshape.reshape %x to [2, %m] : tensor<1x?xf32> to tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
