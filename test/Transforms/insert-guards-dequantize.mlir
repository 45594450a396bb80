// RUN: symshape-report %s | FileCheck %s --implicit-check-not=guard: --implicit-check-not=check:

// Positive: bytes and blocks are enough for the terms, and rows are the same.
// CHECK-LABEL: @codes
// CHECK:       guard: extent of %q dim 1 (B) must be at least 64
// CHECK-NEXT:    needed by symshape.dequantize at {{.*}} (codes.shape[1])
// CHECK:       guard: extent of %s dim 0 (M) must equal extent of %q dim 0 (N)
// CHECK-NEXT:    needed by symshape.dequantize at {{.*}} (scales.shape[0])
// CHECK:       guard: extent of %s dim 1 (G) must be at least 4
// CHECK-NEXT:    needed by symshape.dequantize at {{.*}} (scales.shape[1])
// CHECK:       guard: extent of %z dim 0 (P) must equal extent of %q dim 0 (N)
// CHECK-NEXT:    needed by symshape.dequantize at {{.*}} (zeros.shape[0])
func.func @codes(%q: tensor<?x?xi8> {symshape.shape = #symshape.shape<[N, B]>},
                 %s: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, G]>},
                 %z: tensor<?x4xi8> {symshape.shape = #symshape.shape<[P, 4]>}) -> tensor<?x128xf32> {
  %r = symshape.dequantize %q scales %s zeros %z bits 4 block 32
      : tensor<?x?xi8>, tensor<?x?xf32>, tensor<?x4xi8> to tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// Must not fire: static extents have been compared by the verifier.
// CHECK-LABEL: @static
func.func @static(%q: tensor<8x60xi8>, %s: tensor<8x4xf32>) -> tensor<8x100xf32> {
  %r = symshape.dequantize %q scales %s bits 4 block 32
      : tensor<8x60xi8>, tensor<8x4xf32> to tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}
