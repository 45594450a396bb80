// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @windows_c1(%x: tensor<?x?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'stride' to have 1 entries, but got 2}}
  // expected-note@+1 {{{primitive = windows, field = stride, observed = 2}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [1, 1] dilation [1] spread [1] : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
  return
}

// -----

func.func @windows_c1_rank(%x: tensor<?x?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result' to have 4 axes, but got 3}}
  // expected-note@+1 {{{primitive = windows, field = result, observed = 3}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [1] dilation [1] spread [1] : tensor<?x?x4xf32> to tensor<?x?x4xf32>
  return
}

// -----

func.func @windows_c1_empty(%x: tensor<?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'kernel' to have at least 1 entry, but got 0}}
  // expected-note@+1 {{{primitive = windows, field = kernel, observed = 0}}}
  %r = symshape.windows %x, %v kernel [] low [] high [] stride [] dilation [] spread [] : tensor<?x4xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @windows_c2(%x: tensor<?x?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'spread[0]' to be at least 1, but got 0}}
  // expected-note@+1 {{{primitive = windows, field = spread[0], observed = 0}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [1] dilation [1] spread [0] : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
  return
}

// -----

func.func @windows_c3(%x: tensor<?x?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result.shape[3]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = windows, field = result.shape[3], observed = 5}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [1] dilation [1] spread [1] : tensor<?x?x4xf32> to tensor<?x?x3x5xf32>
  return
}

// -----

func.func @windows_c3_kernel(%x: tensor<?x?x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result.shape[2]' to be 3, but got 2}}
  // expected-note@+1 {{{primitive = windows, field = result.shape[2], observed = 2}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [1] dilation [1] spread [1] : tensor<?x?x4xf32> to tensor<?x?x2x4xf32>
  return
}

// -----

func.func @windows_c4(%x: tensor<1x6x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'stride[0]' to divide 3, but got 2}}
  // expected-note@+1 {{{primitive = windows, field = stride[0], observed = 2}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [2] dilation [1] spread [1] : tensor<1x6x4xf32> to tensor<1x?x3x4xf32>
  return
}

// -----

func.func @windows_c4_room(%x: tensor<1x5x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'kernel[0]' to leave a room of at least 0, but got -1}}
  // expected-note@+1 {{{primitive = windows, field = kernel[0], observed = -1}}}
  %r = symshape.windows %x, %v kernel [3] low [-1] high [0] stride [1] dilation [2] spread [1] : tensor<1x5x4xf32> to tensor<1x?x3x4xf32>
  return
}

// -----

func.func @windows_c4_count(%x: tensor<1x4x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 6, but got 5}}
  // expected-note@+1 {{{primitive = windows, field = result.shape[1], observed = 5}}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [1] stride [1] dilation [1] spread [2] : tensor<1x4x4xf32> to tensor<1x5x3x4xf32>
  return
}

// -----

func.func @windows_c4_empty(%x: tensor<1x0x4xf32>, %v: f32) {
  // expected-error@+2 {{expected field 'source.shape[1]' to be at least 1, but got 0}}
  // expected-note@+1 {{{primitive = windows, field = source.shape[1], observed = 0}}}
  %r = symshape.windows %x, %v kernel [3] low [3] high [0] stride [1] dilation [1] spread [2] : tensor<1x0x4xf32> to tensor<1x?x3x4xf32>
  return
}
