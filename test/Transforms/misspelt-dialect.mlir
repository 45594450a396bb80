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
