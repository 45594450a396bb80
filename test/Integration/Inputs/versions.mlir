// max(x + y, 0) times w, with versions for one row, for whole blocks of rows, and
// for one such block.
func.func @main(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[L, 8]>}, %y: tensor<?x8xf32>,
                %w: tensor<8x40xf32>) -> tensor<?x40xf32>
    attributes {symshape.versions = [#symshape.version<"decode", ["L == 1"]>, #symshape.version<"blocks", ["16 | L"]>,
                                     #symshape.version<"block", ["L == 32"]>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %s = linalg.add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.max ins(%s, %none : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %f = tensor.empty(%m) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.matmul ins(%p, %w : tensor<?x8xf32>, tensor<8x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
