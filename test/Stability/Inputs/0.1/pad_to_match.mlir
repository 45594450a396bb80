// call: 3xf32=iota index=5
// prints: 5xf32: [0, 1, 2, 0, 0]
func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = symshape.pad_to_match %x, %n axis 0 : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
