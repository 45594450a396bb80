// RUN: symshape-opt %s --split-input-file --verify-diagnostics

func.func @resample_c1(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{expected field 'axes' to have at least 1 entry, but got 0}}
  // expected-note@+1 {{{primitive = resample, field = axes, observed = 0}}}
  %r = "symshape.resample"(%x) {axes = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @resample_c1_axis(%x: tensor<?x4xf32>, %p: tensor<1x?xi64>) {
  // expected-error@+2 {{expected field 'axes[0]' to be in [0, 2), but got 2}}
  // expected-note@+1 {{{primitive = resample, field = axes[0], observed = 2}}}
  %r = symshape.resample %x along [2] at %p : tensor<?x4xf32> at tensor<1x?xi64> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c2(%x: tensor<?x4xf32>, %p: tensor<?xi64>) {
  // expected-error@+1 {{operand #1 must be variadic of 2D tensor of 32-bit signless integer or 64-bit signless integer or index values, but got 'tensor<?xi64>'}}
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<?xi64> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c3(%x: tensor<?x4xf32>, %p: tensor<1x?xi64>) {
  // expected-error@+2 {{expected field 'places' to have 1 entries, but got 2}}
  // expected-note@+1 {{{primitive = resample, field = places, observed = 2}}}
  %r = symshape.resample %x along [0] at %p, %p : tensor<?x4xf32> at tensor<1x?xi64>, tensor<1x?xi64> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c3_shape(%x: tensor<?x4xf32>, %p: tensor<2x?xi64>, %w: tensor<3x?xf32>) {
  // expected-error@+2 {{expected field 'weights[0].shape[0]' to be 2, but got 3}}
  // expected-note@+1 {{{primitive = resample, field = weights[0].shape[0], observed = 3}}}
  %r = symshape.resample %x along [0] at %p weights %w : tensor<?x4xf32> at tensor<2x?xi64> weights tensor<3x?xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c4(%x: tensor<?x4xf32>, %p: tensor<2x?xi64>) {
  // expected-error@+2 {{expected field 'places[0].shape[0]' to be 1, but got 2}}
  // expected-note@+1 {{{primitive = resample, field = places[0].shape[0], observed = 2}}}
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<2x?xi64> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c4_late(%x: tensor<?x?xf32>, %p: tensor<?x?xi64>, %w: tensor<?x?xf32>) {
  // expected-error@+2 {{expected field 'places[0].shape[0]' to be a constant from 1, but got ?}}
  // expected-note@+1 {{{primitive = resample, field = places[0].shape[0], observed = ?}}}
  %r = symshape.resample %x along [0, 1] at %p, %p weights %w, %w : tensor<?x?xf32> at tensor<?x?xi64>, tensor<?x?xi64> weights tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return
}

// -----

func.func @resample_c4_none(%x: tensor<?x4xf32>, %p: tensor<0x?xi64>, %w: tensor<0x?xf32>) {
  // expected-error@+2 {{expected field 'places[0].shape[0]' to be a constant from 1, but got 0}}
  // expected-note@+1 {{{primitive = resample, field = places[0].shape[0], observed = 0}}}
  %r = symshape.resample %x along [0] at %p weights %w : tensor<?x4xf32> at tensor<0x?xi64> weights tensor<0x?xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c5(%x: tensor<?x4xf32>, %p: tensor<2x?xi64>, %w: tensor<2x?xf64>) {
  // expected-error@+2 {{expected field 'weights[0].element_type' to be f32, but got f64}}
  // expected-note@+1 {{{primitive = resample, field = weights[0].element_type, observed = f64}}}
  %r = symshape.resample %x along [0] at %p weights %w : tensor<?x4xf32> at tensor<2x?xi64> weights tensor<2x?xf64> to tensor<?x4xf32>
  return
}

// -----

func.func @resample_c5_source(%x: tensor<?x4xf32>, %p: tensor<2x?xi64>, %w: tensor<2x?xf16>) {
  // expected-error@+2 {{expected field 'source.element_type' to be f16 or narrower, but got f32}}
  // expected-note@+1 {{{primitive = resample, field = source.element_type, observed = f32}}}
  %r = symshape.resample %x along [0] at %p weights %w : tensor<?x4xf32> at tensor<2x?xi64> weights tensor<2x?xf16> to tensor<?x4xf16>
  return
}

// -----

func.func @resample_c5_kind(%x: tensor<?x4xindex>, %p: tensor<2x?xi64>, %w: tensor<2x?xi32>) {
  // expected-error@+2 {{expected field 'source.element_type' to be i32 or narrower, but got index}}
  // expected-note@+1 {{{primitive = resample, field = source.element_type, observed = index}}}
  %r = symshape.resample %x along [0] at %p weights %w : tensor<?x4xindex> at tensor<2x?xi64> weights tensor<2x?xi32> to tensor<?x4xi32>
  return
}

// -----

func.func @resample_c5_copy(%x: tensor<?x4xf32>, %p: tensor<1x?xi64>) {
  // expected-error@+2 {{expected field 'source.element_type' to be f64, but got f32}}
  // expected-note@+1 {{{primitive = resample, field = source.element_type, observed = f32}}}
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<1x?xi64> to tensor<?x4xf64>
  return
}

// -----

func.func @resample_c6(%x: tensor<?x4xf32>, %p: tensor<1x?xi64>) {
  // expected-error@+2 {{expected field 'result.shape[1]' to be 4, but got 5}}
  // expected-note@+1 {{{primitive = resample, field = result.shape[1], observed = 5}}}
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<1x?xi64> to tensor<?x5xf32>
  return
}

// -----

func.func @resample_c6_rank(%x: tensor<?x4xf32>, %p: tensor<1x?xi64>) {
  // expected-error@+2 {{expected field 'result.rank' to be 2, but got 1}}
  // expected-note@+1 {{{primitive = resample, field = result.rank, observed = 1}}}
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<1x?xi64> to tensor<?xf32>
  return
}

// -----

func.func @resample_c7(%x: tensor<0x4xf32>, %p: tensor<1x2xi64>) {
  // expected-error@+2 {{expected field 'source.shape[0]' to be at least 1, but got 0}}
  // expected-note@+1 {{{primitive = resample, field = source.shape[0], observed = 0}}}
  %r = symshape.resample %x along [0] at %p : tensor<0x4xf32> at tensor<1x2xi64> to tensor<2x4xf32>
  return
}
