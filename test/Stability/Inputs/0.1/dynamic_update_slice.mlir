// call: 1x2xf32=iota 2x3xf32=iota index=1
// prints: 2x3xf32: [[0, 1, 2], [3, 0, 1]]
func.func @main(%u: tensor<1x?xf32>, %x: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32> {
  %0 = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<1x?xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
