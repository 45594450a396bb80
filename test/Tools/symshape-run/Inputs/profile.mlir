// A product, a sum of rows in a place of its own, and an elementwise op that has no other place.
func.func @main(%x: tensor<?x96xf32> {symshape.shape = #symshape.shape<["n", 96]>},
                %w: tensor<96x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x96xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %product = linalg.matmul ins(%x, %w : tensor<?x96xf32>, tensor<96x64xf32>)
      outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %rows = tensor.empty(%n) : tensor<?xf32>
  %first = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%product : tensor<?x64xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  return %product, %sum : tensor<?x64xf32>, tensor<?xf32>
}
