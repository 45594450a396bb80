// call: 2x3xf32=iota
// prints: 5x2xindex: [[0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x2xindex> {
  %0 = symshape.nonzero %x : tensor<?x3xf32> to tensor<?x2xindex>
  return %0 : tensor<?x2xindex>
}
