// RUN: symshape-report %s --shape="N=33" | FileCheck %s

// Sizes that are computed with more than 64 bits have the expressions that they are
// computed from.

// Positive: a quotient, in the name of the signature.
// CHECK:      @half: (N)
// CHECK:        arena: 64*((max(0, (N + 1) floordiv 2) + 15) floordiv 16) bytes
// CHECK-NEXT:     here arena: 128 bytes
#r = affine_map<(i) -> (i)>
#rc = affine_map<(i, j) -> (i, j)>
func.func @half(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %h = symshape.size "(N + 1) floordiv 2" (N = %n)
  %e = tensor.empty(%h) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#r], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %e2 = tensor.empty(%h) : tensor<?x4xf32>
  %b = linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]} outs(%e2 : tensor<?x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %a[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}
