// RUN: symshape-opt %s --symshape-lower-tosa --split-input-file --verify-diagnostics

// What other passes look at before is not taken for granted.

// Negative: elements of a type that is not in the tensor.
func.func @quantized(%x: tensor<4x!quant.uniform<i8:f32, 0.01>>) -> tensor<4x!quant.uniform<i8:f32, 0.01>> {
  // expected-error@+1 {{'tosa.identity' op expected signless integers or floats, but got 'tensor<4x!quant.uniform<i8:f32, 1.000000e-02>>'}}
  %0 = tosa.identity %x : (tensor<4x!quant.uniform<i8:f32, 0.01>>) -> tensor<4x!quant.uniform<i8:f32, 0.01>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.01>>
}

// -----

// Negative: no rank.
func.func @unranked(%x: tensor<1x32x32x8xf32>) -> tensor<*xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.resize' op expected ranked tensors, but got 'tensor<*xf32>'}}
  %0 = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x32x32x8xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Negative: a slice that begins before its operand.
func.func @before(%x: tensor<13xf32>) -> tensor<4xf32> {
  %0 = tosa.const_shape {values = dense<[-1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error@+1 {{expected a program that symshape-insert-guards accepts, but expected offsets to be non-negative, but got -1}}
  %2 = tosa.slice %x, %0, %1 : (tensor<13xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
