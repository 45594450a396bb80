// call: 2x2xf32=iota
// prints: 2x2xf32: [[0, 1], [2, 5]]
// prints: 2x2xf32: [[2, 4], [2, 3]]
func.func @main(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %0 = symshape.cumsum %x axis 1 : tensor<?x2xf32>
  %1 = symshape.cumsum %x axis 0 reverse : tensor<?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}
