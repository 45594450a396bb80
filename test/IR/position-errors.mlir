// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @iota_c1() {
  // expected-error@+2 {{expected field 'bounds' to be start, limit and step, but got 2}}
  // expected-note@+1 {{{primitive = iota, field = bounds, observed = 2}}}
  %0 = symshape.iota [0, 4] : tensor<?xi64>
  return
}

// -----

func.func @iota_c2(%n: index) {
  // expected-error@+2 {{expected field 'step' to be other than 0, but got 0}}
  // expected-note@+1 {{{primitive = iota, field = step, observed = 0}}}
  %0 = symshape.iota [0, %n, 0] : tensor<?xi64>
  return
}

// -----

func.func @iota_c3() {
  // expected-error@+2 {{expected field 'result.rank' to be 1, but got 2}}
  // expected-note@+1 {{{primitive = iota, field = result.rank, observed = 2}}}
  %0 = symshape.iota [0, 4, 1] : tensor<4x?xi64>
  return
}

// -----

func.func @iota_c3_element() {
  // expected-error@+2 {{expected field 'result.element_type' to be i32, i64 or index, but got f32}}
  // expected-note@+1 {{{primitive = iota, field = result.element_type, observed = f32}}}
  %0 = symshape.iota [0, 4, 1] : tensor<4xf32>
  return
}

// -----

func.func @iota_c4() {
  // expected-error@+2 {{expected field 'result.shape[0]' to be what the bounds give, but got 4}}
  // expected-note@+1 {{{primitive = iota, field = result.shape[0], observed = 4}}}
  %0 = symshape.iota [0, 5, 2] : tensor<4xi64>
  return
}

// -----

func.func @nonzero_c1(%x: tensor<?xcomplex<f32>>) {
  // expected-error@+2 {{expected field 'operand.element_type' to be a float, an integer or an index, but got complex<f32>}}
  // expected-note@+1 {{{primitive = nonzero, field = operand.element_type, observed = complex<f32>}}}
  %0 = symshape.nonzero %x : tensor<?xcomplex<f32>> to tensor<?x1xindex>
  return
}

// -----

func.func @nonzero_c2(%x: tensor<?x?xf32>) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 2, but got 3}}
  // expected-note@+1 {{{primitive = nonzero, field = result.shape[1], observed = 3}}}
  %0 = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x3xindex>
  return
}

// -----

// How many there are depends on data.
func.func @nonzero_c2_static(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected field 'result.shape[0]' to be dynamic, but got 4}}
  // expected-note@+1 {{{primitive = nonzero, field = result.shape[0], observed = 4}}}
  %0 = symshape.nonzero %x : tensor<4xf32> to tensor<4x1xindex>
  return
}

// -----

func.func @with_extents_c1(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'extents[1]' to be 5, but got 4}}
  // expected-note@+1 {{{primitive = with_extents, field = extents[1], observed = 4}}}
  %0 = symshape.with_extents %x [%n, 5] : tensor<?x4xf32>
  return
}
