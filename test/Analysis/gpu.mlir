// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-discharge | FileCheck %s

// Positive: sizes inside of a launch are those given, and ids are below them.
// CHECK-LABEL: func.func @launch(
// CHECK:         gpu.launch
// CHECK-NOT:       arith.cmpi
// CHECK:           "test.use"
func.func @launch(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c4, %gz = %c4)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c4, %sz = %n) {
    %below = arith.cmpi slt, %bx, %n : index
    %same = arith.cmpi eq, %sz, %n : index
    %from = arith.cmpi sge, %tz, %c0 : index
    %last = arith.cmpi slt, %tx, %sx : index
    "test.use"(%below, %same, %from, %last) : (i1, i1, i1, i1) -> ()
    gpu.terminator
  }
  return
}

// Must not fire: an id may be the last; what holds inside does not hold outside.
// CHECK-LABEL: func.func @launch_last(
// CHECK:         %[[LAST:.*]] = arith.cmpi
// CHECK:         "test.use"(%[[LAST]])
// CHECK:         %[[SOME:.*]] = arith.cmpi
// CHECK:         return %[[SOME]]
func.func @launch_last(%n: index) -> i1 {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %next = arith.addi %bx, %c1 overflow<nsw> : index
    %last = arith.cmpi slt, %next, %n : index
    "test.use"(%last) : (i1) -> ()
    gpu.terminator
  }
  %some = arith.cmpi sge, %n, %c1 : index
  return %some : i1
}

// Positive: an id is below the block size that the function names.
// CHECK-LABEL: func.func @known_block_size(
// CHECK-NOT:     symshape.assert "t <
// CHECK:         symshape.assert "u < 16"
func.func @known_block_size() attributes {gpu.known_block_size = array<i32: 128, 16, 1>} {
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  symshape.assert "t < 128" (t = %tx), "within the block"
  symshape.assert "t < 16" (t = %ty), "within the block"
  // Negative: one less is not known.
  symshape.assert "u < 16" (u = %tx), "not within"
  return
}
