// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @bind_shape_c1(%t: tensor<?xf32>) {
  // expected-error@+1 {{expected a shape of rank 1 for type 'tensor<?xf32>', but got rank 2}}
  %0 = symshape.bind_shape %t [B, L] : tensor<?xf32>
  return
}

// -----

func.func @bind_shape_c2(%t: tensor<?x4xf32>) {
  // expected-error@+1 {{expected dimension 1 to have the extent 4 of type 'tensor<?x4xf32>', but got 5}}
  %0 = symshape.bind_shape %t [B, 5] : tensor<?x4xf32>
  return
}

// -----

func.func @bind_shape_c2_negative(%t: tensor<?xf32>) {
  // expected-error@+1 {{expected the extent of dimension 0 to be at least 0, but got -2}}
  %0 = symshape.bind_shape %t [-2] : tensor<?xf32>
  return
}

// -----

func.func @bind_shape_malformed(%t: tensor<?xf32>) {
  // expected-error@+1 {{expected}}
  %0 = symshape.bind_shape %t [B *] : tensor<?xf32>
  return
}

// -----

func.func @assume_c1(%n: index) {
  // expected-error@+1 {{expected one name per operand (1), but got 2}}
  %0 = symshape.assume %n ["n <= 4"] (n, m) : index
  return
}

// -----

func.func @assume_c1_plain(%n: index) {
  // expected-error@+1 {{expected a plain name, but got 'floordiv'}}
  %0 = symshape.assume %n ["n <= 4"] (floordiv) : index
  return
}

// -----

func.func @assume_c1_once(%n: index) {
  // expected-error@+1 {{expected name 'n' once}}
  %0:2 = symshape.assume %n, %n ["n <= 4"] (n, n) : index, index
  return
}

// -----

func.func @assume_c2(%n: index) {
  // expected-error@+1 {{in fact 'n <='}}
  %0 = "symshape.assume"(%n) {facts = ["n <="], names = ["n"]} : (index) -> index
  return
}

// -----

func.func @assume_malformed(%n: index) {
  // expected-error@+1 {{expected}}
  %0 = symshape.assume %n ["n <="] (n) : index
  return
}

// -----

func.func @assert_c1(%n: index) {
  // expected-error@+1 {{in relation 'n + 1'}}
  "symshape.assert"(%n) {relation = "n + 1", message = "m"} : (index) -> ()
  return
}

// -----

func.func @assert_c2(%n: index) {
  // expected-error@+1 {{expected at most one operand per name (1), but got 2}}
  symshape.assert "n <= 1" (%n, %n), "m"
  return
}

// -----

func.func @size_c1(%n: index) {
  // expected-error@+1 {{in expression 'n +'}}
  %0 = "symshape.size"(%n) {expression = "n +"} : (index) -> index
  return
}

// -----

func.func @size_c2(%n: index) {
  // expected-error@+1 {{expected at most one operand per name (1), but got 2}}
  %0 = symshape.size "n * n" (%n, %n)
  return
}

// -----

func.func @size_other_name(%n: index) {
  // expected-error@+1 {{expected a name in 'a - b', but got 'c'}}
  %0 = symshape.size "a - b" (a = %n, c = %n)
  return
}

// -----

func.func @size_name_twice(%n: index) {
  // expected-error@+1 {{expected name 'a' once}}
  %0 = symshape.size "a - b" (a = %n, b = %n, a = %n)
  return
}

// -----

func.func @size_some_names(%n: index) {
  // expected-error@+1 {{expected a name for each operand, or for none of them}}
  %0 = symshape.size "a - b" (a = %n, %n)
  return
}

// -----

func.func @assert_symbol_before_operand(%n: index) {
  // expected-error@+1 {{expected an operand for 'N', which 'N <= y' uses before the name of an operand}}
  symshape.assert "N <= y" (y = %n), "m"
  return
}

// -----

func.func @fail_c1(%n: index) {
  // expected-error@+1 {{expected a placeholder below the number of operands (1), but got {1}}}
  symshape.fail "{1}" (%n)
  return
}

// -----

func.func @fail_c1_brace(%n: index) {
  // expected-error@+1 {{expected '{{', '{N}' or '{N:M}' at offset 2 of the message}}
  symshape.fail "a {n}" (%n)
  return
}

// -----

func.func @fail_c1_words(%n: index) {
  // expected-error@+1 {{expected a placeholder below the number of operands (1), but got {0:2}}}
  symshape.fail "{0:2}" (%n)
  return
}

// -----

func.func @fail_c1_no_words(%n: index) {
  // expected-error@+1 {{expected '{{', '{N}' or '{N:M}' at offset 0 of the message}}
  symshape.fail "{0:0}" (%n)
  return
}
