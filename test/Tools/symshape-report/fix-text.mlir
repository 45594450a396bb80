// RUN: symshape-report %s --fix=%t.mlir | FileCheck %s --check-prefix=TOLD
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.mlir
// RUN: sh -c "diff %s %t.mlir; true" | FileCheck %s --check-prefix=DIFF
// RUN: symshape-report %t.mlir > %t.report

// What is corrected is the declaration; the rest of the file stays as it is.
// TOLD-COUNT-3: corrected: 
// DIFF-COUNT-4: {{^}}>
// DIFF-NOT: {{^}}>

// Positive: a fact beside those that are there, in the lines of the user.
//      CHECK:    attributes { // what we know
//      CHECK:      symshape.assume = [#symshape.fact<"A <= 64">, #symshape.fact<"A == B">],  // of all
//      CHECK:  // not a brace: }
//      CHECK:  %r = linalg.add   ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
func.func @beside(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},  // the left, "x"
                  %y: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    -> tensor<?xf32>
    attributes { // what we know
      symshape.assume = [#symshape.fact<"A <= 64">],  // of all
      symshape.symbols = [#symshape.symbol<"A", policy = dynamic>]} {
  // not a brace: }
  %r = linalg.add   ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
                    outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Positive: what only contradicts goes, with its dictionary.
//      CHECK:func.func @gone(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) { // the end
func.func @gone(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) attributes {symshape.assume = [#symshape.fact<"N + 1 <= N">]} { // the end
  return
}

// Positive: two in one file; and a name for a dim that has none.
//      CHECK:func.func @named(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[s0]>}, %y : tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
func.func @named(%x: tensor<?xf32>, %y : tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"L", policy = dynamic>]} {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
