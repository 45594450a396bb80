// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(affine-simplify-min-max))' | FileCheck %s

// What our ops say reaches a stock pass, through upstream's interface.

// CHECK-LABEL: func.func @assumed_bound(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         %[[M:.*]] = symshape.assume
// CHECK-NOT:     affine.min
// CHECK:         return %[[M]]
func.func @assumed_bound(%n: index) -> index {
  %m = symshape.assume %n ["n <= 64"] (n) : index
  %r = affine.min affine_map<(d0) -> (d0, 64)>(%m)
  return %r : index
}

// CHECK-LABEL: func.func @assumed_order(
// CHECK:         %[[M:.*]]:2 = symshape.assume
// CHECK-NOT:     affine.min
// CHECK:         return %[[M]]#0
func.func @assumed_order(%a: index, %b: index) -> index {
  %m:2 = symshape.assume %a, %b ["2*a <= b", "b <= 99"] (a, b) : index, index
  %r = affine.min affine_map<(d0) -> (d0, 49)>(%m#0)
  return %r : index
}

// CHECK-LABEL: func.func @assumed_multiple(
// CHECK:         affine.apply
// CHECK-NOT:     affine.min
// CHECK:         return
func.func @assumed_multiple(%n: index) -> index {
  %m = symshape.assume %n ["8 | n"] (n) : index
  %r = affine.min affine_map<(d0) -> (d0 mod 4, d0 mod 8 + 1)>(%m)
  return %r : index
}

// CHECK-LABEL: func.func @size_is_sum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: index
// CHECK-NOT:     affine.max
// CHECK:         return %[[A]]
func.func @size_is_sum(%a: index) -> index {
  %s = symshape.size "a - 3" (a = %a)
  %r = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%a)[%s]
  return %r : index
}

// CHECK-LABEL: func.func @size_is_minimum(
// CHECK-NOT:     affine.min
// CHECK:         return %{{.*}} : index
func.func @size_is_minimum(%a: index) -> index {
  %s = symshape.size "min(a, 16)" (a = %a)
  %r = affine.min affine_map<(d0) -> (d0, 16)>(%s)
  return %r : index
}

// Must not fire: nothing is known of a product, or of a symbol of the function.
// CHECK-LABEL: func.func @unknown(
// CHECK:         affine.min
// CHECK:         affine.min
func.func @unknown(%a: index, %b: index) -> (index, index) {
  %s = symshape.size "a * b" (a = %a, b = %b)
  %m = symshape.assume %a ["n <= N"] (n) : index
  %r = affine.min affine_map<(d0) -> (d0, 16)>(%s)
  %q = affine.min affine_map<(d0) -> (d0, 16)>(%m)
  return %r, %q : index, index
}
