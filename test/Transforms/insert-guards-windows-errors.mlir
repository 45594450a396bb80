// RUN: symshape-opt %s --symshape-insert-guards --split-input-file --verify-diagnostics

// Negative: a value that is a constant in the end.
func.func @stride(%x: tensor<1x?x4xf32>, %v: f32) -> tensor<1x?x3x4xf32> {
  %zero = arith.constant 0 : index
  // expected-error@+2 {{requirement can never hold: 0 must be at least 1}}
  // expected-note-re@+1 {{needed by symshape.windows at {{.*}} (stride[0])}}
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [%zero] dilation [1] spread [1]
      : tensor<1x?x4xf32> to tensor<1x?x3x4xf32>
  return %r : tensor<1x?x3x4xf32>
}
