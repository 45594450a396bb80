// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_slice_c29(%x: tensor<?x4xf32>, %i: index) {
  // expected-error@+2 {{expected field 'starts' to have 2 entries, but got 1}}
  // expected-note@+1 {{{primitive = dynamic_slice, field = starts, observed = 1}}}
  %0 = symshape.dynamic_slice %x[%i] sizes [1, 2] : tensor<?x4xf32> to tensor<1x2xf32>
  return
}

// -----

func.func @dynamic_slice_c29_size(%x: tensor<?x4xf32>, %i: index) {
  // expected-error@+2 {{expected field 'sizes[1]' to be at most 4, but got 5}}
  // expected-note@+1 {{{primitive = dynamic_slice, field = sizes[1], observed = 5}}}
  %0 = symshape.dynamic_slice %x[%i, %i] sizes [1, 5] : tensor<?x4xf32> to tensor<1x5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c29(%x: tensor<?x4xf32>, %u: tensor<?x5xf32>, %i: index) {
  // expected-error@+2 {{expected field 'update.shape[1]' to be at most 4, but got 5}}
  // expected-note@+1 {{{primitive = dynamic_update_slice, field = update.shape[1], observed = 5}}}
  %0 = symshape.dynamic_update_slice %u into %x[%i, %i] : tensor<?x5xf32> into tensor<?x4xf32>
  return
}

// -----

func.func @pad_c35(%x: tensor<3xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result.shape[0]' to be at least 0, but got -1}}
  // expected-note@+1 {{{primitive = pad, field = result.shape[0], observed = -1}}}
  %0 = symshape.pad %x, %v low [-2] high [-2] interior [0] : tensor<3xf32> to tensor<?xf32>
  return
}

// -----

func.func @pad_c35_interior(%x: tensor<3xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'interior[0]' to be at least 0, but got -1}}
  // expected-note@+1 {{{primitive = pad, field = interior[0], observed = -1}}}
  %0 = symshape.pad %x, %v low [0] high [0] interior [-1] : tensor<3xf32> to tensor<?xf32>
  return
}

// -----

func.func @pad_c35_extent(%x: tensor<3xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result.shape[0]' to be 6, but got 5}}
  // expected-note@+1 {{{primitive = pad, field = result.shape[0], observed = 5}}}
  %0 = symshape.pad %x, %v low [1] high [0] interior [1] : tensor<3xf32> to tensor<5xf32>
  return
}

// -----

func.func @broadcast_c30(%x: tensor<3xf32>) {
  // expected-error@+2 {{expected field 'dims[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = broadcast, field = dims[0], observed = 2}}}
  %0 = symshape.broadcast %x to [2, 3] dims [2] expanding [] : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c31(%x: tensor<?xf32>) {
  // expected-error@+2 {{expected field 'operand.shape[0]' to be the constant 1, but got symbolic}}
  // expected-note@+1 {{{primitive = broadcast, field = operand.shape[0], observed = symbolic}}}
  %0 = symshape.broadcast %x to [2] dims [0] expanding [0] : tensor<?xf32> to tensor<2xf32>
  return
}

// -----

func.func @broadcast_c32(%x: tensor<1xf32>) {
  // expected-error@+2 {{expected field 'shape[0]' to be 1, but got 2}}
  // expected-note@+1 {{{primitive = broadcast, field = shape[0], observed = 2}}}
  %0 = symshape.broadcast %x to [2] dims [0] expanding [] : tensor<1xf32> to tensor<2xf32>
  return
}

// -----

func.func @reshape_c33(%x: tensor<6xf32>) {
  // expected-error@+2 {{expected field 'target_shape' to have 6 elements, but got 8}}
  // expected-note@+1 {{{primitive = reshape, field = target_shape, observed = 8}}}
  %0 = symshape.reshape %x to [2, 4] : tensor<6xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @reshape_c33_negative(%x: tensor<?xf32>) {
  // expected-error@+2 {{expected field 'target_shape[0]' to be at least 0, but got -2}}
  // expected-note@+1 {{{primitive = reshape, field = target_shape[0], observed = -2}}}
  %0 = symshape.reshape %x to [-2] : tensor<?xf32> to tensor<?xf32>
  return
}
