// RUN: symshape-report %s | FileCheck %s

// Messages leave out what the two sides of a relation share, and say what is
// meant where an extent is its own minimum, or a product not 0.

// CHECK-LABEL: @bound
// CHECK: guard: extent of %a dim 0 (s0) must be at most 512
// CHECK-LABEL: @plus
// CHECK: guard: extent of %a dim 0 (s0) must equal extent of %b dim 0 (s1)
// CHECK-LABEL: @product
// CHECK: guard: extent of %a dim 1 (s1) must equal extent of %b dim 0 (s2), unless extent of %a dim 0 (s0) is 0
// CHECK-LABEL: @divisor
// CHECK: guard: extent of %a dim 0 (s0) and extent of %a dim 1 (s1) must not be 0
func.func @bound(%a: tensor<?xf32>, %b: tensor<512xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %b[0] [%n] [1] : tensor<512xf32> to tensor<?xf32>
  %m = arith.minsi %n, %c512 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.add ins(%a, %e : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @plus(%a: tensor<?xf32>, %b: tensor<?xf32>, %one: tensor<1xf32>) -> tensor<?xf32> {
  %x = tensor.concat dim(0) %a, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %y = tensor.concat dim(0) %b, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @product(%a: tensor<?x?x256xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %f = tensor.collapse_shape %a [[0, 1, 2]] : tensor<?x?x256xf32> into tensor<?xf32>
  %d = tensor.dim %a, %c0 : tensor<?x?x256xf32>
  %z = tensor.dim %b, %c0 : tensor<?xf32>
  %e = tensor.empty(%d, %z) : tensor<?x?x256xf32>
  %g = tensor.collapse_shape %e [[0, 1, 2]] : tensor<?x?x256xf32> into tensor<?xf32>
  %r = linalg.add ins(%f, %g : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @divisor(%a: tensor<?x?x64xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %f = tensor.collapse_shape %a [[0, 1, 2]] : tensor<?x?x64xf32> into tensor<?xf32>
  %d = tensor.dim %f, %c0 : tensor<?xf32>
  %q = arith.divui %n, %d : index
  return %q : index
}
