// Rows of two matrices, one below the other.
func.func @rows(%q: tensor<?x16xf32> {symshape.shape = #symshape.shape<[B, 16]>},
                %k: tensor<?x16xf32> {symshape.shape = #symshape.shape<["s1 + 1", 16]>},
                %mask: tensor<?xf32>) -> tensor<?x16xf32>
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [0, 64]>]} {
  %c0 = arith.constant 0 : index
  %both = tensor.concat dim(0) %q, %k : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %rows = tensor.dim %both, %c0 : tensor<?x16xf32>
  %flat = tensor.collapse_shape %both [[0, 1]] : tensor<?x16xf32> into tensor<?xf32>
  %sum = linalg.add ins(%mask, %flat : tensor<?xf32>, tensor<?xf32>) outs(%flat : tensor<?xf32>) -> tensor<?xf32>
  %n = call @count(%sum, %rows) : (tensor<?xf32>, index) -> index
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  return %empty : tensor<?x16xf32>
}

func.func private @count(%x: tensor<?xf32>, %n: index) -> index {
  %square = arith.muli %n, %n : index
  return %square : index
}
