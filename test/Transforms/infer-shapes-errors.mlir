// RUN: symshape-opt %s --split-input-file --verify-diagnostics --symshape-infer-shapes

// A bound that is taken for the extent.
// expected-note@+1 {{dimension 0 of this value is at most 7}}
func.func @reshape(%x: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>}) -> tensor<7xf64> {
  // expected-error@+3 {{'symshape.reshape' op expected field 'target_shape[0]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = reshape, field = target_shape[0], observed = upper_bound}}}
  %r = symshape.reshape %x to [7] : tensor<?xf64> to tensor<7xf64>
  return %r : tensor<7xf64>
}

// -----

// The exact extents of the source are not what is wrong.
// expected-note@+1 {{dimension 1 of this value is at most 2*N}}
func.func @reshape_second(%x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[N, "<= 2*N"]>}, %m: index) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %w = arith.muli %n, %c2 overflow<nsw> : index
  // expected-error@+3 {{expected field 'target_shape[1]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = reshape, field = target_shape[1], observed = upper_bound}}}
  %r = symshape.reshape %x to [%n, %w] : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// -----

// What a size that only data determine cuts off has a bound.
func.func @broadcast(%x: tensor<5xf64>, %s: f64) -> tensor<3x5xf64> {
  // expected-note@+1 {{dimension 0 of this value is at most 5}}
  %t = symshape.dynamic_truncate %x, %s axis 0 : tensor<5xf64>, f64 to tensor<?xf64>
  // expected-error@+3 {{expected field 'shape[1]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = broadcast, field = shape[1], observed = upper_bound}}}
  %r = symshape.broadcast %t to [3, 5] dims [1] expanding [] : tensor<?xf64> to tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}

// -----

// expected-note@+1 {{dimension 1 of this value is at most 4}}
func.func @concat(%x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[N, "<= 4"]>}, %y: tensor<2x4xf64>) -> tensor<?x?xf64> {
  %z = tensor.cast %y : tensor<2x4xf64> to tensor<2x?xf64>
  // expected-error@+3 {{'tensor.concat' op expected field 'operand[0].shape[1]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = concatenate, field = operand[0].shape[1], observed = upper_bound}}}
  %r = tensor.concat dim(0) %x, %z : (tensor<?x?xf64>, tensor<2x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// -----

// The operand that has only a bound is at fault, wherever it stands.
func.func @concat_second(%y: tensor<2x4xf64>,
    // expected-note@+1 {{dimension 1 of this value is at most 4}}
    %x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[N, "<= 4"]>}) -> tensor<?x?xf64> {
  %z = tensor.cast %y : tensor<2x4xf64> to tensor<2x?xf64>
  // expected-error@+3 {{expected field 'operand[1].shape[1]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = concatenate, field = operand[1].shape[1], observed = upper_bound}}}
  %r = tensor.concat dim(0) %z, %x : (tensor<2x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// -----

// The dimension over which a product sums.
// expected-note@+1 {{dimension 1 of this value is at most 7}}
func.func @matmul(%x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[M, "<= 7"]>},
                  %y: tensor<7x3xf64>, %i: tensor<?x3xf64>) -> tensor<?x3xf64> {
  // expected-error@+3 {{'linalg.matmul' op expected field 'operand[0].shape[1]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = dot_general, field = operand[0].shape[1], observed = upper_bound}}}
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf64>, tensor<7x3xf64>) outs(%i : tensor<?x3xf64>) -> tensor<?x3xf64>
  return %r : tensor<?x3xf64>
}

// -----

// A batch, of a product that has no name.
#lhs = affine_map<(b, m, k) -> (b, m, k)>
#rhs = affine_map<(b, m, k) -> (b, k)>
#out = affine_map<(b, m, k) -> (b, m)>
func.func @generic(%x: tensor<?x5x6xf64> {symshape.shape = #symshape.shape<[B, 5, 6]>},
    // expected-note@+1 {{dimension 0 of this value is at most B}}
    %y: tensor<?x6xf64> {symshape.shape = #symshape.shape<["<= B", 6]>}, %i: tensor<?x5xf64>) -> tensor<?x5xf64> {
  // expected-error@+3 {{'linalg.generic' op expected field 'operand[1].shape[0]' to be exact, but got upper_bound}}
  // expected-note@+2 {{use the extent itself, as of tensor.dim, or pad the value to its bound}}
  // expected-note@+1 {{{primitive = dot_general, field = operand[1].shape[0], observed = upper_bound}}}
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x5x6xf64>, tensor<?x6xf64>) outs(%i : tensor<?x5xf64>) {
  ^bb0(%a: f64, %b: f64, %acc: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  } -> tensor<?x5xf64>
  return %r : tensor<?x5xf64>
}

// -----

// Must not fire: two operands of which the same bound is known, an exact extent
// that is not the bound, and elementwise ops. What they need is checked.
func.func @checked(%x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[M, "<= 7"]>},
                   %y: tensor<?x3xf64> {symshape.shape = #symshape.shape<["<= 7", 3]>},
                   %z: tensor<6x3xf64>, %i: tensor<?x3xf64>,
                   %v: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>},
                   %w: tensor<?xf64> {symshape.shape = #symshape.shape<[7]>}) -> (tensor<?x3xf64>, tensor<?x3xf64>, tensor<?xf64>) {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf64>, tensor<?x3xf64>) outs(%i : tensor<?x3xf64>) -> tensor<?x3xf64>
  %s = linalg.matmul ins(%x, %z : tensor<?x?xf64>, tensor<6x3xf64>) outs(%i : tensor<?x3xf64>) -> tensor<?x3xf64>
  %t = arith.addf %v, %w : tensor<?xf64>
  return %r, %s, %t : tensor<?x3xf64>, tensor<?x3xf64>, tensor<?xf64>
}

// -----

// Must not fire: the extent itself, and a size that is none of a bound.
func.func @exact(%x: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>}) -> (tensor<1x?xf64>, tensor<6xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %r = symshape.reshape %x to [1, %n] : tensor<?xf64> to tensor<1x?xf64>
  %s = symshape.reshape %x to [6] : tensor<?xf64> to tensor<6xf64>
  return %r, %s : tensor<1x?xf64>, tensor<6xf64>
}
