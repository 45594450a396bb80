// call: 2x4xi8=iota 2x2xf32=iota 2x2xi8=iota
// prints: 2x7xf32: [[0, 0, 0, 0, 1, -1, 2], [4, -4, 6, -4, 9, -9, 12]]
func.func @main(%q: tensor<?x4xi8>, %s: tensor<?x2xf32>, %z: tensor<?x2xi8>) -> tensor<?x7xf32> {
  %0 = symshape.dequantize %q scales %s zeros %z bits 4 block 4
      : tensor<?x4xi8>, tensor<?x2xf32>, tensor<?x2xi8> to tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
