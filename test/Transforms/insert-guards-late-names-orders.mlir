// RUN: symshape-opt %s --symshape-insert-guards -o %t --remarks-filter='symshape-.*' 2>&1 | FileCheck %s

// Names that assumptions mention, bound in other orders and places: what is proved
// rests on guards, and no assertion is taken for proved that is not.

// CHECK-DAG: Remark="guard: extent of argument #1 dim 0 (s0) must be at most extent of argument #0 dim 0 (M)"
// CHECK-DAG: Remark="guard: extent of argument #2 dim 0 (s1) must be at most extent of argument #1 dim 0 (s0)"
// CHECK-DAG: Remark="guard: extent of argument #0 dim 0 (M) must be at most 8"
// CHECK-DAG: Remark="guard: extent of argument #2 dim 0 (s1) must be at most 6"
// CHECK:     Remark="guard: extent of argument #1 dim 0 (s0) must be at most extent of argument #0 dim 0 (M)"
// CHECK:     Remark="guard: extent of argument #2 dim 0 (s1) must be at most s0 + 1
// CHECK:     Remark="guard: extent of argument #0 dim 0 (M) must be at most 8"
// CHECK:     Remark="guard: extent of argument #2 dim 0 (s1) must be at most 5"
// CHECK:     Remark="guard: extent of argument #0 dim 0 (M) must be at least 5"
// CHECK:     Remark="guard: extent of argument #2 dim 0 (s0) must equal 10"
// CHECK:     Remark="guard: extent of argument #0 dim 0 (M) must be at most 20"
// CHECK:     Remark="13 requirements proved, 11 entry guards, 0 checks before ops"

// The last name of the chain first.
func.func @reverse(%w: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                   %t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N">, #symshape.symbol<"K">],
                symshape.assume = [#symshape.fact<"N <= M">, #symshape.fact<"K <= N">,
                                   #symshape.fact<"M <= 8">]} {
  %b = symshape.bind_shape %u [K] : tensor<?xf32>
  symshape.assert "K <= 8", "proved"
  %a = symshape.bind_shape %t [N] : tensor<?xf32>
  symshape.assert "N <= 8", "proved"
  symshape.assert "K <= 6", "needed"
  return %b : tensor<?xf32>
}

// A name that is bound inside of a branch, and another one after it.
func.func @branch(%w: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                  %t: tensor<?xf32>, %u: tensor<?xf32>, %c: i1) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N">, #symshape.symbol<"K">],
                symshape.assume = [#symshape.fact<"N <= M">, #symshape.fact<"K <= N + 1">,
                                   #symshape.fact<"M <= 8">]} {
  scf.if %c {
    %a = symshape.bind_shape %t [N] : tensor<?xf32>
    symshape.assert "N <= 8", "proved"
  }
  %b = symshape.bind_shape %u [K] : tensor<?xf32>
  symshape.assert "K <= 9", "proved"
  symshape.assert "K <= 5", "needed"
  return %b : tensor<?xf32>
}

// A name of an extent that the type says, and one of a multiple.
func.func @static(%w: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                  %t: tensor<5xf32>, %u: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N">, #symshape.symbol<"K">],
                symshape.assume = [#symshape.fact<"N <= M">, #symshape.fact<"K == 2*N">]} {
  symshape.assert "2 | K", "proved"
  %a = symshape.bind_shape %t [N] : tensor<5xf32>
  symshape.assert "5 <= M", "proved"
  %b = symshape.bind_shape %u [K] : tensor<?xf32>
  symshape.assert "K == 10", "proved"
  symshape.assert "M <= 20", "needed"
  return %b : tensor<?xf32>
}
