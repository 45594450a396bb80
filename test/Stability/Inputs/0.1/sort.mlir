// call: 2x2xf32=iota
// prints: 2x2xf32: [[0, 1], [2, 3]]
// prints: 2x2xi64: [[0, 0], [1, 1]]
func.func @main(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  %0, %1 = symshape.sort %x axis 0 : tensor<?x2xf32>, tensor<?x2xi64>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xi64>
}
