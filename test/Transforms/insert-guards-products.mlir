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

// -----

// Positive: heads beside the product; the flat view of S*T rows. All that is asked
// is asked at entry.
// CHECK-LABEL: func.func private @heads.guard.tell(
// CHECK:         must be at most 9223372036854775807
// CHECK-LABEL: func.func @heads(
// CHECK-NOT:     symshape.fail "@
// CHECK:         return
func.func @heads(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = tensor.dim %q, %c0 : tensor<?x64xf32>
  %t = tensor.dim %k, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%s, %t) : tensor<?x?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %c = tensor.collapse_shape %f [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %n = arith.muli %s, %t : index
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.exp ins(%c : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Positive: a view by the quotient of the product, on i64.
// CHECK-LABEL: func.func private @view.guard.tell(
// CHECK:         must be at most 9223372036854775807
// CHECK-LABEL: func.func @view(
// CHECK-NOT:     symshape.fail "@
// CHECK:         return
func.func @view(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %s = tensor.dim %q, %c0 : tensor<?x64xf32>
  %t = tensor.dim %k, %c0 : tensor<?x64xf32>
  %si = arith.index_cast %s : index to i64
  %ti = arith.index_cast %t : index to i64
  %e = tensor.empty(%s, %t) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %x = linalg.matmul indexing_maps = [affine_map<(m, n, c) -> (m, c)>, affine_map<(m, n, c) -> (n, c)>, affine_map<(m, n, c) -> (m, n)>]
      ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %p = arith.muli %si, %ti : i64
  %d = arith.divsi %p, %si : i64
  %di = arith.index_cast %d : i64 to index
  %r = tensor.expand_shape %c [[0, 1]] output_shape [%s, %di] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: of three arguments, in two products.
// CHECK-LABEL: func.func private @three.guard.tell(
// CHECK:         s0*s1*s2 ({0:3}) must be at most 9223372036854775807
// CHECK-LABEL: func.func @three(
// CHECK-NOT:     symshape.fail "@
// CHECK:         return
func.func @three(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %i = tensor.dim %a, %c0 : tensor<?xf32>
  %j = tensor.dim %b, %c0 : tensor<?xf32>
  %k = tensor.dim %c, %c0 : tensor<?xf32>
  %e = tensor.empty(%i, %j, %k) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %g = tensor.collapse_shape %f [[0, 1, 2]] : tensor<?x?x?xf32> into tensor<?xf32>
  %ij = arith.muli %i, %j : index
  %n = arith.muli %ij, %k : index
  %o = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%g : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
