// RUN: symshape-opt %s --symshape-lower-tosa=resize-by-gathers | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s --check-prefix=LOOP

// Positive: rows, then columns, each before and behind a place.
// CHECK-LABEL: func.func @floats(
// CHECK-COUNT-4: symshape.gather clip
// CHECK-NOT:     symshape.gather
// LOOP-LABEL: func.func @floats(
// LOOP-NOT:     symshape.gather
// LOOP-COUNT-4: tensor.extract
func.func @floats(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x?xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// Must not fire: integers have no derivative.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT:     symshape.gather
// CHECK:         return
func.func @integers(%x: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<?x?x?x?xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %r : tensor<?x?x?x?xi8>
}
