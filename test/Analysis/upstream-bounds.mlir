// Bounds beside those of upstream's engine, as ./bootstrap upstream compares them
// on upstream's own tests.
// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(symshape-compare-bounds)' -o /dev/null | FileCheck %s

// Both sides of a minimum, of which upstream knows one.
// CHECK: "function":"minimum","materialised":"as tight","ours":"\"argument #0\"; 2","outcome":"same"
// CHECK: "function":"minimum","materialised":"","ours":"min(\"argument #0\", 2)","outcome":"tighter"{{.*}}"upstream":"none"
func.func @minimum(%a: index) -> (index, index) {
  %m = affine.min affine_map<()[s0] -> (s0, 2)>()[%a]
  %most = "test.reify_bound"(%m) {type = "UB"} : (index) -> index
  %least = "test.reify_bound"(%m) {type = "LB"} : (index) -> index
  return %most, %least : index, index
}

// A sum that may wrap, with values for which it does.
// CHECK: "function":"sum"{{.*}}"outcome":"needs no wrap"{{.*}}"witness":"argument #0 = {{[0-9]+}}, the result of arith.addi = -
func.func @sum(%a: index) -> index {
  %c5 = arith.constant 5 : index
  %s = arith.addi %a, %c5 : index
  %bound = "test.reify_bound"(%s) {type = "EQ"} : (index) -> index
  return %bound : index
}

// A loop without iterations, for which upstream counts -10.
// CHECK: "function":"no_trips"{{.*}}"ours":"5","outcome":"upstream wrong"{{.*}}"upstream":"-5"{{.*}}"witness":"in every run"
func.func @no_trips() -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c10 to %c0 step %c1 iter_args(%acc = %c5) -> (index) {
    %n = arith.addi %acc, %c1 : index
    scf.yield %n : index
  }
  %bound = "test.reify_bound"(%r) {type = "EQ", constant} : (index) -> index
  return %bound : index
}

// In terms of vscale, which is between the given ends.
// CHECK: "function":"vscale","materialised":"as tight"{{.*}}"outcome":"same"{{.*}}"upstream":"4*{{.*}}vscale
func.func @vscale() -> index {
  %c4 = arith.constant 4 : index
  %vscale = vector.vscale
  %n = arith.muli %vscale, %c4 : index
  %bound = "test.reify_bound"(%n) {type = "UB", scalable, vscale_min = 1, vscale_max = 16} : (index) -> index
  return %bound : index
}

// CHECK: "function":"compare"{{.*}}"ours":"true","outcome":"same"{{.*}}"upstream":"true"
// CHECK: "function":"compare"{{.*}}"ours":"unknown","outcome":"neither"{{.*}}"upstream":"unknown"
// CHECK: "function":"compare"{{.*}}"ours":"true","outcome":"tighter"{{.*}}"upstream":"unknown"
func.func @compare(%a: index, %b: index) {
  %min = affine.min affine_map<(d0, d1) -> (d0, d1)>(%a, %b)
  %max = affine.max affine_map<(d0, d1) -> (d0, d1)>(%a, %b)
  %sum = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%min, %max)
  "test.compare"(%min, %a) {cmp = "LE"} : (index, index) -> ()
  "test.compare"(%min, %a) {cmp = "LT"} : (index, index) -> ()
  "test.compare"(%sum, %b, %a) {cmp = "EQ", rhs_map = affine_map<(d0, d1) -> (d0 + d1)>} : (index, index, index) -> ()
  return
}

// One iteration, in which the values change places; upstream's bounds are in
// terms of what the loop carries, and are used after it.
// CHECK: "function":"one_trip"{{.*}}"ours":"\"argument #1\"","outcome":"out of scope"
// CHECK: "function":"one_trip"{{.*}}"ours":"\"argument #0\"","outcome":"out of scope"
func.func @one_trip(%a: index, %b: index) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c7 to %c8 step %c1 iter_args(%x = %a, %y = %b) -> (index, index) {
    scf.yield %y, %x : index, index
  }
  "test.reify_bound"(%r#0) {type = "EQ"} : (index) -> index
  "test.reify_bound"(%r#1) {type = "EQ"} : (index) -> index
  return
}

// One iteration of a step that goes beyond the end; then none.
// CHECK: "function":"short_loops"{{.*}}"ours":"max(\"argument #0\", \"argument #1\")"
// CHECK: "function":"short_loops"{{.*}}"ours":"\"argument #1\"",
// CHECK: "function":"short_loops"{{.*}}"ours":"\"argument #1\"",
func.func @short_loops(%a: index, %b: index) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %0 = affine.for %i = 3 to 8 step 9 iter_args(%x = %a) -> (index) {
    %max = arith.maxsi %x, %b : index
    affine.yield %max : index
  }
  %1 = scf.for %i = %a to %a step %c1 iter_args(%x = %b) -> (index) {
    %max = arith.maxsi %x, %a : index
    scf.yield %max : index
  }
  %c-1 = arith.constant -1 : index
  %2 = scf.for unsigned %i = %c-1 to %c9 step %c5 iter_args(%x = %b) -> (index) {
    %max = arith.maxsi %x, %a : index
    scf.yield %max : index
  }
  "test.reify_bound"(%0) {type = "UB"} : (index) -> index
  "test.reify_bound"(%1) {type = "EQ"} : (index) -> index
  "test.reify_bound"(%2) {type = "EQ"} : (index) -> index
  return
}

// A counter without a sign, which upstream reads as one with it: up to -1 it
// takes all values from 5 on.
// CHECK: "function":"unsigned_counter"{{.*}}"outcome":"upstream wrong"{{.*}}"upstream":"5"{{.*}}"witness":"{{.*}}argument #0 = -
func.func @unsigned_counter(%n: index) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for unsigned %i = %c5 to %n step %c1 {
    "test.reify_bound"(%i) {type = "LB"} : (index) -> index
  }
  return
}

// A region that always runs has a check that fails; so nothing behind it runs.
// CHECK: "function":"fails_inside"{{.*}}"outcome":"unreachable"{{.*}}"reason":"check"
// CHECK: "function":"fails_in_a_branch"{{.*}}"outcome":"unreachable"{{.*}}"reason":"check"
// CHECK: "function":"may_fail_in_a_branch"{{.*}}"outcome":"needs no wrap"
func.func @fails_inside(%n: index, %m: index) {
  %c-1 = arith.constant -1 : index
  scf.execute_region {
    %e = tensor.empty(%c-1) : tensor<?xf32>
    "test.use"(%e) : (tensor<?xf32>) -> ()
    scf.yield
  }
  %x = arith.addi %n, %m : index
  "test.reify_bound"(%x) {type = "LB"} : (index) -> index
  return
}
func.func @fails_in_a_branch(%n: index, %m: index) {
  %c-1 = arith.constant -1 : index
  %never = arith.cmpi ne, %n, %n : index
  scf.if %never {
    "test.use"(%n) : (index) -> ()
  } else {
    %e = tensor.empty(%c-1) : tensor<?xf32>
    "test.use"(%e) : (tensor<?xf32>) -> ()
  }
  %x = arith.addi %n, %m : index
  "test.reify_bound"(%x) {type = "LB"} : (index) -> index
  return
}
func.func @may_fail_in_a_branch(%n: index, %m: index) {
  %c-1 = arith.constant -1 : index
  %either = arith.cmpi ne, %n, %m : index
  scf.if %either {
    "test.use"(%n) : (index) -> ()
  } else {
    %e = tensor.empty(%c-1) : tensor<?xf32>
    "test.use"(%e) : (tensor<?xf32>) -> ()
  }
  %x = arith.addi %n, %m : index
  "test.reify_bound"(%x) {type = "LB"} : (index) -> index
  return
}
