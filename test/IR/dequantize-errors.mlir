// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @dequantize_c1(%q: tensor<64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+1 {{operand #0 must be 2D tensor of 8-bit signless integer values, but got 'tensor<64xi8>'}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c1_scales(%q: tensor<?x64xi8>, %s: tensor<?x4xf64>) {
  // expected-error@+2 {{expected field 'scales.element_type' to be f32 or narrower, but got f64}}
  // expected-note@+1 {{{primitive = dequantize, field = scales.element_type, observed = f64}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf64> to tensor<?x128xf32>
  return
}

// -----

// Neither of the two has all numbers of the other.
func.func @dequantize_c1_same_width(%q: tensor<?x64xi8>, %s: tensor<?x4xbf16>) {
  // expected-error@+2 {{expected field 'scales.element_type' to be f16 or narrower, but got bf16}}
  // expected-note@+1 {{{primitive = dequantize, field = scales.element_type, observed = bf16}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xbf16> to tensor<?x128xf16>
  return
}

// -----

func.func @dequantize_c1_zeros(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>, %z: tensor<?x4xf16>) {
  // expected-error@+2 {{expected field 'zeros.element_type' to be i8 or f32, but got f16}}
  // expected-note@+1 {{{primitive = dequantize, field = zeros.element_type, observed = f16}}}
  %r = symshape.dequantize %q scales %s zeros %z bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf32>, tensor<?x4xf16> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c2(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'bits' to be 2, 4 or 8, but got 3}}
  // expected-note@+1 {{{primitive = dequantize, field = bits, observed = 3}}}
  %r = symshape.dequantize %q scales %s bits 3 block 32 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c2_none(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'bits' to be 2, 4 or 8, but got 0}}
  // expected-note@+1 {{{primitive = dequantize, field = bits, observed = 0}}}
  %r = symshape.dequantize %q scales %s bits 0 block 32 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c3(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'block' to be a positive multiple of 2, but got 0}}
  // expected-note@+1 {{{primitive = dequantize, field = block, observed = 0}}}
  %r = symshape.dequantize %q scales %s bits 4 block 0 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c3_in_byte(%q: tensor<?x64xi8>, %s: tensor<?x?xf32>) {
  // expected-error@+2 {{expected field 'block' to be a positive multiple of 4, but got 6}}
  // expected-note@+1 {{{primitive = dequantize, field = block, observed = 6}}}
  %r = symshape.dequantize %q scales %s bits 2 block 6 : tensor<?x64xi8>, tensor<?x?xf32> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c3_negative(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'block' to be a positive multiple of 1, but got -8}}
  // expected-note@+1 {{{primitive = dequantize, field = block, observed = -8}}}
  %r = symshape.dequantize %q scales %s bits 8 block -8 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x64xf32>
  return
}

// -----

func.func @dequantize_c4(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be static, but got ?}}
  // expected-note@+1 {{{primitive = dequantize, field = result.shape[1], observed = ?}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x?xf32>
  return
}

// -----

// An odd number of terms ends within a byte.
func.func @dequantize_c4_codes(%q: tensor<?x64xi8>, %s: tensor<?x5xf32>) {
  // expected-error@+2 {{expected field 'codes.shape[1]' to be at least 65, but got 64}}
  // expected-note@+1 {{{primitive = dequantize, field = codes.shape[1], observed = 64}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x64xi8>, tensor<?x5xf32> to tensor<?x129xf32>
  return
}

// -----

func.func @dequantize_c4_scales(%q: tensor<?x65xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'scales.shape[1]' to be at least 5, but got 4}}
  // expected-note@+1 {{{primitive = dequantize, field = scales.shape[1], observed = 4}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x65xi8>, tensor<?x4xf32> to tensor<?x129xf32>
  return
}

// -----

func.func @dequantize_c4_zeros(%q: tensor<?x64xi8>, %s: tensor<?x4xf32>, %z: tensor<?x3xi8>) {
  // expected-error@+2 {{expected field 'zeros.shape[1]' to be at least 4, but got 3}}
  // expected-note@+1 {{{primitive = dequantize, field = zeros.shape[1], observed = 3}}}
  %r = symshape.dequantize %q scales %s zeros %z bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf32>, tensor<?x3xi8> to tensor<?x128xf32>
  return
}

// -----

func.func @dequantize_c5(%q: tensor<8x64xi8>, %s: tensor<7x4xf32>) {
  // expected-error@+2 {{expected field 'scales.shape[0]' to be 8, but got 7}}
  // expected-note@+1 {{{primitive = dequantize, field = scales.shape[0], observed = 7}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<8x64xi8>, tensor<7x4xf32> to tensor<8x128xf32>
  return
}

// -----

func.func @dequantize_c5_zeros(%q: tensor<8x64xi8>, %s: tensor<8x4xf32>, %z: tensor<1x4xi8>) {
  // expected-error@+2 {{expected field 'zeros.shape[0]' to be 8, but got 1}}
  // expected-note@+1 {{{primitive = dequantize, field = zeros.shape[0], observed = 1}}}
  %r = symshape.dequantize %q scales %s zeros %z bits 4 block 32 : tensor<8x64xi8>, tensor<8x4xf32>, tensor<1x4xi8> to tensor<8x128xf32>
  return
}

// -----

func.func @dequantize_c5_result(%q: tensor<8x64xi8>, %s: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'result.shape[0]' to be 8, but got 9}}
  // expected-note@+1 {{{primitive = dequantize, field = result.shape[0], observed = 9}}}
  %r = symshape.dequantize %q scales %s bits 4 block 32 : tensor<8x64xi8>, tensor<?x4xf32> to tensor<9x128xf32>
  return
}
