// RUN: symshape-opt %s --symshape-insert-guards --inline --symshape-discharge | FileCheck %s

// Must not fire: the guard stays a function, and its verdict a question, also
// behind the inliner and with the facts that it establishes.
// CHECK-LABEL: func.func @f.guard(
// CHECK:         arith.cmpi sle
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    symshape.assume = [#symshape.fact<"s0 <= 4">]
// CHECK:         %[[V:.*]] = call @f.guard(
// CHECK:         %[[FAILED:.*]] = arith.cmpi ne, %[[V]]
// CHECK:         scf.if %[[FAILED]]
// CHECK:           symshape.fail
// CHECK:         return
func.func @f(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n <= 4" (n = %n), "small"
  return %t : tensor<?xf32>
}

// Must not fire: the guards of an inlined callee are not those of its caller.
// CHECK-LABEL: func.func @g(
// CHECK:         %[[V:.*]] = call @g.guard(
// CHECK:         scf.if
// CHECK:         return
func.func @g(%t: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @f(%t) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
