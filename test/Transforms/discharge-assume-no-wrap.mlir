// RUN: symshape-opt %s --symshape-discharge | FileCheck %s
// RUN: symshape-opt %s --symshape-discharge=assume-no-wrap | FileCheck %s --check-prefix=INTEGERS

// Only as asked: a successor is the greater one, unless it wraps.
// CHECK-LABEL:    func.func @successor(
// CHECK:            %[[LESS:.*]] = arith.cmpi
// CHECK:            return %[[LESS]]
// INTEGERS-LABEL: func.func @successor(
// INTEGERS-DAG:     %[[TRUE:.*]] = arith.constant true
// INTEGERS:         return %[[TRUE]]
func.func @successor(%a: index) -> i1 {
  %c1 = arith.constant 1 : index
  %b = arith.addi %a, %c1 : index
  %less = arith.cmpi slt, %a, %b : index
  return %less : i1
}

// Must not fire: an integer of 32 bits wraps as it is said to.
// CHECK-LABEL:    func.func @successor_of_i32(
// CHECK:            %[[LESS:.*]] = arith.cmpi
// CHECK:            return %[[LESS]]
// INTEGERS-LABEL: func.func @successor_of_i32(
// INTEGERS:         %[[LESS:.*]] = arith.cmpi
// INTEGERS:         return %[[LESS]]
func.func @successor_of_i32(%a: i32) -> i1 {
  %c1 = arith.constant 1 : i32
  %b = arith.addi %a, %c1 : i32
  %less = arith.cmpi slt, %a, %b : i32
  return %less : i1
}
