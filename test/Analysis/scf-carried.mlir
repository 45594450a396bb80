// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-discharge --split-input-file | FileCheck %s

// Positive: a scalar that grows by the same amount in each iteration is a
// function of the counter; after the loop, of the number of iterations.
// CHECK-LABEL: func.func @closed_form(
// CHECK:         scf.for
// CHECK:           %[[SAME:.*]] = arith.constant true
// CHECK:           "test.use"(%[[SAME]])
// CHECK:         %[[END:.*]] = arith.constant true
// CHECK:         return %[[END]]
func.func @closed_form(%t: tensor<?xf32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %last = arith.muli %n, %c4 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %expected = arith.muli %i, %c4 : index
    %same = arith.cmpi eq, %acc, %expected : index
    "test.use"(%same) : (i1) -> ()
    %next = arith.addi %acc, %c4 : index
    scf.yield %next : index
  }
  %end = arith.cmpi eq, %r, %last : index
  return %end : i1
}

// -----

// Positive: downwards, from an offset, by a step of several; the loop may have
// no iteration.
// CHECK-LABEL: func.func @downwards(
// CHECK:         %[[SOME:.*]] = arith.constant true
// CHECK:         %[[NONE:.*]] = arith.constant true
// CHECK:         return %[[SOME]], %[[NONE]]
func.func @downwards() -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %r = scf.for %i = %c0 to %c10 step %c3 iter_args(%acc = %c100) -> index {
    %next = arith.subi %acc, %c1 : index
    scf.yield %next : index
  }
  %none = scf.for %i = %c10 to %c0 step %c3 iter_args(%acc = %c100) -> index {
    %next = arith.subi %acc, %c2 : index
    scf.yield %next : index
  }
  %c96 = arith.constant 96 : index
  %some = arith.cmpi eq, %r, %c96 : index
  %same = arith.cmpi eq, %none, %c100 : index
  return %some, %same : i1, i1
}

// -----

// Must not fire: the sum may wrap.
// CHECK-LABEL: func.func @wraps(
// CHECK:         %[[R:.*]] = scf.for
// CHECK:         %[[GREW:.*]] = arith.cmpi sge, %[[R]]
// CHECK:         return %[[GREW]]
func.func @wraps(%n: index, %s: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %next = arith.addi %acc, %c4 : index
    scf.yield %next : index
  }
  %grew = arith.cmpi sge, %r, %c0 : index
  return %grew : i1
}

// -----

// Positive: uneven steps of one sign leave the value on its side of the start;
// min and max, branches and loops inside are followed.
// CHECK-LABEL: func.func @grows(
// CHECK:         scf.for
// CHECK:           %[[INSIDE:.*]] = arith.constant true
// CHECK:           "test.use"(%[[INSIDE]])
// CHECK:         %[[ABOVE:.*]] = arith.constant true
// CHECK:         %[[BELOW:.*]] = arith.constant true
// CHECK:         return %[[ABOVE]], %[[BELOW]]
func.func @grows(%a: index, %n: index, %c: i1) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (index, index) {
    %above = arith.cmpi sge, %x, %a : index
    "test.use"(%above) : (i1) -> ()
    %more = scf.if %c -> index {
      %sum = arith.addi %x, %c1 overflow<nsw> : index
      scf.yield %sum : index
    } else {
      scf.yield %x : index
    }
    %next = scf.for %j = %c0 to %n step %c1 iter_args(%z = %more) -> index {
      %larger = arith.maxsi %z, %j : index
      scf.yield %larger : index
    }
    %less = arith.minsi %y, %i : index
    scf.yield %next, %less : index, index
  }
  %above = arith.cmpi sge, %r#0, %a : index
  %below = arith.cmpi sle, %r#1, %a : index
  return %above, %below : i1, i1
}

// -----

// Must not fire: a step of unknown sign, a branch that goes down, a sum that
// wraps.
// CHECK-LABEL: func.func @may_shrink(
// CHECK:         %[[X:.*]] = arith.cmpi sge
// CHECK:         %[[Y:.*]] = arith.cmpi sge
// CHECK:         %[[Z:.*]] = arith.cmpi sge
// CHECK:         return %[[X]], %[[Y]], %[[Z]]
func.func @may_shrink(%a: index, %s: index, %n: index, %c: i1) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a, %z = %a) -> (index, index, index) {
    %nx = arith.addi %x, %s overflow<nsw> : index
    %up = arith.addi %y, %c1 overflow<nsw> : index
    %down = arith.subi %y, %c1 overflow<nsw> : index
    %ny = arith.select %c, %up, %down : index
    %nz = arith.addi %z, %i : index
    scf.yield %nx, %ny, %nz : index, index, index
  }
  %x = arith.cmpi sge, %r#0, %a : index
  %y = arith.cmpi sge, %r#1, %a : index
  %z = arith.cmpi sge, %r#2, %a : index
  return %x, %y, %z : i1, i1, i1
}

// -----

// Positive: the same of affine.for, whose arithmetic does not wrap.
// CHECK-LABEL: func.func @affine(
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         return %[[TRUE]]
func.func @affine(%n: index) -> i1 {
  %c0 = arith.constant 0 : index
  %r = affine.for %i = 0 to 10 iter_args(%acc = %n) -> index {
    %next = affine.apply affine_map<(d0) -> (d0 + 2)>(%acc)
    affine.yield %next : index
  }
  %end = affine.apply affine_map<(d0) -> (d0 + 20)>(%n)
  %same = arith.cmpi eq, %r, %end : index
  return %same : i1
}

// -----

// Positive: on each path of an iteration the value changes by -1 to 2, so after
// ten of them by -10 to 20, and before the last one by no more than nine times
// that. A sum of sums that cancel changes nothing, wrapped or not.
// CHECK-LABEL: func.func @changes(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @changes(%a: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c18 = arith.constant 18 : index
  %c20 = arith.constant 20 : index
  %cm10 = arith.constant -10 : index
  %0:2 = scf.for %i = %c0 to %c10 step %c1 iter_args(%x = %c0, %y = %a) -> (index, index) {
    %inside = arith.cmpi sle, %x, %c18 : index
    cf.assert %inside, "at most nine times 2"
    %c = "test.condition"() : () -> i1
    %next = scf.if %c -> index {
      %up = arith.addi %x, %c2 : index
      scf.yield %up : index
    } else {
      %down = arith.subi %x, %c1 : index
      scf.yield %down : index
    }
    %more = arith.addi %y, %a : index
    %same = arith.subi %more, %a : index
    scf.yield %next, %same : index, index
  }
  %most = arith.cmpi sle, %0#0, %c20 : index
  %least = arith.cmpi sge, %0#0, %cm10 : index
  %kept = arith.cmpi eq, %0#1, %a : index
  return %most, %least, %kept : i1, i1, i1
}

// -----

// Must not fire: from an unknown start the sum may wrap; a map divides what has
// wrapped; one less is not proved.
// CHECK-LABEL: func.func @changes_unknown(
// CHECK-COUNT-3: arith.cmpi
func.func @changes_unknown(%a: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %0:3 = scf.for %i = %c0 to %c10 step %c1 iter_args(%x = %a, %y = %a, %z = %c0) -> (index, index, index) {
    %c = "test.condition"() : () -> i1
    %up = arith.addi %x, %c1 : index
    %next = arith.select %c, %up, %x : index
    %twice = arith.addi %y, %y : index
    %half = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%twice)
    %more = arith.addi %z, %c1 : index
    %counted = arith.select %c, %more, %z : index
    scf.yield %next, %half, %counted : index, index, index
  }
  %above = arith.cmpi sge, %0#0, %a : index
  %kept = arith.cmpi eq, %0#1, %a : index
  %less = arith.cmpi sle, %0#2, %c9 : index
  return %above, %kept, %less : i1, i1, i1
}

// -----

// Positive: what is the same after each iteration is that, or the initial value
// where there was none.
// CHECK-LABEL: func.func @replaced(
// CHECK-COUNT-3: arith.constant true
// CHECK-NEXT: return %true, %true_0, %true_1
func.func @replaced(%a: index, %n: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %once = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %c0) -> (index) {
    scf.yield %c7 : index
  }
  %never = scf.for %i = %c0 to %c0 step %c1 iter_args(%x = %a) -> (index) {
    scf.yield %c7 : index
  }
  %any = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1) -> (index) {
    scf.yield %c7 : index
  }
  %0 = arith.cmpi eq, %once, %c7 : index
  %1 = arith.cmpi eq, %never, %a : index
  %2 = arith.cmpi sge, %any, %c1 : index
  return %0, %1, %2 : i1, i1, i1
}

// -----

// Must not fire: there may be no iteration.
// CHECK-LABEL: func.func @replaced_or_not(
// CHECK-COUNT-2: arith.cmpi
func.func @replaced_or_not(%n: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %any = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1) -> (index) {
    scf.yield %c7 : index
  }
  %0 = arith.cmpi eq, %any, %c7 : index
  %1 = arith.cmpi eq, %any, %c1 : index
  return %0, %1 : i1, i1
}

// -----

// Positive: a counter without a sign goes on where one with it would be
// negative; the last one is what the loop gives. A scalar that grows is a
// function of the number of iterations.
// CHECK-LABEL: func.func @counted_without_sign(
// CHECK-COUNT-3: arith.constant true
// CHECK-NOT:     arith.cmpi
func.func @counted_without_sign(%a: index, %t: tensor<?xf32>) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c-4 = arith.constant -4 : index
  %c-2 = arith.constant -2 : index
  %c-7 = arith.constant -7 : index
  // The bounds are 2^63 and 2^63 + 4.
  %low = arith.constant -9223372036854775808 : index
  %high = arith.constant -9223372036854775804 : index
  %last = scf.for unsigned %i = %c0 to %c-2 step %c3 iter_args(%x = %a)
      -> (index) {
    scf.yield %i : index
  }
  %sum = scf.for unsigned %i = %low to %high step %c1 iter_args(%x = %c0)
      -> (index) {
    %next = arith.addi %x, %c3 : index
    scf.yield %next : index
  }
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %any = scf.for unsigned %i = %c-7 to %n step %c1 iter_args(%x = %c5)
      -> (index) {
    scf.yield %i : index
  }
  %c12 = arith.constant 12 : index
  %0 = arith.cmpi eq, %last, %c-4 : index
  %1 = arith.cmpi eq, %sum, %c12 : index
  %2 = arith.cmpi eq, %any, %c5 : index
  return %0, %1, %2 : i1, i1, i1
}

// -----

// Must not fire: the last counter is negative, and the loop may have no
// iteration.
// CHECK-LABEL: func.func @without_sign_but_unknown(
// CHECK-COUNT-2: arith.cmpi
func.func @without_sign_but_unknown(%n: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%x = %c0)
      -> (index) {
    scf.yield %i : index
  }
  %0 = arith.cmpi sge, %any, %c0 : index
  %1 = arith.cmpi slt, %any, %n : index
  return %0, %1 : i1, i1
}
