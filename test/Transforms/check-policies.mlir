// RUN: symshape-opt %s --symshape-check-policies --split-input-file --verify-diagnostics

// Three facts that together leave one value.
// expected-error@+9 {{expected dynamic symbol 'a' to have several values, but got 5 alone (joint specialisation by 3 facts)}}
// expected-error@+8 {{expected dynamic symbol 'b' to have several values, but got 5 alone (joint specialisation by 3 facts)}}
// expected-note@+7 {{to accept it, declare #symshape.symbol<"a">}}
// expected-note@+6 {{to accept it, declare #symshape.symbol<"b">}}
// expected-note@+5 {{assumed: a <= b}}
// expected-note@+4 {{assumed: b <= a}}
// expected-note@+3 {{assumed: a + b == 10}}
// expected-note@+2 {{hence: a == 5 (ranges)}}
// expected-note@+1 {{hence: b == 5}}
func.func @joint(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[a, b]>})
    attributes {symshape.symbols = [#symshape.symbol<"a", policy = dynamic>, #symshape.symbol<"b", policy = dynamic>],
                symshape.assume = [#symshape.fact<"a <= b">, #symshape.fact<"b <= a">, #symshape.fact<"a + b == 10">]} {
  return
}

// -----

// expected-note@+2 {{to accept it, declare #symshape.symbol<"N">}}
// expected-error@+1 {{expected static symbol 'N' to have one value; symshape-fixate gives it one, and symshape-run compiles for each}}
func.func @free(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", policy = static>]} {
  return
}

// -----

// Must not fire.
func.func @fine(%x: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[N, D, A]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", policy = static>, #symshape.symbol<"D", range = [0, 1], policy = dynamic>, #symshape.symbol<"A">],
                symshape.assume = [#symshape.fact<"N == 8">, #symshape.fact<"A == 3">]} {
  return
}
