// A product with a weight, for at most 8 rows; call_bundle.c calls it.
func.func @main(%a: tensor<?x64xf32> {symshape.shape = #symshape.shape<[N, 64]>},
                %w: tensor<64x48xf32> {symshape.weight = "w"}) -> tensor<?x48xf32>
    attributes {symshape.assume = [#symshape.fact<"N <= 8">]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<?x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%a, %w : tensor<?x64xf32>, tensor<64x48xf32>) outs(%init : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
