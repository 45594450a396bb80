// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(symshape-compare-ranges)' -o /dev/null \
// RUN:   | FileCheck %s --implicit-check-not='"outcome":"weaker"' --implicit-check-not='"outcome":"apart"'

// Ranges that upstream's analysis of integers has, in the forms that its own tests have.

// One of the extents that the index may stand for.
// CHECK: "function":"extent_by_data"{{.*}}"op":"tensor.dim","ours":[3,5]
// CHECK: "function":"extent_by_data"{{.*}}"op":"memref.dim","ours":[3,5]
func.func @extent_by_data(%t: tensor<3x5xf32>, %m: memref<?x3x5xf32>, %i: index, %k: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %t, %i : tensor<3x5xf32>
  %low = arith.maxsi %k, %c1 : index
  %j = arith.minsi %low, %c2 : index
  %b = memref.dim %m, %j : memref<?x3x5xf32>
  return
}

// CHECK: "function":"extent_of_unranked"{{.*}}"op":"tensor.dim","ours":[0,9223372036854775807]
func.func @extent_of_unranked(%t: tensor<*xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %t, %c0 : tensor<*xf32>
  return
}

// Numbers without a sign, the second of which is not the greater one.
// CHECK: "function":"difference"{{.*}}"op":"arith.subi","ours":[0,5]
func.func @difference(%x: i8) {
  %c15 = arith.constant 15 : i8
  %c10 = arith.constant 10 : i8
  %a = arith.andi %x, %c15 : i8
  %b = arith.subi %a, %c10 overflow<nuw> : i8
  return
}

// What each branch passes on.
// CHECK: "function":"branches"{{.*}}"op":"arith.addi","ours":[4,8]
func.func @branches(%c: i1) {
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^left, ^right
^left:
  cf.br ^both(%c3 : index)
^right:
  cf.br ^both(%c7 : index)
^both(%x: index):
  %y = arith.addi %x, %c1 : index
  "some.use"(%y) : (index) -> ()
  return
}

// The initial value, or the counter of an iteration.
// CHECK: "function":"last_counter"{{.*}}"op":"scf.for"{{.*}}"outcome":"{{same|tighter}}"
func.func @last_counter() -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %c0) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// The initial value, or what each iteration gives.
// CHECK: "function":"same_each_time","name":"","op":"scf.while","ours":[0,
func.func @same_each_time(%n: index, %c: i1) {
  %c2 = arith.constant 2 : index
  %half = arith.divui %n, %c2 : index
  %r = scf.while (%x = %half) : (index) -> index {
    scf.condition(%c) %x : index
  } do {
  ^bb0(%y: index):
    scf.yield %c2 : index
  }
  return
}

// No launch has more than 2^32 - 1 blocks or threads along an axis.
// CHECK: "function":"sizes_of_launch"{{.*}}"op":"gpu.launch","ours":[0,4294967294]
func.func @sizes_of_launch(%n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %c1, %lz = %c1) {
    "some.use"(%bx) : (index) -> ()
    gpu.terminator
  }
  return
}
