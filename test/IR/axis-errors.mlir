// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @reverse_c1(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'axes[1]' to be an axis that is given once, but got 0}}
  // expected-note@+1 {{{primitive = reverse, field = axes[1], observed = 0}}}
  %0 = symshape.reverse %x axes [0, 0] : tensor<?x4xf32>
  return
}

// -----

func.func @cumsum_c1(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = cumsum, field = axis, observed = 2}}}
  %0 = symshape.cumsum %x axis 2 : tensor<?x4xf32>
  return
}

// -----

func.func @cumsum_c2(%x: tensor<?xcomplex<f32>>) {
  // expected-error@+2 {{expected field 'operand.element_type' to be a float, an integer or an index, but got complex<f32>}}
  // expected-note@+1 {{{primitive = cumsum, field = operand.element_type, observed = complex<f32>}}}
  %0 = symshape.cumsum %x axis 0 : tensor<?xcomplex<f32>>
  return
}

// -----

func.func @sort_c1(%x: tensor<f32>) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 0), but got 0}}
  // expected-note@+1 {{{primitive = sort, field = axis, observed = 0}}}
  %0, %1 = symshape.sort %x axis 0 : tensor<f32>, tensor<i64>
  return
}

// -----

func.func @sort_c2(%x: tensor<?xi1>) {
  // expected-error@+2 {{expected field 'operand.element_type' to be a float, an index, or an integer of more than one bit, but got i1}}
  // expected-note@+1 {{{primitive = sort, field = operand.element_type, observed = i1}}}
  %0, %1 = symshape.sort %x axis 0 : tensor<?xi1>, tensor<?xi64>
  return
}

// -----

func.func @sort_c3(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'permutation.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = sort, field = permutation.shape[1], observed = 5}}}
  %0, %1 = symshape.sort %x axis 0 : tensor<?x4xf32>, tensor<?x5xi64>
  return
}

// -----

func.func @sort_c3_element(%x: tensor<?xf32>) {
  // expected-error@+2 {{expected field 'permutation.element_type' to be i32, i64 or index, but got i8}}
  // expected-note@+1 {{{primitive = sort, field = permutation.element_type, observed = i8}}}
  %0, %1 = symshape.sort %x axis 0 : tensor<?xf32>, tensor<?xi8>
  return
}

// -----

func.func @top_k_c1(%x: tensor<?xf32>, %k: index) {
  // expected-error@+2 {{expected field 'axis' to be in [0, 1), but got -1}}
  // expected-note@+1 {{{primitive = top_k, field = axis, observed = -1}}}
  %0, %1 = symshape.top_k %x, %k axis -1 : tensor<?xf32> to tensor<?xf32>, tensor<?xi64>
  return
}

// -----

func.func @top_k_c2(%x: tensor<?xi1>, %k: index) {
  // expected-error@+2 {{expected field 'operand.element_type' to be a float, an index, or an integer of more than one bit, but got i1}}
  // expected-note@+1 {{{primitive = top_k, field = operand.element_type, observed = i1}}}
  %0, %1 = symshape.top_k %x, %k axis 0 : tensor<?xi1> to tensor<?xi1>, tensor<?xi64>
  return
}

// -----

func.func @top_k_c3(%x: tensor<?x4xf32>, %k: index) {
  // expected-error@+2 {{expected field 'values.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = top_k, field = values.shape[1], observed = 5}}}
  %0, %1 = symshape.top_k %x, %k axis 0 : tensor<?x4xf32> to tensor<?x5xf32>, tensor<?x5xi64>
  return
}
