// RUN: symshape-opt %s --symshape-expand-ops --split-input-file --verify-diagnostics

// Negative: nothing binds the name.
func.func @no_value() -> index {
  // expected-error@+1 {{expected a value for each symbol, but got 'N + 1'}}
  %s = symshape.size "N + 1"
  return %s : index
}

// -----

// Negative: the same of an assert; the operand stands for the first name.
func.func @no_value_of_assert(%x: index) {
  // expected-error@+1 {{expected a value for each symbol, but got 'x <= N'}}
  symshape.assert "x <= N" (x = %x), "small"
  return
}

// -----

// Negative: the name gets its value only behind the op.
func.func @bound_behind(%s: tensor<index>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a value for each symbol, but got 'N <= 4'}}
  symshape.assert "N <= 4", "small"
  %k = tensor.extract %s[] : tensor<index>
  %e = tensor.empty(%k) : tensor<?xf32>
  %u = symshape.bind_shape %e [N] : tensor<?xf32>
  return %u : tensor<?xf32>
}

// -----

// Negative: the name has a value in the branch alone.
func.func @bound_in_branch(%s: tensor<index>, %flag: i1) {
  scf.if %flag {
    %k = tensor.extract %s[] : tensor<index>
    %e = tensor.empty(%k) : tensor<?xf32>
    %u = symshape.bind_shape %e [N] : tensor<?xf32>
    symshape.assert "N <= 4", "inside"
  }
  // expected-error@+1 {{expected a value for each symbol, but got 'N <= 4'}}
  symshape.assert "N <= 4", "behind"
  return
}

// -----

// Negative: in a function that is not analysed.
llvm.func @no_function(%x: i64) {
  %i = arith.index_cast %x : i64 to index
  // expected-error@+1 {{expected to be inside of a func.func}}
  symshape.assert "x <= 4" (x = %i), "small"
  llvm.return
}
