// RUN: symshape-opt %s --symshape-discharge -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s

// Positive: the summary counts what was resolved of what there was; what is
// left is named before it.
// CHECK:      [[#@LINE+12]]:8: remark: [Missed] reshape | {{.*}}equal element counts are not proved
// CHECK:      [[#@LINE+9]]:3: remark: [Missed] assert | Category:symshape-discharge{{.*}}"not proved"
// CHECK:      [[#@LINE+1]]:1: remark: [Passed] summary | Category:symshape-discharge | Function=mixed | Remark="resolved 1 of 2 asserts, 1 of 2 comparisons, 1 of 2 clamps, 1 of 2 dims, 1 of 2 reshapes"
func.func @mixed(%t: tensor<?x12xf32>, %x: index, %s: tensor<2xindex>) -> (tensor<?x3x4xf32>, tensor<?x?xf32>, index, index, i1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x12xf32>
  %yes = arith.cmpi sge, %n, %c0 : index
  cf.assert %yes, "proved"
  symshape.assert "n <= x" (n = %n, x = %x), "left"
  %target = tensor.from_elements %n, %c3, %c4 : tensor<3xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x12xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %q = tensor.reshape %t(%target) : (tensor<?x12xf32>, tensor<3xindex>) -> tensor<?x3x4xf32>
  %again = tensor.dim %t, %c0 : tensor<?x12xf32>
  %same = arith.maxsi %again, %c0 : index
  %clamp = arith.minsi %x, %c4 : index
  %unknown = arith.cmpi sle, %x, %c4 : index
  return %q, %r, %same, %clamp, %unknown : tensor<?x3x4xf32>, tensor<?x?xf32>, index, index, i1
}

// Must not fire: nothing to resolve, nothing to say.
// CHECK-NOT:  Function=nothing
func.func @nothing(%x: index) -> index {
  return %x : index
}

// Positive: when all is resolved nothing is missed.
// CHECK-NOT:  [Missed]
// CHECK:      Function=all | Remark="resolved 1 of 1 asserts"
func.func @all() attributes {symshape.assume = []} {
  symshape.assert "2 <= 3", "constant"
  return
}
