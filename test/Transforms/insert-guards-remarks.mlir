// RUN: symshape-opt %s --symshape-insert-guards -o %t --remarks-filter='symshape-.*' 2>&1 | FileCheck %s

// A remark at each op that needs a guard, and at each whose guard others imply.
// CHECK-DAG: [[#@LINE+4]]:3: remark: [Passed] no-guard | Category:symshape-insert-guards | Remark="no guard: 2 | L, implied by 4 | L"
// CHECK-DAG: [[#@LINE+4]]:3: remark: [Passed] guard | Category:symshape-insert-guards | Remark="guard: 4 must divide extent of argument #0 dim 0 (L)"
// CHECK-DAG: remark: [Passed] summary | Category:symshape-insert-guards | Remark="0 requirements proved, 1 entry guards, 0 checks before ops"
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) {
  symshape.assert "2 | L", "pairs"
  symshape.assert "4 | L", "groups"
  return
}
