func.func private @symbols() attributes {symshape.symbols = [
    #symshape.symbol<"a">, #symshape.symbol<"b", range = [-inf, inf]>,
    #symshape.symbol<"c", range = [-8, -2], residue = [3, 5]>, #symshape.symbol<"d", policy = static>,
    #symshape.symbol<"e", policy = auto>]}
func.func private @expressions(
    tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[2*L + 1, L floordiv 2, bc(A, B), min(A, max(B, 3))]>},
    memref<?x0xf32> {symshape.shape = #symshape.shape<["L - 1", 0]>},
    tensor<f32> {symshape.shape = #symshape.shape<[]>},
    tensor<?x?xf32> {symshape.shape = #symshape.shape<["%q.0", "\22batch size\22"]>},
    tensor<?x4xf32> {symshape.shape = #symshape.shape<[?, 4]>, symshape.weight = "layer.weight"})
func.func @annotated(%n: index) -> tensor<?xf32> {
  %0 = tensor.empty(%n) {symshape.extents = [#symshape.shape<["<= 4"]>]} : tensor<?xf32>
  return %0 : tensor<?xf32>
}
