// call: 2x3xf32=iota
// prints: 2x3xf32: [[0, 1, 2], [3, 4, 5]]
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}) -> tensor<?x?xf32> {
  %0 = symshape.stop_gradient %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
