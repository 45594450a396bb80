// RUN: symshape-opt %s --symshape-discharge | FileCheck %s

// Positive: what is assumed is known afterwards. Must not fire: before.
// CHECK-LABEL: func.func @assumed(
// CHECK:         %[[BEFORE:.*]] = arith.cmpi slt
// CHECK:         %[[AFTER:.*]] = arith.constant true
// CHECK:         return %[[BEFORE]], %[[AFTER]]
func.func @assumed(%a: index, %b: index) -> (i1, i1) {
  %before = arith.cmpi slt, %a, %b : index
  %less = arith.cmpi slt, %a, %b : index
  llvm.intr.assume %less : i1
  %after = arith.cmpi sle, %a, %b : index
  return %before, %after : i1, i1
}
