// call: 3x3xf32=iota index=7 index=2
// prints: 2x2xf32: [[4, 5], [7, 8]]
func.func @main(%x: tensor<?x?xf32>, %i: index, %n: index) -> tensor<2x?xf32> {
  %0 = symshape.dynamic_slice %x[%i, %i] sizes [2, %n] : tensor<?x?xf32> to tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
