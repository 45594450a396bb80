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
