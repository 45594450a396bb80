// RUN: symshape-opt %s --symshape-widen-integers --split-input-file --verify-diagnostics

// Negative: the sum would have 64 bits.
func.func @sum(%a: tensor<?xi48>) -> tensor<?xi48> {
  // expected-error@+1 {{expected arithmetic on elements, but got 'arith.addi' on 'tensor<?xi48>'}}
  %0 = arith.addi %a, %a : tensor<?xi48>
  return %0 : tensor<?xi48>
}

// -----

func.func @weights() -> tensor<2xi48> {
  // expected-error@+1 {{expected elements of type 'tensor<2xi48>' to be listed}}
  %0 = arith.constant dense_resource<w> : tensor<2xi48>
  return %0 : tensor<2xi48>
}

{-#
  dialect_resources: { builtin: { w: "0x08000000010000000000020000000000" } }
#-}

// -----

// Negative: an op that may be about the width of its elements.
func.func @of_tosa() -> tensor<4xi4> {
  // expected-error@+1 {{expected ops of linalg, tensor and symshape on integers of odd widths, but got 'tosa.const'}}
  %0 = "tosa.const"() {values = dense<7> : tensor<4xi4>} : () -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

// Negative: memory keeps its type.
func.func @memory(%a: memref<4xi4>) -> tensor<4xi4> {
  // expected-error@+1 {{expected tensors to share no memory of such integers, but got 'memref<4xi4>'}}
  %0 = bufferization.to_tensor %a restrict : memref<4xi4> to tensor<4xi4>
  return %0 : tensor<4xi4>
}
