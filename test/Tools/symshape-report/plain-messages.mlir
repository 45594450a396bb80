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

// The greatest of two is at most one of them; what is subtracted stands on the
// other side.
// CHECK-LABEL: {{^}}@max
// CHECK:         guard: extent of %y dim 0 (s1) must be at most extent of %x dim 0 (s0)
func.func @max(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = arith.maxsi %n, %m : index
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: {{^}}@conv
// CHECK:         guard: extent of %k dim 0 (s2) must be at most s0 + 1
// CHECK:         guard: extent of %k dim 1 (s3) must be at most s1 + 1
func.func @conv(%x: tensor<1x?x?x3xf32>, %k: tensor<?x?x3x8xf32>) -> tensor<1x?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %h = tensor.dim %x, %c1 : tensor<1x?x?x3xf32>
  %w = tensor.dim %x, %c2 : tensor<1x?x?x3xf32>
  %kh = tensor.dim %k, %c0 : tensor<?x?x3x8xf32>
  %kw = tensor.dim %k, %c1 : tensor<?x?x3x8xf32>
  %oh0 = arith.subi %h, %kh : index
  %oh = arith.addi %oh0, %c1 : index
  %ow0 = arith.subi %w, %kw : index
  %ow = arith.addi %ow0, %c1 : index
  %e = tensor.empty(%oh, %ow) : tensor<1x?x?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x?x?x3xf32>, tensor<?x?x3x8xf32>) outs(%f : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
  return %r : tensor<1x?x?x8xf32>
}

// CHECK-LABEL: {{^}}@neg
// CHECK:         guard: extent of %y dim 0 (s1) must be at most extent of %x dim 0 (s0)
func.func @neg(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = arith.subi %n, %m : index
  %k2 = arith.muli %k, %c2 : index
  %r = tensor.empty(%k2) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: {{^}}@cat
// CHECK:         guard: extent of %y dim 0 (s1) must equal extent of %z dim 0 (s2)
func.func @cat(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %a = tensor.concat dim(0) %x, %y, %x : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = tensor.concat dim(0) %x, %x, %z : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.add ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%a : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
