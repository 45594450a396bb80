// RUN: symshape-opt %s --symshape-specialize --split-input-file --verify-diagnostics

// expected-note@+7 {{to accept it, remove #symshape.version<"never", ["L + 1 <= 0"]> from symshape.versions}}
// expected-note@+6 {{to accept it, remove #symshape.version<"same", ["L <= 1", "1 <= L"]> from symshape.versions}}
// expected-note@+5 {{to accept it, remove #symshape.version<"rest", ["L <= 100"]> from symshape.versions}}
// expected-warning@+4 {{version 'never' is never chosen: 'L + 1 <= 0' cannot hold}}
// expected-note@+3 {{hence not: L + 1 <= 0 (ranges)}}
// expected-warning@+2 {{version 'same' is never chosen: its condition is that of 'one'}}
// expected-warning@+1 {{version 'rest' is never chosen: others admit all that it admits: 'one', 'few', 'many'}}
func.func @dropped(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.versions = [#symshape.version<"one", ["L == 1"]>, #symshape.version<"never", ["L < 0"]>,
                                     #symshape.version<"same", ["L <= 1", "L >= 1"]>, #symshape.version<"few", ["L <= 4"]>,
                                     #symshape.version<"many", ["L >= 3"]>, #symshape.version<"rest", ["L <= 100"]>]} {
  return %x : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected a condition over dimensions of arguments, but got 'n == 1' in version 'v'}}
func.func @not_a_dim(%n: index {symshape.name = "n"}, %x: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"n">], symshape.versions = [#symshape.version<"v", ["n == 1"]>]} {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = symshape.bind_shape %e [n] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected a body of a function with versions}}
func.func private @no_body(tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    attributes {symshape.versions = [#symshape.version<"v", ["L == 1"]>]}
