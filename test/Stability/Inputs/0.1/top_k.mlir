// call: 2x4xf32=iota index=2
// prints: 2x2xf32: [[3, 2], [7, 6]]
// prints: 2x2xi32: [[3, 2], [3, 2]]
func.func @main(%x: tensor<?x4xf32>, %k: index) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %0, %1 = symshape.top_k %x, %k axis 1 : tensor<?x4xf32> to tensor<?x?xf32>, tensor<?x?xi32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xi32>
}
