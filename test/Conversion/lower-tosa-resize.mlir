// RUN: symshape-opt %s --symshape-lower-tosa | FileCheck %s

// Positive: two taps along each axis; weights of floats are quotients.
// CHECK-LABEL: func.func @floats(
// CHECK:         arith.divf
// CHECK:         symshape.resample %{{.*}} along [1, 2] at {{.*}} weights {{.*}} to tensor<?x?x?x?xf32>
// CHECK-NEXT:    return
func.func @floats(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x?xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// Positive: sums of halves are formed in f32, and rounded once.
// CHECK-LABEL: func.func @halves(
// CHECK:         %[[SUMS:.*]] = symshape.resample {{.*}} : tensor<?x?x?x?xf16> {{.*}} to tensor<?x?x?x?xf32>
// CHECK-NEXT:    arith.truncf %[[SUMS]] : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf16>
func.func @halves(%x: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x?xf16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xf16>
  return %r : tensor<?x?x?x?xf16>
}

// Must not fire: weights of integers are parts of the scale, not divided by it.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT:     arith.div{{f|si}}
// CHECK:         symshape.resample {{.*}} : tensor<?x?x?x?xi8> {{.*}} to tensor<?x?x?x?xi32>
func.func @integers(%x: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x?xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi32>
  return %r : tensor<?x?x?x?xi32>
}

// Must not fire: the nearest neighbours are copies.
// CHECK-LABEL: func.func @nearest(
// CHECK-NOT:     weights
// CHECK:         symshape.resample {{.*}} : tensor<?x?x?x?xi8> at tensor<1x?xindex>, tensor<1x?xindex> to tensor<?x?x?x?xi8>
func.func @nearest(%x: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<?x?x?x?xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xi8>
  return %r : tensor<?x?x?x?xi8>
}
