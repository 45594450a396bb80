func.func @scores(
    %q: tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, L, 64]>},
    %k: tensor<?x64x?xf32> {symshape.shape = #symshape.shape<[B, 64, S]>})
    -> (tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[B, L, S]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %q, %c0 : tensor<?x?x64xf32>
  %L = tensor.dim %q, %c1 : tensor<?x?x64xf32>
  %S = tensor.dim %k, %c2 : tensor<?x64x?xf32>
  %empty = tensor.empty(%B, %L, %S) : tensor<?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%q, %k : tensor<?x?x64xf32>, tensor<?x64x?xf32>)
      outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
