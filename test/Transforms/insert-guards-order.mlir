// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s
// RUN: not symshape-run %s --entry=mixed --input=5x6xf32=zeros --input=7xf32=zeros --input=4xf32=zeros 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not symshape-run %s --entry=mixed --input=5x6xf32=zeros --input=5xf32=zeros --input=4xf32=zeros 2>&1 | FileCheck %s --check-prefix=LAST

// Divisions and wide products wait until all comparisons hold; the first message
// is that of the first op that fails.
// CHECK-LABEL: func.func @mixed.guard(
// CHECK-NOT:     arith.remsi
// CHECK-NOT:     i128
// CHECK:         scf.if
// CHECK:           arith.remsi
// CHECK:         return
// ALL:      guard failed: 4 must divide A*B (30)
// ALL:      needed by tensor.expand_shape
// ALL-NOT:  4 must divide
// ALL:      guard failed: extent of %y dim 0 ({{.*}}7) must equal extent of %x dim 0 (A = 5)
// LAST:     guard failed: 4 must divide A*B (30)
// LAST-NOT: guard failed: extent
func.func @mixed(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}, %y: tensor<?xf32>, %z: tensor<?xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %n = tensor.dim %flat, %c0 : tensor<?xf32>
  %q = arith.divsi %n, %c4 : index
  %r = tensor.expand_shape %flat [[0, 1]] output_shape [%q, 4] : tensor<?xf32> into tensor<?x4xf32>
  %col = tensor.extract_slice %x[0, 0] [5, 1] [1, 1] : tensor<?x?xf32> to tensor<5xf32>
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%a) : tensor<?xf32>
  %s = linalg.exp ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?x4xf32>, tensor<?xf32>
}

// Must not fire: comparisons alone take no branch.
// CHECK-LABEL: func.func @plain.guard(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @plain(%y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%y : tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A division by what the call gives waits as well, and so does its divisor.
// CHECK-LABEL: func.func @divisor.guard(
// CHECK-NOT:     arith.divsi
// CHECK-NOT:     arith.remsi
// CHECK:         scf.if
// CHECK:           arith.{{divsi|remsi}}
// CHECK:         return
func.func @divisor(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},
                   %y: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>},
                   %z: tensor<?xf32> {symshape.shape = #symshape.shape<[C]>}) {
  symshape.assert "A floordiv max(B, 1) <= 7", "of a quotient"
  symshape.assert "B == C", "equal"
  return
}

// Of products, those that take more than 64 bits come last.
// CHECK-LABEL: func.func @wide.guard(
// CHECK-NOT:     i128
// CHECK:         scf.if
// CHECK:           i128
// CHECK:         return
func.func @wide(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>},
                %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[C, D]>}) {
  symshape.assert "A*B == C*D", "products"
  symshape.assert "A <= D + 2", "a sum"
  return
}
