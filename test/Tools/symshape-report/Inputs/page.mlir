// What a page can show: versions, guards, checks, unknown extents, loops, calls, weights.
func.func @main(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[L, 8]>},
                %y: tensor<?x?xf32>, %w: tensor<8x16xf32> {symshape.weight = "w"},
                %flags: tensor<?xi1> {symshape.shape = #symshape.shape<[L]>}, %n: index)
    -> (tensor<?x16xf32>, tensor<?x1xindex>, tensor<?x8xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"L", range = [0, 4096], likely = [24]>],
                symshape.versions = [#symshape.version<"one", ["L == 1"]>,
                                     #symshape.version<"blocks", ["16 | L"]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = arith.addf %x, %x : tensor<?x8xf32>
  %product = call @product(%sum, %w) : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %places = symshape.nonzero %flags : tensor<?xi1> to tensor<?x1xindex>
  %head = tensor.extract_slice %y[0, 0] [%n, 8] [1, 1] : tensor<?x?xf32> to tensor<?x8xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%value = %head) -> (tensor<?x8xf32>) {
    %twice = arith.addf %value, %head : tensor<?x8xf32>
    scf.yield %twice : tensor<?x8xf32>
  }
  return %product, %places, %last : tensor<?x16xf32>, tensor<?x1xindex>, tensor<?x8xf32>
}
func.func private @product(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
