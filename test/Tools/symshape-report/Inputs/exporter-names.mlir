// Names that tools give to extents when they export; `rows` is a person's.
func.func @main(%x: tensor<?x?x4xf32> {symshape.shape = #symshape.shape<["unk__7", "p2o.DynamicDimension.1", 4]>},
                %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[rows, "unk__71"]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [%a, %b, 1] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x?xf32>
  %r = arith.addf %s, %y : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
