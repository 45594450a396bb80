// RUN: symshape-opt %s --symshape-pad-to-static -o %t --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --symshape-pad-to-static -o %t --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=GUARDED

// Operands that are padded to one extent need not agree any more.
// CHECK:       remark: [Passed] facts | Category:symshape-pad-to-static
// GUARDED-NOT: facts | Category:symshape-pad-to-static
func.func @f(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %n: index) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 6]>, #symshape.symbol<"M", range = [0, 6]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> tensor<?xf32> {
    %s = linalg.add ins(%z, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
