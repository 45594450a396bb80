// RUN: not symshape-opt %s --symshape-jvp='function=weights wrt=1' 2>&1 | FileCheck %s
// RUN: symshape-opt %s --symshape-jvp='function=weights wrt=0' | FileCheck %s --check-prefix=SOURCE

// Negative: the rule is that of the source; places and weights are given.
// CHECK:      'symshape.resample' op expected a derivative rule for the weights, but there is none
// CHECK:      note: a derivative of this function was asked for
// CHECK:      note: compute the weights from extents and constants
// CHECK:      note: {primitive = resample, field = rule, observed = missing}
// SOURCE-COUNT-2: symshape.resample
func.func @weights(%x: tensor<?xf32>, %w: tensor<2x?xf32>, %p: tensor<2x?xi64>) -> tensor<?xf32> {
  %r = symshape.resample %x along [0] at %p weights %w
      : tensor<?xf32> at tensor<2x?xi64> weights tensor<2x?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
