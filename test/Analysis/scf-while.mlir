// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-discharge --split-input-file | FileCheck %s

// Positive: the condition holds in the second region, its negation after the
// loop; a counter that only grows stays above its start.
// CHECK-LABEL: func.func @counts_up(
// CHECK:         ^bb0
// CHECK:           %[[LESS:.*]] = arith.constant true
// CHECK:           %[[POSITIVE:.*]] = arith.constant true
// CHECK:           "test.use"(%[[LESS]], %[[POSITIVE]])
// CHECK:         %[[ENDED:.*]] = arith.constant true
// CHECK:         %[[GREW:.*]] = arith.constant true
// CHECK:         return %[[ENDED]], %[[GREW]]
func.func @counts_up(%t: tensor<?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.while (%i = %c0) : (index) -> index {
    %less = arith.cmpi slt, %i, %n : index
    scf.condition(%less) %i : index
  } do {
  ^bb0(%i: index):
    %inside = arith.cmpi slt, %i, %n : index
    %positive = arith.cmpi sge, %i, %c0 : index
    "test.use"(%inside, %positive) : (i1, i1) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %ended = arith.cmpi sge, %r, %n : index
  %grew = arith.cmpi sge, %r, %c0 : index
  return %ended, %grew : i1, i1
}

// -----

// Must not fire: what holds in the second region does not after the loop, and
// not in the first one; the counter may exceed the bound at the start.
// CHECK-LABEL: func.func @not_elsewhere(
// CHECK:         scf.while
// CHECK:           %[[LESS:.*]] = arith.cmpi slt
// CHECK:           %[[FIRST:.*]] = arith.cmpi sle
// CHECK:           "test.use"(%[[FIRST]])
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq
// CHECK:         return %[[EQUAL]]
func.func @not_elsewhere(%start: index, %n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %start) : (index) -> index {
    %less = arith.cmpi slt, %i, %n : index
    %first = arith.cmpi sle, %i, %n : index
    "test.use"(%first) : (i1) -> ()
    scf.condition(%less) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %equal = arith.cmpi eq, %r, %n : index
  return %equal : i1
}

// -----

// Must not fire: without a bound the counter wraps.
// CHECK-LABEL: func.func @wraps(
// CHECK:         scf.while
// CHECK:         %[[GREW:.*]] = arith.cmpi sge
// CHECK:         return %[[GREW]]
func.func @wraps(%stop: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %goes = arith.cmpi ne, %i, %stop : index
    scf.condition(%goes) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %grew = arith.cmpi sge, %r, %c0 : index
  return %grew : i1
}

// -----

// Positive: a result that is handed on with an offset, a second one that is
// another value of the same iteration, and what the loop does not change.
// CHECK-LABEL: func.func @results(
// CHECK-COUNT-3: arith.constant true
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @results(%n: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0) : (index) -> (index, index, index) {
    %next = arith.addi %i, %c1 overflow<nsw> : index
    %less = arith.cmpi slt, %next, %n : index
    scf.condition(%less) %next, %i, %n : index, index, index
  } do {
  ^bb0(%a: index, %b: index, %c: index):
    scf.yield %a : index
  }
  %ended = arith.cmpi sge, %r#0, %n : index
  %before = arith.cmpi slt, %r#1, %r#0 : index
  %same = arith.cmpi eq, %r#2, %n : index
  return %ended, %before, %same : i1, i1, i1
}

// -----

// Positive: a carried tensor keeps its extents. Must not fire: one that is
// replaced by another.
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<?xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[T]], %[[C0]]
// CHECK:         %[[R:.*]]:2 = scf.while
// CHECK:         %[[OTHER:.*]] = tensor.dim %[[R]]#1, %[[C0]]
// CHECK:         return %[[N]], %[[OTHER]]
func.func @tensors(%t: tensor<?xf32>, %u: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %t, %c0 : tensor<?xf32>
  "test.use"(%n0) : (index) -> ()
  %r:2 = scf.while (%a = %t, %b = %t) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %go = "test.condition"() : () -> i1
    scf.condition(%go) %a, %b : tensor<?xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %f = arith.constant 0.0 : f32
    %next = linalg.fill ins(%f : f32) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next, %u : tensor<?xf32>, tensor<?xf32>
  }
  %n = tensor.dim %r#0, %c0 : tensor<?xf32>
  %m = tensor.dim %r#1, %c0 : tensor<?xf32>
  return %n, %m : index, index
}

// -----

// Negative: behind a loop that never ends no number is the case that is passed
// on to a block; that says nothing of what is before the loop.
// CHECK-LABEL: func.func @never_ends(
// CHECK:         %[[IS_FOUR:.*]] = arith.cmpi eq
// CHECK:         "test.use"(%[[IS_FOUR]])
func.func @never_ends(%n: index, %k: i16) {
  %four = arith.constant 4 : index
  %is_four = arith.cmpi eq, %n, %four : index
  "test.use"(%is_four) : (i1) -> ()
  scf.while : () -> () {
    %always = arith.cmpi sge, %n, %n : index
    scf.condition(%always)
  } do {
    scf.yield
  }
  %six = arith.constant 6 : i16
  %seven = arith.constant 101 : i16
  %one = arith.constant 25 : index
  %case = scf.index_switch %one -> i16
  case 0 {
    scf.yield %k : i16
  }
  case 3 {
    scf.yield %seven : i16
  }
  default {
    scf.yield %six : i16
  }
  scf.execute_region {
    cf.br ^head(%k : i16)
  ^head(%u: i16):
    %again = arith.cmpi ne, %n, %n : index
    cf.cond_br %again, ^head(%k : i16), ^end(%case : i16)
  ^end(%v: i16):
    "test.use"(%v) : (i16) -> ()
    scf.yield
  }
  return
}
