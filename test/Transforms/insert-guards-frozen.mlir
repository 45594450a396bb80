// RUN: symshape-opt %s --symshape-insert-guards=frozen --split-input-file --verify-diagnostics

// All that is neither proved nor declared, in one error.
// expected-error@+3 {{expected no requirement beyond what is declared, but got 2}}
// expected-note@+2 {{to accept it, name dim 0 of argument #1 's0', and declare symshape.assume = [#symshape.fact<"L == s0">]}}
// expected-note@+1 {{to accept it, declare symshape.assume = [#symshape.fact<"4 <= L">]}}
func.func @both(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  // expected-note@+1 {{extent of argument #0 dim 0 (L) must equal extent of argument #1 dim 0 (s0); needed by linalg.add}}
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  // expected-note@+1 {{needed by tensor.extract_slice}}
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %r, %s : tensor<?xf32>, tensor<4xf32>
}

// -----

// What depends on data as well.
// expected-error@+3 {{expected no requirement beyond what is declared, but got 2}}
// expected-note@+2 {{to accept it, write symshape.assert "0 <= v0" before the op, with argument #1 as v0}}
// expected-note@+1 {{to accept it, write symshape.assert "v0 <= 8" before the op, with argument #1 as v0}}
func.func @data(%x: tensor<8xf32>, %n: index) -> tensor<?xf32> {
  // expected-note@+1 {{needed by tensor.extract_slice}}
  %s = tensor.extract_slice %x[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Must not fire: what is declared, and what the user asserts.
func.func @declared(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    -> (tensor<?xf32>, tensor<4xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"L", range = [4, 64]>]} {
  symshape.assert "L != 5", "not five"
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %r, %s : tensor<?xf32>, tensor<4xf32>
}
