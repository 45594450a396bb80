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

// What a body without ops is entered with.
// CHECK: "function":"nothing_inside"{{.*}}"op":"scf.parallel","ours":[0,7]
func.func @nothing_inside() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
  }
  return
}

// Each iteration carries an extent.
// CHECK: "function":"carried_extent"{{.*}}"op":"scf.for","ours":[0,9223372036854775807]
func.func @carried_extent(%t: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %u = %t) -> (index, tensor<?xf32>) {
    %d = tensor.dim %u, %c0 : tensor<?xf32>
    scf.yield %d, %u : index, tensor<?xf32>
  }
  return %r#0 : index
}

// Each iteration carries one of two numbers, or a rest.
// CHECK: "function":"carried_join"{{.*}}"op":"scf.for","ours":[0,20]
// CHECK: "function":"carried_join"{{.*}}"op":"scf.while","ours":[0,6]
func.func @carried_join(%n: index, %a: i16, %b: i16, %c: i1) -> (i16, i16) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %c0 = arith.constant 0 : i16
  %c7 = arith.constant 7 : i16
  %c20 = arith.constant 20 : i16
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%x = %c0) -> i16 {
    %p = arith.cmpi slt, %x, %a : i16
    %y = scf.if %p -> i16 {
      %q = arith.remui %b, %c7 : i16
      scf.yield %q : i16
    } else {
      scf.yield %c20 : i16
    }
    scf.yield %y : i16
  }
  %w = scf.while (%x = %c0) : (i16) -> i16 {
    scf.condition(%c) %x : i16
  } do {
  ^bb0(%y: i16):
    %z = arith.addi %y, %a : i16
    %q = arith.remui %z, %c7 : i16
    scf.yield %q : i16
  }
  return %r, %w : i16, i16
}

// What several blocks yield; one of them is reached again and again.
// CHECK: "function":"yields_of_blocks"{{.*}}"op":"scf.execute_region","ours":[2,9]
// CHECK: "function":"yields_of_blocks"{{.*}}"op":"arith.andi","ours":[0,3]
func.func @yields_of_blocks(%c: i1, %d: i1, %m: i8) -> (i8, i8) {
  %r = scf.execute_region -> i8 {
    cf.cond_br %c, ^left, ^right
  ^left:
    %c2 = arith.constant 2 : i8
    scf.yield %c2 : i8
  ^right:
    %c9 = arith.constant 9 : i8
    scf.yield %c9 : i8
  }
  %s = scf.execute_region -> i8 {
    %c1 = arith.constant 1 : i8
    cf.br ^again(%c1 : i8)
  ^again(%x: i8):
    %c3 = arith.constant 3 : i8
    %y = arith.addi %x, %m : i8
    %z = arith.andi %y, %c3 : i8
    cf.cond_br %d, ^again(%z : i8), ^end(%z : i8)
  ^end(%last: i8):
    scf.yield %last : i8
  }
  return %r, %s : i8, i8
}

// A branch that is never taken passes nothing on.
// CHECK: "function":"never_taken"{{.*}}"op":"arith.addi","ours":[2,2]
func.func @never_taken() -> i32 {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  cf.cond_br %true, ^one, ^both(%c0 : i32)
^one:
  %c1 = arith.constant 1 : i32
  cf.br ^both(%c1 : i32)
^both(%x: i32):
  %c1_0 = arith.constant 1 : i32
  %y = arith.addi %x, %c1_0 : i32
  "some.use"(%y) : (i32) -> ()
  return %y : i32
}

// The counter of a loop that compares without a sign, in numbers with one.
// CHECK: "function":"counts_without_sign"{{.*}}"op":"scf.for","ours":[0,98]
// CHECK: "function":"counts_without_sign"{{.*}}"op":"arith.addi","ours":[-55,-1]
func.func @counts_without_sign(%low: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100 : index
  %k = arith.minui %n, %c100 : index
  scf.for unsigned %i = %c0 to %k step %c2 {
    "some.use"(%i) : (index) -> ()
  }
  %b0 = arith.constant 0 : i8
  %b1 = arith.constant 1 : i8
  %from = arith.constant 200 : i8
  %to = arith.constant 255 : i8
  scf.for unsigned %i = %from to %to step %b1 : i8 {
    %j = arith.addi %i, %b1 : i8
    "some.use"(%j) : (i8) -> ()
  }
  return
}

// The rest of a division by what may be any positive number.
// CHECK: "function":"rest_of_map"{{.*}}"op":"affine.apply","ours":[0,9223372036854775806]
func.func @rest_of_map(%a: index, %b: index) {
  %r = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%a)[%b]
  "some.use"(%r) : (index) -> ()
  return
}

// The range of a result is that of what is returned.
// CHECK: "function":"calls"{{.*}}"op":"func.call","ours":[0,12]
func.func @calls(%x: i32) {
  %r = func.call @rest_by_13(%x) : (i32) -> i32
  "some.use"(%r) : (i32) -> ()
  return
}
func.func private @rest_by_13(%x: i32) -> i32 {
  %c13 = arith.constant 13 : i32
  %r = arith.remui %x, %c13 : i32
  return %r : i32
}

// An overflow that an op rules out says something of its result alone: nobody may look at it.
// CHECK: "function":"unused_difference"{{.*}}"op":"arith.andi","ours":[0,15]
// CHECK: "function":"unused_difference"{{.*}}"op":"arith.subi","ours":[0,5]
// CHECK: "function":"unused_difference"{{.*}}"name":"same",{{.*}}"ours":[0,15]
func.func @unused_difference(%x: i8) -> i8 {
  %c0 = arith.constant 0 : i8
  %c15 = arith.constant 15 : i8
  %c10 = arith.constant 10 : i8
  %a = arith.andi %x, %c15 : i8
  %b = arith.subi %a, %c10 overflow<nuw> : i8
  "some.use"() : () -> ()
  %c = arith.addi %a, %c0 : i8 loc("same")
  "some.use"(%c) : (i8) -> ()
  return %c : i8
}

// Nor of an equal sum that may overflow.
// CHECK: "function":"unused_sum"{{.*}}"op":"arith.addi","ours":[-36,-1]
// CHECK: "function":"unused_sum"{{.*}}"name":"same",{{.*}}"ours":[-128,127]
// CHECK: "function":"unused_sum"{{.*}}"op":"arith.minui","ours":[0,20]
func.func @unused_sum(%x: i8) -> (i8, i8) {
  %c20 = arith.constant 20 : i8
  %c100 = arith.constant 100 : i8
  %c120 = arith.constant 120 : i8
  %big = arith.maxui %x, %c100 : i8
  %n = arith.addi %big, %c120 overflow<nuw> : i8
  "some.use"() : () -> ()
  %s = arith.addi %big, %c120 : i8 loc("same")
  %r = arith.minui %s, %c20 : i8
  "some.use"(%r) : (i8) -> ()
  return %s, %r : i8, i8
}

// Nothing comes after a loop of blocks that never ends: no number is below 0
// without a sign.
// CHECK: "function":"never_ends"{{.*}}"name":"after",{{.*}}"outcome":"unreachable","reason":"never entered"
func.func @never_ends(%n: i8, %x: i64) {
  %c0 = arith.constant 0 : i8
  %r = scf.execute_region -> i64 {
    cf.br ^again(%x : i64)
  ^again(%y: i64):
    %always = arith.cmpi ule, %c0, %n : i8
    cf.cond_br %always, ^again(%y : i64), ^end(%y : i64)
  ^end(%z: i64):
    scf.yield %z : i64
  }
  %s = arith.addi %r, %r : i64 loc("after")
  "some.use"(%s) : (i64) -> ()
  return
}

// Of a map, upstream takes each sum inside for one that does not overflow, and
// rounds divisions of the least number wrongly.
// CHECK: "function":"maps"{{.*}}"outcome":"another model"{{.*}}"upstream":[-3074457345618258602,3074457345618258602],"witness":"argument #0 = 9223372036854775
// CHECK: "function":"maps"{{.*}}"outcome":"upstream wrong"{{.*}}"upstream":[-1152921504606846975,1152921504606846976],"witness":"argument #0 = -
func.func @maps(%n: index) {
  %a = affine.apply affine_map<(d0) -> ((d0 + 4) floordiv 3)>(%n)
  %b = affine.apply affine_map<(d0) -> ((d0 ceildiv 4) ceildiv 2)>(%n)
  "some.use"(%a, %b) : (index, index) -> ()
  return
}

// What adds 0, multiplies by 1 or shifts by 0 is its operand, which cannot be
// the least number here.
// CHECK-COUNT-4: "function":"neutral"{{.*}}"op":"arith.{{[a-z]+}}i","ours":[-9223372036854775807,9223372036854775807]
func.func @neutral(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %odd = affine.apply affine_map<(d0) -> (2 * d0 + 1)>(%n)
  %a = arith.shli %odd, %c0 : index
  %b = arith.addi %odd, %c0 : index
  %c = arith.muli %odd, %c1 : index
  %d = arith.subi %odd, %c0 : index
  "some.use"(%a, %b, %c, %d) : (index, index, index, index) -> ()
  return
}

// No run takes a case that what chooses is never.
// CHECK: "name":"taken","op":"arith.index_cast","ours":[1,1],"outcome":"tighter","reason":""
// CHECK: "name":"not_taken","op":"arith.index_cast"{{.*}}"outcome":"unreachable","reason":"never entered"
func.func @cases(%n: index) {
  %c2 = arith.constant 2 : index
  %parity = arith.remsi %n, %c2 : index
  scf.index_switch %parity
  case 1 {
    %taken = arith.index_cast %parity : index to i64 loc("taken")
    "some.use"(%taken) : (i64) -> ()
    scf.yield
  }
  case 3 {
    %not_taken = arith.index_cast %parity : index to i64 loc("not_taken")
    "some.use"(%not_taken) : (i64) -> ()
    scf.yield
  }
  default {
  }
  return
}
