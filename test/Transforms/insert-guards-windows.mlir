// RUN: symshape-report %s | FileCheck %s --implicit-check-not=guard: --implicit-check-not=check:

// Positive: what depends on values is checked before the op.
// CHECK-LABEL: @values
// CHECK:       check: %s must be at least 1
// CHECK-NEXT:    needed by symshape.windows at {{.*}} (stride[0])
// CHECK:       check: %d must be at least 1
// CHECK-NEXT:    needed by symshape.windows at {{.*}} (dilation[0])
// CHECK:       check: %p + H must be at most 9223372036854775807
// CHECK-NEXT:    needed by symshape.windows at {{.*}} (high[0])
// CHECK:       check: 2*%d must be less than %p + H
// CHECK:         needed by symshape.windows at {{.*}} (kernel[0])
// CHECK:       check: %s must divide -2*%d + %p + H - 1
// CHECK:         needed by symshape.windows at {{.*}} (stride[0])
func.func @values(%x: tensor<?x?x4xf32> {symshape.shape = #symshape.shape<[N, H, 4]>}, %v: f32,
                  %s: index, %d: index, %p: index) -> tensor<?x?x3x4xf32> {
  %r = symshape.windows %x, %v kernel [3] low [%p] high [0] stride [%s] dilation [%d] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
  return %r : tensor<?x?x3x4xf32>
}

// Positive: with constants all is known at entry.
// CHECK-LABEL: @constants
// CHECK:       guard: 2 must divide H - 1
// CHECK:       guard: extent of %x dim 2 (W) must be at least 2
// CHECK:       no guard: extent of %x dim 1 (H) must be at least 1
func.func @constants(%x: tensor<?x?x?x4xf32> {symshape.shape = #symshape.shape<[N, H, W, 4]>}, %v: f32)
    -> tensor<?x?x?x3x2x4xf32> {
  %r = symshape.windows %x, %v kernel [3, 2] low [1, 0] high [1, 0] stride [2, 1] dilation [1, 1] spread [1, 1]
      : tensor<?x?x?x4xf32> to tensor<?x?x?x3x2x4xf32>
  return %r : tensor<?x?x?x3x2x4xf32>
}

// Must not fire: nothing is left to check where the image is spread and padded.
// CHECK-LABEL: @spread
func.func @spread(%x: tensor<2x5x4xf32>, %v: f32) -> tensor<2x17x3x4xf32> {
  %r = symshape.windows %x, %v kernel [3] low [4] high [2] stride [1] dilation [1] spread [3]
      : tensor<2x5x4xf32> to tensor<2x17x3x4xf32>
  return %r : tensor<2x17x3x4xf32>
}
