// RUN: symshape-opt %s --symshape-erase-annotations --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ANNOTATIONS
// RUN: symshape-opt %s --symshape-expand-ops --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: symshape-opt %s --symshape-lower-runtime-checks --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=CHECKS
// RUN: symshape-opt %s --symshape-specialize --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=VERSIONS
// RUN: symshape-opt %s --symshape-canonicalize --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: symshape-opt %s --symshape-fuse-elementwise --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FUSES
// RUN: symshape-opt %s --symshape-insert-guards --symshape-fuse-elementwise --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=GUARDED

// A pass after which less is known of shapes says so.
// ANNOTATIONS: remark: [Passed] facts | Category:symshape-erase-annotations | Remark="erases what is declared of shapes"
// OPS:         remark: [Passed] facts | Category:symshape-expand-ops | Remark="erases what is said of shapes, and what checks establish is not known any more"
// CHECKS:      remark: [Passed] facts | Category:symshape-lower-runtime-checks | Remark="what checks establish is not known any more"
// VERSIONS:    remark: [Passed] facts | Category:symshape-specialize | Function=f | Remark="what the body states is known in its versions alone"
// FUSES:       remark: [Passed] facts | Category:symshape-fuse-elementwise | Remark="fuses ops, and what they need is not known any more where symshape-insert-guards has not run"
// GUARDED-NOT: facts | Category:symshape-fuse-elementwise
// KEPT-NOT:    facts |
func.func @f(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %ok: i1) -> tensor<?xf32>
    attributes {symshape.versions = [#symshape.version<"one", ["N == 1"]>]} {
  cf.assert %ok, "said"
  return %x : tensor<?xf32>
}
