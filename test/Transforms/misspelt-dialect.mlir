// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-infer-shapes
// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-insert-guards
// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-cpu

// No dialect is asked about an attribute of a dialect that nobody knows: who
// misspells ours would declare what nobody reads.

// expected-error@+1 {{unknown attribute 'symShape.shape'; did you mean 'symshape.shape'?}}
func.func @of_argument(%x: tensor<?xf32> {symShape.shape = #symshape.shape<[B]>}) {
  return
}

// -----

// expected-error@+1 {{unknown attribute 'symshap.symbols'; did you mean 'symshape.symbols'?}}
func.func @of_function(%x: tensor<?xf32>) attributes {symshap.symbols = [#symshape.symbol<"B">]} {
  return
}

// -----

// expected-error@+1 {{unknown attribute 'simshape.weight'; did you mean 'symshape.weight'?}}
func.func @of_weight(%x: tensor<?xf32> {simshape.weight = "w"}) {
  return
}

// -----

// expected-error@+1 {{unknown attribute 'sym_shape.shape'; did you mean 'symshape.shape'?}}
func.func @of_result(%x: tensor<?xf32>) -> (tensor<?xf32> {sym_shape.shape = #symshape.shape<[B]>}) {
  return %x : tensor<?xf32>
}

// -----

func.func @of_op(%x: f32) -> f32 {
  // expected-error@+1 {{unknown attribute 'symshaep.extents'; did you mean 'symshape.extents'?}}
  %r = arith.negf %x {symshaep.extents = [#symshape.shape<[]>]} : f32
  return %r : f32
}

// -----

// Those of others, and those that are nobody's, are left alone.

func.func @of_others(%x: f32 {iree.shape = 1 : i32, shape.symshape}) -> f32 attributes {torch.assume_strict_symbolic_shapes, symshape_like} {
  return %x : f32
}

// -----

// Nor is anybody asked about a name that no dim has.

// expected-error@+1 {{expected symbol 'b' to name a dimension, but got none in the signature or in a symshape.bind_shape}}
func.func @of_name(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    attributes {symshape.symbols = [#symshape.symbol<"B">, #symshape.symbol<"b", range = [1, 64]>]} {
  return
}

// -----

// expected-error@+1 {{expected symbol 'N' to name a dimension, but got none}}
func.func @of_no_name(%x: tensor<?xf32>) attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 8>]} {
  return
}

// -----

// Must not fire: the body names it, or a result.
func.func @of_body(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  %0 = symshape.bind_shape %x [N] : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @of_result(%x: tensor<?xf32>) -> (tensor<?xf32> {symshape.shape = #symshape.shape<[R]>})
    attributes {symshape.symbols = [#symshape.symbol<"R", likely = [64]>]} {
  return %x : tensor<?xf32>
}
