// RUN: symshape-opt %s --symshape-round-products --split-input-file --verify-diagnostics

// expected-warning@+1 {{expected a product in a layer 'head', which is to stay in f32, but got none}}
module attributes {symshape.precision = "bf16,-head"} {
}

// -----

// expected-error@+1 {{expected 'symshape.precision' on a module to be f32, bf16, int8 or int4, the last three maybe with names of layers that stay, as in bf16,-head, but got "f16"}}
module attributes {symshape.precision = "f16"} {
}

// -----

// expected-error@+1 {{but got "bf16,head"}}
module attributes {symshape.precision = "bf16,head"} {
}

// -----

// expected-error@+1 {{expected 'symshape.precision' on a module}}
func.func @place() attributes {symshape.precision = "bf16"} {
  return
}
