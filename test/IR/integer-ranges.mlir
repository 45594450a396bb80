// RUN: symshape-opt %s --int-range-optimizations | FileCheck %s

// What our ops say of ranges to upstream's passes: comparisons that follow fold.

// CHECK-LABEL: func.func @assume(
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: %[[OPEN:.*]] = arith.cmpi sle, %{{.*}}, %c3
// CHECK: return %[[TRUE]], %[[FALSE]], %[[OPEN]]
func.func @assume(%n: index) -> (i1, i1, i1) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = symshape.assume %n ["n <= 4"] (n) : index
  %in = arith.cmpi sle, %a, %c4 : index
  %above = arith.cmpi sgt, %a, %c4 : index
  %below = arith.cmpi sle, %a, %c3 : index
  return %in, %above, %below : i1, i1, i1
}

// Facts of two values hold together: 2*a <= b and b <= 9.
// CHECK-LABEL: func.func @together(
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[OPEN:.*]] = arith.cmpi
// CHECK: return %[[TRUE]], %[[OPEN]]
func.func @together(%n: index, %m: index) -> (i1, i1) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a, %b = symshape.assume %n, %m ["2*a <= b", "b <= 9"] (a, b) : index, index
  %in = arith.cmpi sle, %a, %c4 : index
  %below = arith.cmpi sle, %a, %c3 : index
  return %in, %below : i1, i1
}

// CHECK-LABEL: func.func @size(
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[OPEN:.*]] = arith.cmpi
// CHECK: return %[[TRUE]], %[[OPEN]]
func.func @size(%n: index) -> (i1, i1) {
  %c8 = arith.constant 8 : index
  %c15 = arith.constant 15 : index
  %c14 = arith.constant 14 : index
  %r = arith.remui %n, %c8 : index
  %s = symshape.size "2*r + 1" (r = %r)
  %in = arith.cmpi sle, %s, %c15 : index
  %below = arith.cmpi sle, %s, %c14 : index
  return %in, %below : i1, i1
}

// CHECK-LABEL: func.func @truncated(
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[OPEN:.*]] = arith.cmpi
// CHECK: return %[[TRUE]], %[[TRUE]], %[[OPEN]]
func.func @truncated(%x: f32, %n: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %e = arith.remui %n, %c8 : index
  %t = symshape.truncate_size %x, %e : f32
  %least = arith.cmpi sge, %t, %c0 : index
  %most = arith.cmpi sle, %t, %c7 : index
  %below = arith.cmpi sle, %t, %c6 : index
  return %least, %most, %below : i1, i1, i1
}
