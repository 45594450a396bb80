// call: 2x3xf32=iota
// prints: 2x3xf32: [[2, 1, 0], [5, 4, 3]]
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}) -> tensor<?x?xf32> {
  %0 = symshape.reverse %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
