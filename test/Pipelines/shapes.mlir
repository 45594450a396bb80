// RUN: symshape-opt %s --symshape-shapes --split-input-file > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=ONLY-FAIL < %t
// RUN: symshape-opt %s --symshape-shapes=guards=false --split-input-file | FileCheck %s --check-prefix=UNGUARDED

// Of the ops of the dialect only the failures are left.
// ONLY-FAIL-NOT: {{symshape\.(assert|assume|bind_shape|size) [%"]}}
// ONLY-FAIL-NOT: cf.assert %

// Positive: the extents of both operands are guarded, which proves the assert and
// the comparison behind the guard; the reshape becomes views.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"B == C">]
// CHECK:         %[[V:.*]] = call @rows.guard(
// CHECK:         %[[FAILED:.*]] = arith.cmpi ne, %[[V]]
// CHECK:         scf.if %[[FAILED]]
// CHECK:         linalg.add
// CHECK-NOT:     scf.if
// CHECK:         tensor.expand_shape
// CHECK-NOT:     tensor.reshape
// CHECK:         return
// UNGUARDED-LABEL: func.func @rows(
// UNGUARDED-NOT:     call
// UNGUARDED:         return
func.func @rows(%a: tensor<?x12xf32> {symshape.shape = #symshape.shape<[B, 12]>},
                %b: tensor<?x12xf32> {symshape.shape = #symshape.shape<[C, 12]>})
    -> (tensor<?x3x4xf32>, i1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?x12xf32>
  %m = tensor.dim %b, %c0 : tensor<?x12xf32>
  %r = linalg.add ins(%a, %b : tensor<?x12xf32>, tensor<?x12xf32>) outs(%a : tensor<?x12xf32>) -> tensor<?x12xf32>
  symshape.assert "n == m" (n = %n, m = %m), "equal"
  %same = arith.cmpi eq, %n, %m : index
  %s = tensor.from_elements %m, %c3, %c4 : tensor<3xindex>
  %q = tensor.reshape %r(%s) : (tensor<?x12xf32>, tensor<3xindex>) -> tensor<?x3x4xf32>
  return %q, %same : tensor<?x3x4xf32>, i1
}

// -----

// Positive: what depends on data fails where it stands.
// CHECK-LABEL: func.func @data(
// CHECK:         %[[X:.*]] = tensor.extract
// CHECK:         %[[BAD:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i64
// CHECK:         scf.if %[[BAD]]
// CHECK-NEXT:      symshape.fail "@data: assert failed: too large: x <= 4, but got {0} and {1}
// UNGUARDED-LABEL: func.func @data(
// UNGUARDED:         symshape.fail "@data: assert failed
func.func @data(%s: tensor<index>) -> index {
  %x = tensor.extract %s[] : tensor<index>
  symshape.assert "x <= 4" (x = %x), "too large"
  return %x : index
}

// -----

// Positive: what an op requires is checked also where, given that, the op does
// nothing: of one element a slice that is not empty is all.
// CHECK-LABEL: func.func @folded(
// CHECK:         symshape.fail "@folded: assert failed: not empty
// CHECK:         symshape.fail "@folded: argument #1 ({0}) must be at most 1
// CHECK-NOT:     = tensor.extract_slice
// CHECK:         return
func.func @folded(%v: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  symshape.assert "n >= 1" (n = %n), "not empty"
  %p = tensor.extract_slice %v[0] [%n] [1] : tensor<1xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// Must not fire: an assert that is proved needs neither guard nor failure; of
// the guard the common bound alone is left.
// CHECK-LABEL: func.func @proved.guard(
// CHECK:         arith.cmpi ule
// CHECK-NOT:     arith.cmpi
// CHECK:         return
// CHECK-LABEL: func.func @proved(
// CHECK-NOT:     assert failed
// CHECK:         return
func.func @proved(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n >= 0" (n = %n), "extent"
  return
}

// -----

// Must not fire: a static program is left as it is.
// CHECK-LABEL: func.func @static(
// CHECK-NEXT:    linalg.add
// CHECK-NEXT:    return
func.func @static(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
