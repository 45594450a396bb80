// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// Products of extents of two arguments: 2^32 * 2^32 is 0 in 64 bits.

#a = affine_map<(i, j) -> (i)>
#b = affine_map<(i, j) -> (j)>
#ab = affine_map<(i, j) -> (i, j)>

// Positive: all elements are computed, then counted; the count is an extent.
// CHECK-LABEL: func.func private @counted.guard.tell(
// CHECK:         symshape.fail "@counted: guard failed: 4*s0*s1 ({0:2}) must be at most 9223372036854775807
// CHECK-LABEL: func.func @counted(
// CHECK:         call @counted.guard
// CHECK:         linalg.generic
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @counted(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %m4 = arith.muli %m, %c4 : index
  %e = tensor.empty(%m4, %n) : tensor<?x?xf32>
  %big = tensor.concat dim(0) %x, %x, %x, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #ab], iterator_types = ["parallel", "parallel"]}
      ins(%big, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %all = arith.muli %m4, %n : index
  %rows = arith.divui %all, %c4 : index
  %shape = tensor.from_elements %rows, %c4 : tensor<2xindex>
  %v = tensor.reshape %r(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %v : tensor<?x4xf32>
}

// -----

#a = affine_map<(i, j) -> (i)>
#b = affine_map<(i, j) -> (j)>
#ab = affine_map<(i, j) -> (i, j)>

// Must not fire: who gets the number may want it modulo 2^64.
// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     9223372036854775807
// CHECK:         %[[P:.*]] = arith.muli
// CHECK:         return %{{.*}}, %[[P]]
func.func @returned(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #ab], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %all = arith.muli %m, %n : index
  return %r, %all : tensor<?x?xf32>, index
}

// -----

// Must not fire: no element is computed; a size that wraps to 0 is one.
// CHECK-LABEL: func.func @only_asked(
// CHECK-NOT:     9223372036854775807
// CHECK:         return
func.func @only_asked(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %all = arith.muli %m, %n : index
  %s = tensor.empty(%all) : tensor<?xf32>
  %r = linalg.fill ins(%f : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#a = affine_map<(b, i, j) -> (b, i)>
#b = affine_map<(b, i, j) -> (b, j)>
#ab = affine_map<(b, i, j) -> (b, i, j)>

// Must not fire: with b = 0, the elements computed say nothing of m*n.
// CHECK-LABEL: func.func @part(
// CHECK-NOT:     9223372036854775807
// CHECK:         return
func.func @part(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %k = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%k, %m, %n) : tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #ab], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x?xf32>
  %mn = arith.muli %m, %n : index
  %s = tensor.empty(%mn) : tensor<?xf32>
  %t = linalg.fill ins(%f : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return %r, %t : tensor<?x?x?xf32>, tensor<?xf32>
}

// -----

// Must not fire: they are computed in one branch alone.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT:     9223372036854775807
// CHECK:         return
func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %none = tensor.empty(%c0, %c0) : tensor<?x?xf32>
  %r = scf.if %c -> tensor<?x?xf32> {
    %z = linalg.fill ins(%f : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %z : tensor<?x?xf32>
  } else {
    scf.yield %none : tensor<?x?xf32>
  }
  %all = arith.muli %m, %n : index
  %s = tensor.empty(%all) : tensor<?xf32>
  %t = linalg.fill ins(%f : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return %r, %t : tensor<?x?xf32>, tensor<?xf32>
}
