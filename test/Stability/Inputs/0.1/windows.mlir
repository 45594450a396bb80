// call: 1x4x1xf32=iota f32=9
// prints: 1x2x3x1xf32: [[[[9], [0], [1]], [[1], [2], [3]]]]
func.func @main(%x: tensor<1x?x1xf32>, %v: f32) -> tensor<1x?x3x1xf32> {
  %0 = symshape.windows %x, %v kernel [3] low [1] high [0] stride [2] dilation [1] spread [1]
      : tensor<1x?x1xf32> to tensor<1x?x3x1xf32>
  return %0 : tensor<1x?x3x1xf32>
}
