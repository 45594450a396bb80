// call: 2x3xf32=iota 2x3xf32=iota
// prints: 2x3xf32: [[0, 1, 2], [3, 4, 5]]
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>}, %y: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c = tensor.dim %y, %c0 : tensor<?x?xf32>
  symshape.assert "C == D" (%b, %c), "batches must agree"
  symshape.assert "B <= 8", "by symbol"
  return %x : tensor<?x?xf32>
}
