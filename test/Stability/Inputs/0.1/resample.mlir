// call: 3x2xf32=iota 2x4xi64=iota 2x4xf32=iota
// prints: 4x2xf32: [[16, 20], [22, 28], [32, 40], [40, 50]]
func.func @main(%x: tensor<3x?xf32>, %p: tensor<2x?xi64>, %w: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %0 = symshape.resample %x along [0] at %p weights %w
      : tensor<3x?xf32> at tensor<2x?xi64> weights tensor<2x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
