// RUN: symshape-opt %s --symshape-cpu --split-input-file --verify-diagnostics

// What the specification of TOSA says of attributes, and upstream's verifier forgets.

// Negative: both sides.
func.func @unsigned_twice(%x: tensor<?xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' op expected unsigned integers on one side only}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = true, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// Negative: what is unsigned, and what it comes from.
func.func @unsigned_beside_i32(%x: tensor<?xi32>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xi32>, %y: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' op expected integers of at most 16 bits beside unsigned ones, but got 32 bits}}
  %0 = tosa.rescale %x, %m, %s, %z, %y {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// Negative: products of 48 and 32 bits.
func.func @wide_product(%x: tensor<?xi48>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xi48>, %y: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' op expected multipliers of 16 bits for integers of 48 bits}}
  %0 = tosa.rescale %x, %m, %s, %z, %y {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?xi48>, tensor<1xi32>, tensor<1xi8>, tensor<1xi48>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// Negative: the first rounding is that of 32 bits.
func.func @round_twice(%x: tensor<?xi8>, %m: tensor<1xi16>, %s: tensor<1xi8>, %z: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' op expected multipliers of 32 bits to round twice}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = false} : (tensor<?xi8>, tensor<1xi16>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// Negative: nothing to join.
func.func @join_nothing(%x: tensor<2x?xi8>) -> tensor<?x?xi8> {
  %a = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %b = tosa.const_shape {values = dense<[-1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.concat_shape' op expected shapes of at least one extent}}
  %s = tosa.concat_shape %a, %b : (!tosa.shape<0>, !tosa.shape<2>) -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x?xi8>, !tosa.shape<2>) -> tensor<?x?xi8>
  return %0 : tensor<?x?xi8>
}

// -----

// Negative: a larger scale needs wider sums.
func.func @scale_above_2048(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[2049, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: 2049 must be at most 2048}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (scale in height)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: a smaller scale skips too much.
func.func @scale_of_sixteenth(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[1, 16, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[15, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: 16 must be at most 15}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (scale in height)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: before the input by more than a place.
func.func @offset_below(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-3, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: -2 must be at most -3}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (offset in height)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: behind sixteen places.
func.func @offset_above(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 16]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: 16 must be at most 15}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (offset in width)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: the last place ends sixteen before.
func.func @border_below(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[-17, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: -16 must be at most -17}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (border in height)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: the last place ends one behind.
func.func @border_above(%x: tensor<1x2x?x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[3, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: 3 must be at most 1}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (border in height)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x?x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: an extent that is known.
func.func @extent_above_limit(%x: tensor<1x2x16499x4xi8>) -> tensor<1x?x?x4xi8> {
  %s = tosa.const_shape {values = dense<[1, 1, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+2 {{requirement can never hold: 16499 must be at most 16383}}
  // expected-note-re@+1 {{needed by tosa.resize at {{.*}} (largest width)}}
  %0 = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x16499x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x4xi8>
  return %0 : tensor<1x?x?x4xi8>
}

// -----

// Negative: upstream yields 32 bits whatever the result is.
func.func @narrow_product(%x: tensor<?xi8>, %y: tensor<?xi8>, %s: tensor<1xi8>) -> tensor<?xi16> {
  // expected-error@+1 {{'tosa.mul' op expected a product of 32 bits beside a shift that is no constant, but got 'i16'}}
  %0 = tosa.mul %x, %y, %s : (tensor<?xi8>, tensor<?xi8>, tensor<1xi8>) -> tensor<?xi16>
  return %0 : tensor<?xi16>
}
