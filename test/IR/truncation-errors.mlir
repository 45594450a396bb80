// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @truncate_size_c3(%s: tensor<2xf32>, %n: index) {
  // expected-error@+2 {{expected field 'size.rank' to be 0, but got 1}}
  // expected-note@+1 {{{primitive = truncate_size, field = size.rank, observed = 1}}}
  %0 = symshape.truncate_size %s, %n : tensor<2xf32>
  return
}

// -----

func.func @truncate_size_c4(%s: i1, %n: index) {
  // expected-error@+2 {{expected field 'size.element_type' to be f32, f64, i32, i64 or index, but got i1}}
  // expected-note@+1 {{{primitive = truncate_size, field = size.element_type, observed = i1}}}
  %0 = symshape.truncate_size %s, %n : i1
  return
}

// -----

func.func @dynamic_truncate_c1(%x: tensor<f32>, %n: index) {
  // expected-error@+2 {{expected field 'operand.rank' to be at least 1, but got 0}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = operand.rank, observed = 0}}}
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<f32> to tensor<f32>
  return
}

// -----

func.func @dynamic_truncate_c2(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = axis, observed = 2}}}
  %0 = symshape.dynamic_truncate %x, %n axis 2 : tensor<?x4xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_truncate_c3(%x: tensor<?x4xf32>, %n: tensor<2xi64>) {
  // expected-error@+2 {{expected field 'size.rank' to be 0, but got 1}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = size.rank, observed = 1}}}
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32>, tensor<2xi64> to tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_truncate_c4(%x: tensor<?x4xf32>, %n: complex<f32>) {
  // expected-error@+2 {{expected field 'size.element_type' to be f32, f64, i32, i64 or index, but got complex<f32>}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = size.element_type, observed = complex<f32>}}}
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32>, complex<f32> to tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_truncate_c5(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = result.shape[1], observed = 5}}}
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32> to tensor<?x5xf32>
  return
}

// -----

func.func @dynamic_truncate_c5_static(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'result.shape[0]' to be dynamic, but got 3}}
  // expected-note@+1 {{{primitive = dynamic_truncate, field = result.shape[0], observed = 3}}}
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32> to tensor<3x4xf32>
  return
}

// -----

func.func @pad_to_match_c1(%x: tensor<f32>, %n: index) {
  // expected-error@+2 {{expected field 'operand.rank' to be at least 1, but got 0}}
  // expected-note@+1 {{{primitive = pad_to_match, field = operand.rank, observed = 0}}}
  %0 = symshape.pad_to_match %x, %n axis 0 : tensor<f32> to tensor<f32>
  return
}

// -----

func.func @pad_to_match_c2(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = pad_to_match, field = axis, observed = 2}}}
  %0 = symshape.pad_to_match %x, %n axis 2 : tensor<?x4xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @pad_to_match_c2_reference(%x: tensor<?x4xf32>, %n: tensor<?xf32>) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 1), but got 1}}
  // expected-note@+1 {{{primitive = pad_to_match, field = axis, observed = 1}}}
  %0 = symshape.pad_to_match %x, %n axis 1 : tensor<?x4xf32>, tensor<?xf32> to tensor<?x?xf32>
  return
}

// -----

func.func @pad_to_match_c5(%x: tensor<?x4xf32>, %n: index) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = pad_to_match, field = result.shape[1], observed = 5}}}
  %0 = symshape.pad_to_match %x, %n axis 0 : tensor<?x4xf32> to tensor<?x5xf32>
  return
}

// -----

func.func @pad_to_match_c6(%x: tensor<?xcomplex<f32>>, %n: index) {
  // expected-error@+2 {{expected field 'operand.element_type' to be an integer or a float, but got complex<f32>}}
  // expected-note@+1 {{{primitive = pad_to_match, field = operand.element_type, observed = complex<f32>}}}
  %0 = symshape.pad_to_match %x, %n axis 0 : tensor<?xcomplex<f32>> to tensor<?xcomplex<f32>>
  return
}
