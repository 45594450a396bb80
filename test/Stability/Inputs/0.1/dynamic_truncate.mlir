// call: 3x2xf32=iota index=2
// prints: 2x2xf32: [[0, 1], [2, 3]]
func.func @main(%x: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x2xf32> to tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
