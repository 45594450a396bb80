// call: 1x4xf32=iota index=2
// prints: 2x4xf32: [[0, 1, 2, 3], [0, 1, 2, 3]]
func.func @main(%x: tensor<1x?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = symshape.broadcast %x to [%n, 4] dims [0, 1] expanding [0] : tensor<1x?xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
