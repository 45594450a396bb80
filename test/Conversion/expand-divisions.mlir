// RUN: symshape-opt %s --symshape-expand-divisions | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-divisions --loop-invariant-code-motion | FileCheck %s --check-prefix=MOVED

// CHECK-LABEL: func.func @remainder(
// CHECK:         %[[Q:.*]] = arith.divsi %[[A:.*]], %[[B:.*]] : i32
// CHECK:         %[[P:.*]] = arith.muli %[[Q]], %[[B]]
// CHECK:         arith.subi %[[A]], %[[P]]
// CHECK-NOT:     arith.remsi
func.func @remainder(%a: i32, %b: i32) -> i32 {
  %0 = arith.remsi %a, %b : i32
  return %0 : i32
}

// CHECK-LABEL: func.func @unsigned(
// CHECK:         arith.divui
// CHECK-NOT:     arith.remui
func.func @unsigned(%a: i64, %b: i64) -> i64 {
  %0 = arith.remui %a, %b : i64
  return %0 : i64
}

// CHECK-LABEL: func.func @floor(
// CHECK:         arith.divsi
// CHECK-NOT:     arith.floordivsi
func.func @floor(%a: index, %b: index) -> index {
  %0 = arith.floordivsi %a, %b : index
  return %0 : index
}

// Positive: what would trap if the loop never runs does not leave it.
// MOVED-LABEL: func.func @loop(
// MOVED:         scf.for
// MOVED:           arith.divsi
func.func @loop(%a: index, %b: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
    %0 = arith.remsi %a, %b : index
    %1 = arith.addi %s, %0 : index
    scf.yield %1 : index
  }
  return %r : index
}

// Positive: the ceiling is that of the least number, too.
// CHECK-LABEL: func.func @ceiling(
// CHECK-NOT:     ceildiv
// CHECK:         return
func.func @ceiling(%a: index, %b: index) -> (index, index) {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 3 + s0)>(%a)[%b]
  %1 = affine.for %i = 0 to affine_map<(d0) -> (d0 ceildiv 4)>(%a) iter_args(%s = %0) -> index {
    %2 = affine.min affine_map<(d0, d1) -> (d0, (d1 ceildiv 8) * 2)>(%s, %i)
    affine.yield %2 : index
  }
  return %0, %1 : index, index
}

// Positive: a rounding of a rounding is no map that holds the inner one twice.
// CHECK-LABEL: func.func @nested_roundings(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK:         %[[INNER:.*]] = affine.apply {{.*}}(%[[A]])
// CHECK-NEXT:    %[[OUTER:.*]] = affine.apply {{.*}}(%[[A]], %[[INNER]])[%[[B]]]
// CHECK-NEXT:    %[[MIN:.*]] = affine.apply {{.*}}(%[[A]])
// CHECK-NEXT:    %[[LEAST:.*]] = affine.min {{.*}}(%[[A]], %[[MIN]])
// CHECK-NEXT:    return %[[OUTER]], %[[LEAST]]
func.func @nested_roundings(%a: index, %b: index) -> (index, index) {
  %0 = affine.apply affine_map<(d0)[s0] -> ((d0 ceildiv 3 + 1) ceildiv 5 + s0)>(%a)[%b]
  %1 = affine.min affine_map<(d0) -> (d0, (d0 ceildiv 8 - 2) ceildiv 3)>(%a)
  return %0, %1 : index, index
}
