// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-discharge,symshape-infer-shapes{if-changed annotate})' | FileCheck %s --check-prefix=SAME
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-discharge,symshape-assume-extents,symshape-infer-shapes{if-changed annotate})' | FileCheck %s --check-prefix=SAME
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-discharge,symshape-insert-guards,symshape-infer-shapes{if-changed annotate})' | FileCheck %s --check-prefix=CHANGED
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-infer-shapes{if-changed annotate})' | FileCheck %s --check-prefix=CHANGED
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-discharge,symshape-discharge{if-changed})' | FileCheck %s --check-prefix=SAME
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-discharge{if-changed})' | FileCheck %s --check-prefix=SAME

// With if-changed, nothing is inferred again after symshape-discharge, unless a
// pass in between has changed something.

// SAME-LABEL: func.func @add(
// SAME-NOT: symshape.extents
// SAME-NOT: arith.cmpi
// SAME: return

// CHANGED-LABEL: func.func @add(
// CHANGED: linalg.add {symshape.extents
func.func @add(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> (tensor<?xf32>, i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %decided = arith.cmpi sge, %n, %c0 : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %sum, %decided : tensor<?xf32>, i1
}
