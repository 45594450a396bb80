// call: 2x3xf32=iota
// prints: 2x3xf32: [[0, 1, 2], [3, 4, 5]]
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = symshape.bind_shape %x [B, L] : tensor<?x?xf32>
  %1 = symshape.bind_shape %0 [<= max(B, 8), ?] {note} : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
