// call: index=6
// prints: 3xi64: [1, 3, 5]
// prints: 4xindex: [8, 6, 4, 2]
func.func @main(%n: index) -> (tensor<?xi64>, tensor<4xindex>) {
  %0 = symshape.iota [1, %n, 2] : tensor<?xi64>
  %1 = symshape.iota [8, 0, -2] : tensor<4xindex>
  return %0, %1 : tensor<?xi64>, tensor<4xindex>
}
