// call: 2x3xf32=iota f32=9
// prints: 3x4xf32: [[9, 9, 9, 9], [1, 9, 2, 9], [4, 9, 5, 9]]
func.func @main(%x: tensor<?x3xf32>, %v: f32) -> tensor<?x?xf32> {
  %0 = symshape.pad %x, %v low [1, -2] high [0, 1] interior [0, 1] : tensor<?x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
