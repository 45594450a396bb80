// RUN: symshape-opt %s -allow-unregistered-dialect --loop-invariant-code-motion | FileCheck %s
// RUN: symshape-opt %s -allow-unregistered-dialect --cse | FileCheck %s --check-prefix=CSE

// Positive: valid whatever the operands are, so it may run where the loop does not.
// CHECK-LABEL: func.func @moves(
// CHECK:         symshape.cumsum
// CHECK:         symshape.reverse
// CHECK:         symshape.windows
// CHECK:         symshape.resample
// CHECK:         scf.for
func.func @moves(%x: tensor<?x?xf32>, %image: tensor<1x7x2xf32>, %p: tensor<1x4xi64>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %sums = symshape.cumsum %x axis 1 : tensor<?x?xf32>
    %back = symshape.reverse %sums axes [0] : tensor<?x?xf32>
    %w = symshape.windows %image, %v kernel [3] low [0] high [0] stride [2] dilation [1] spread [1] : tensor<1x7x2xf32> to tensor<1x3x3x2xf32>
    %r = symshape.resample %image along [1] at %p : tensor<1x7x2xf32> at tensor<1x4xi64> to tensor<1x4x2xf32>
    "test.use"(%back, %w, %r) : (tensor<?x?xf32>, tensor<1x3x3x2xf32>, tensor<1x4x2xf32>) -> ()
  }
  return
}

// Must not fire: in a loop that does not run nobody asks for these.
// CHECK-LABEL: func.func @stays(
// CHECK:         scf.for
// CHECK:           symshape.reshape
// CHECK:           symshape.top_k
// CHECK:           symshape.windows
// CHECK:           symshape.resample
// CHECK:           symshape.bind_shape
func.func @stays(%x: tensor<?xf32>, %image: tensor<1x?x2xf32>, %p: tensor<1x?xi64>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %pairs = symshape.reshape %x to [%n, 2] : tensor<?xf32> to tensor<?x2xf32>
    %top, %places = symshape.top_k %x, %n axis 0 : tensor<?xf32> to tensor<?xf32>, tensor<?xi64>
    %w = symshape.windows %image, %v kernel [3] low [0] high [0] stride [2] dilation [1] spread [1] : tensor<1x?x2xf32> to tensor<1x?x3x2xf32>
    %r = symshape.resample %image along [1] at %p : tensor<1x?x2xf32> at tensor<1x?xi64> to tensor<1x?x2xf32>
    %named = symshape.bind_shape %x [B] : tensor<?xf32>
    "test.use"(%pairs, %top, %w, %r, %named) : (tensor<?x2xf32>, tensor<?xf32>, tensor<1x?x3x2xf32>, tensor<1x?x2xf32>, tensor<?xf32>) -> ()
  }
  return
}

// Positive: one of two equal ops is enough, also of those that may fail.
// CSE-LABEL: func.func @twice(
// CSE-COUNT-1: symshape.reshape
// CSE-NOT:     symshape.reshape
func.func @twice(%x: tensor<?xf32>, %n: index) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %a = symshape.reshape %x to [%n, 2] : tensor<?xf32> to tensor<?x2xf32>
  %b = symshape.reshape %x to [%n, 2] : tensor<?xf32> to tensor<?x2xf32>
  return %a, %b : tensor<?x2xf32>, tensor<?x2xf32>
}
