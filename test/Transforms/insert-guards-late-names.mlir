// RUN: symshape-opt %s --symshape-insert-guards -o %t --remarks-filter='symshape-.*' 2>&1 | FileCheck %s

// Names that assumptions mention before an op in the body says what they are: what
// is proved rests on the assumptions, each of which is guarded.
// CHECK-DAG: Remark="guard: extent of argument #1 dim 0 (s0) must be at most extent of argument #0 dim 0 (M)"
// CHECK-DAG: Remark="guard: extent of argument #2 dim 0 (s1) must be at most extent of argument #1 dim 0 (s0)"
// CHECK-DAG: Remark="guard: extent of argument #0 dim 0 (M) must be at most 8"
// CHECK-DAG: Remark="guard: extent of argument #2 dim 0 (s1) must be at most 7"
// CHECK:     Remark="3 requirements proved, 4 entry guards, 0 checks before ops"
func.func @late_names(%w: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                      %t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N">, #symshape.symbol<"K">],
                symshape.assume = [#symshape.fact<"N <= M">, #symshape.fact<"K <= N">,
                                   #symshape.fact<"M <= 8">]} {
  %a = symshape.bind_shape %t [N] : tensor<?xf32>
  %b = symshape.bind_shape %u [K] : tensor<?xf32>
  symshape.assert "K <= 8", "proved"
  symshape.assert "K <= 7", "needed"
  return %b : tensor<?xf32>
}
