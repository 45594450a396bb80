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

// Must not fire: contractions and elementwise ops. Their bounded operand has the
// extent of the other one, which is checked.
func.func @checked(%x: tensor<?x?xf64> {symshape.shape = #symshape.shape<[M, "<= 7"]>},
                   %y: tensor<?x3xf64> {symshape.shape = #symshape.shape<["<= 7", 3]>},
                   %z: tensor<7x3xf64>, %i: tensor<?x3xf64>,
                   %v: tensor<?xf64> {symshape.shape = #symshape.shape<["<= 7"]>},
                   %w: tensor<?xf64> {symshape.shape = #symshape.shape<[7]>}) -> (tensor<?x3xf64>, tensor<?x3xf64>, tensor<?xf64>) {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf64>, tensor<?x3xf64>) outs(%i : tensor<?x3xf64>) -> tensor<?x3xf64>
  %s = linalg.matmul ins(%x, %z : tensor<?x?xf64>, tensor<7x3xf64>) outs(%i : tensor<?x3xf64>) -> tensor<?x3xf64>
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
