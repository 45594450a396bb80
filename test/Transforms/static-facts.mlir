// RUN: not symshape-opt %s --symshape-insert-guards --split-input-file 2>&1 | FileCheck %s
// RUN: not symshape-opt %s --symshape-insert-guards --split-input-file 2> /dev/null | FileCheck %s --check-prefix=HOLDS

// What is declared of extents that are all static is refused where it does not
// hold: no guard would look at them, and anything would follow.

// CHECK: error: requirement can never hold: 3 (A) must be at most 2 (D)
// CHECK: note: needed by the signature at {{.*}} (declared assumption)
func.func @relation(%x: tensor<2x3xf32> {symshape.shape = #symshape.shape<[D, A]>}) -> tensor<2x3xf32>
    attributes {symshape.assume = [#symshape.fact<"A <= D">]} {
  return %x : tensor<2x3xf32>
}

// -----

// CHECK: error: requirement can never hold: 3 must equal 2 (D)
func.func @repeated(%x: tensor<2x3xf32> {symshape.shape = #symshape.shape<[D, D]>}) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}

// -----

// CHECK: error: requirement can never hold: 2 (D) must be at least 4
func.func @range(%x: tensor<2xf32> {symshape.shape = #symshape.shape<[D]>}, %y: tensor<?xf32>) -> tensor<2xf32>
    attributes {symshape.symbols = [#symshape.symbol<"D", range = [4, 8]>]} {
  return %x : tensor<2xf32>
}

// -----

// CHECK: error: requirement can never hold: 4 must divide 2 (D)
func.func @residue(%x: tensor<2xf32> {symshape.shape = #symshape.shape<[D]>}) -> tensor<2xf32>
    attributes {symshape.symbols = [#symshape.symbol<"D", multiple_of = 4>]} {
  return %x : tensor<2xf32>
}

// -----

// CHECK: error: what is declared contradicts itself
// CHECK: note: declared shape: 2 | 5
func.func @part(%x: memref<5x3xf32> {symshape.shape = #symshape.shape<[2 * D, A]>}) {
  return
}

// -----

// CHECK: error: requirement can never hold: 2 (D) must be at least 3
func.func @bound(%x: tensor<2x5xf32> {symshape.shape = #symshape.shape<[D, "<= D + 2"]>}) {
  return
}

// -----

// CHECK: error: requirement can never hold: {{.*}} (E) must be at least 3, or 5 (D) must be at most 4
func.func @either(%x: tensor<5x3xf32> {symshape.shape = #symshape.shape<[D, D - E]>})
    attributes {symshape.assume = [#symshape.fact<"3 <= E or D <= 4">]} {
  return
}

// -----

// The error is at the call.
func.func private @callee(%x: tensor<2x3xf32> {symshape.shape = #symshape.shape<[D, D]>}) {
  return
}
// CHECK: static-facts.mlir:[[@LINE+2]]:{{.*}} error: requirement can never hold: 3 must equal 2
func.func @caller(%x: tensor<2x3xf32>) {
  call @callee(%x) : (tensor<2x3xf32>) -> ()
  return
}

// -----

// Must not fire: what holds needs no guard.
// HOLDS:     func.func @holds(
// HOLDS-NOT: call
func.func @holds(%x: tensor<4x8xf32> {symshape.shape = #symshape.shape<[D, 2 * D]>})
    attributes {symshape.assume = [#symshape.fact<"D <= 4">],
                symshape.symbols = [#symshape.symbol<"D", range = [1, 8], multiple_of = 4>]} {
  return
}
// CHECK-NOT: error
