// RUN: symshape-opt %s --symshape-insert-guards --split-input-file --verify-diagnostics

// A requirement that rules out values of a dynamic symbol, and what all of them
// together leave of it.
// expected-error@+8 {{expected no requirement beyond what is declared, but got 2}}
// expected-note@+7 {{to accept it, declare symshape.assume = [#symshape.fact<"4 <= L">]}}
// expected-note@+6 {{to accept it, declare symshape.assume = [#symshape.fact<"L + 4 <= 8">]}}
// expected-error@+5 {{expected dynamic symbol 'L' to have several values, but got 4 alone (joint specialisation by 2 facts)}}
// expected-note@+4 {{assumed: 4 <= L}}
// expected-note@+3 {{assumed: L + 4 <= 8}}
// expected-note@+2 {{hence: L == 4 (ranges)}}
// expected-note@+1 {{to accept it, declare #symshape.symbol<"L">}}
func.func @one(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %z: tensor<8xf32>) -> (tensor<?xf32>, tensor<4xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"L", policy = dynamic>]} {
  %c0 = arith.constant 0 : index
  %l = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-note@+1 {{'L' is dynamic, but }}
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  // expected-note@+1 {{'L' is dynamic, but }}
  %t = tensor.extract_slice %z[4] [%l] [1] : tensor<8xf32> to tensor<?xf32>
  // The other symbol may be checked.
  %u = tensor.extract_slice %y[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %t, %s : tensor<?xf32>, tensor<4xf32>
}

// -----

// Must not fire: the same, declared.
func.func @declared(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<4xf32>
    attributes {symshape.symbols = [#symshape.symbol<"L", policy = dynamic>], symshape.assume = [#symshape.fact<"4 <= L">]} {
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}
