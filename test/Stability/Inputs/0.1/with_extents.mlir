// call: 2x4xf32=iota index=2
// prints: 2x4xf32: [[0, 1, 2, 3], [4, 5, 6, 7]]
func.func @main(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = symshape.with_extents %x [%n, 4] : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
