// A product with batches, terms along two loops, and what follows it.
func.func @blocks(%a: tensor<?x?x?x?xbf16> {symshape.shape = #symshape.shape<[B, J, M, K]>},
                  %b: tensor<?x?x?xbf16> {symshape.shape = #symshape.shape<[J, K, N]>},
                  %bias: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %a, %c0 : tensor<?x?x?x?xbf16>
  %m = tensor.dim %a, %c2 : tensor<?x?x?x?xbf16>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xbf16>
  %empty = tensor.empty(%batch, %m, %n) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, m, n, j, k) -> (i, j, m, k)>,
                                           affine_map<(i, m, n, j, k) -> (j, k, n)>,
                                           affine_map<(i, m, n, j, k) -> (i, m, n)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<?x?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %wide_x = arith.extf %x : bf16 to f32
    %wide_y = arith.extf %y : bf16 to f32
    %p = arith.mulf %wide_x, %wide_y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %out = tensor.empty(%batch, %m, %n) : tensor<?x?x?xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, m, n) -> (i, m, n)>, affine_map<(i, m, n) -> (n)>,
                                        affine_map<(i, m, n) -> (i, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums, %bias : tensor<?x?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %t = arith.addf %x, %y : f32
    %u = arith.maximumf %t, %zero : f32
    %v = arith.truncf %u : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<?x?x?xbf16>
  return %r : tensor<?x?x?xbf16>
}
