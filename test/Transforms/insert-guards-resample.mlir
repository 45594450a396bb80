// RUN: symshape-report %s | FileCheck %s --implicit-check-not=guard: --implicit-check-not=check:

// Positive: there is something to read wherever there is a place.
// CHECK-LABEL: @copies
// CHECK:       guard: min(Q, 1) must be at most extent of %x dim 1 (W)
// CHECK-NEXT:    needed by symshape.resample at {{.*}} (source.shape[1])
// CHECK:       guard: min(P, 1) must be at most extent of %x dim 0 (H)
// CHECK-NEXT:    needed by symshape.resample at {{.*}} (source.shape[0])
func.func @copies(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[H, W]>},
                  %p: tensor<1x?xi64> {symshape.shape = #symshape.shape<[1, P]>},
                  %q: tensor<1x?xi64> {symshape.shape = #symshape.shape<[1, Q]>}) -> tensor<?x?xf32> {
  %r = symshape.resample %x along [1, 0] at %q, %p
      : tensor<?x?xf32> at tensor<1x?xi64>, tensor<1x?xi64> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: weights are as many as places.
// CHECK-LABEL: @sums
// CHECK:       guard: extent of %w dim 0 (L) must equal extent of %p dim 0 (K)
// CHECK-NEXT:    needed by symshape.resample at {{.*}} (weights[0].shape[0])
// CHECK:       guard: extent of %w dim 1 (Q) must equal extent of %p dim 1 (P)
// CHECK-NEXT:    needed by symshape.resample at {{.*}} (weights[0].shape[1])
func.func @sums(%x: tensor<2x4xf16>,
                %p: tensor<?x?xi32> {symshape.shape = #symshape.shape<[K, P]>},
                %w: tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, Q]>}) -> tensor<?x4xf32> {
  %r = symshape.resample %x along [0] at %p weights %w
      : tensor<2x4xf16> at tensor<?x?xi32> weights tensor<?x?xf32> to tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Must not fire: a result without elements along an axis asks for none.
// CHECK-LABEL: @none
func.func @none(%x: tensor<?x4xf32>, %p: tensor<1x0xi64>) -> tensor<0x4xf32> {
  %r = symshape.resample %x along [0] at %p : tensor<?x4xf32> at tensor<1x0xi64> to tensor<0x4xf32>
  return %r : tensor<0x4xf32>
}
