// call: 2x3xf32=iota
// prints: index: 12
// prints: index: 2
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>}) -> (index, index) {
  %c1 = arith.constant 1 : index
  %l = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = symshape.size "n * n + 3" (%l)
  %1 = symshape.size "(n + 1) floordiv 2" (%l)
  return %0, %1 : index, index
}
