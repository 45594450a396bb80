// RUN: symshape-opt %s --symshape-lower-tosa-control-flow --split-input-file --verify-diagnostics

// Negative: no rank. Upstream's patterns do not end.
func.func @unranked(%x: tensor<10x10xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'tosa.add' op expected ranked tensors, but got 'tensor<*xf32>'}}
  %0 = tosa.add %x, %y : (tensor<10x10xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Negative: no rank, of the result alone.
func.func @unranked_result(%x: tensor<?xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'tosa.abs' op expected ranked tensors, but got 'tensor<*xf32>'}}
  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Negative: signs are in attributes, and not in types.
func.func @unsigned_type(%x: tensor<2xui8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %a: tensor<1xui8>, %b: tensor<1xi8>) -> tensor<2xi8> {
  // expected-error@+1 {{'tosa.rescale' op expected signless integers or floats, but got 'tensor<2xui8>'}}
  %0 = tosa.rescale %x, %m, %s, %a, %b {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = false} : (tensor<2xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

// Negative: elements that carry their scale.
func.func @quantized(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{'tosa.identity' op expected signless integers or floats, but got 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %0 = tosa.identity %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
