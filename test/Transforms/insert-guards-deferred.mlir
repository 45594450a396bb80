// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// Where checks of data stand: as early as what decides is known, in the order of
// the ops that need them.

// Positive: before what does not decide, and before nothing that it reads.
// CHECK-LABEL: func.func @before_work(
// CHECK:         %[[N:.*]] = tensor.extract
// CHECK-NOT:     linalg.fill
// CHECK:         symshape.fail "@before_work: the value of {{[^ ]*( #[0-9]+)?}} ({0}) must be at least 0
// CHECK:         symshape.fail "@before_work: the value of {{[^ ]*( #[0-9]+)?}} ({0}) must be at most 8
// CHECK:         linalg.fill
// CHECK-NOT:     symshape.fail
// CHECK:         tensor.extract_slice
func.func @before_work(%x: tensor<8xf32>, %s: tensor<index>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %s[] : tensor<index>
  %filled = linalg.fill ins(%zero : f32) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %r = tensor.extract_slice %filled[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a refused call would not have stored, and neither passes a
// later check that the user sees fail first.
// CHECK-LABEL: func.func @effects(
// CHECK:         %[[N:.*]] = tensor.extract
// CHECK:         memref.store
// CHECK-NEXT:    symshape.assert "n <= 4"
func.func @effects(%s: tensor<index>, %m: memref<f32>) {
  %one = arith.constant 1.0 : f32
  %n = tensor.extract %s[] : tensor<index>
  memref.store %one, %m[] : memref<f32>
  symshape.assert "n <= 4" (n = %n), "after the store"
  return
}

// -----

// Must not fire: a call may do anything, an assert that is no relation fails by
// itself.
// CHECK-LABEL: func.func @unknown(
// CHECK:         call @anything
// CHECK-NEXT:    symshape.assert "n <= 4"
// CHECK-NEXT:    cf.assert %
// CHECK-NEXT:    symshape.assert "n <= 2"
func.func private @anything()
func.func @unknown(%s: tensor<index>, %flag: i1) {
  %n = tensor.extract %s[] : tensor<index>
  call @anything() : () -> ()
  symshape.assert "n <= 4" (n = %n), "after the call"
  cf.assert %flag, "a flag"
  symshape.assert "n <= 2" (n = %n), "after the flag"
  return
}

// -----

// Positive: of asserts that move to one place, the weak one is dropped; the
// strong one tells all that need it, and the facts stay where the asserts were.
// CHECK-LABEL: func.func @asserts(
// CHECK:         %[[N:.*]] = tensor.extract
// CHECK-NOT:     at most 8
// CHECK:         symshape.fail "@asserts: assert failed: strong: the value of {{[^ ]*( #[0-9]+)?}} ({0}) must be at most 4\0A  needed by symshape.assert at {{.*}} (assert)\0A  needed by symshape.assert at {{.*}} (assert): again"
// CHECK:         linalg.fill
// CHECK-NEXT:    symshape.assume %[[N]] ["v0 <= 8"] (v0)
// CHECK-NEXT:    symshape.assume %[[N]] ["v0 <= 4"] (v0)
// CHECK-NEXT:    symshape.assume %[[N]] ["v0 <= 4"] (v0)
// CHECK-NEXT:    return
func.func @asserts(%x: tensor<8xf32>, %s: tensor<index>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %s[] : tensor<index>
  %filled = linalg.fill ins(%zero : f32) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  symshape.assert "n <= 8" (n = %n), "weak"
  symshape.assert "n <= 4" (n = %n), "strong"
  symshape.assert "n <= 4" (n = %n), "again"
  return %filled : tensor<8xf32>
}

// -----

// Positive: an assert leaves a loop that may not run, with that as its
// condition; what the turns do not share stays, and what follows stays behind.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %{{.*}}: tensor<index>, %[[TURNS:[a-z0-9]+]]: index
// CHECK:         arith.ori
// CHECK:         symshape.fail "@loop: assert failed: shared
// CHECK:         scf.for
// CHECK:           symshape.assume %{{.*}} ["v0 <= 4"] (v0)
// CHECK:           symshape.fail {{.*}}own
// CHECK:         }
// CHECK:         symshape.fail {{.*}}behind
func.func @loop(%s: tensor<index>, %turns: index, %t: tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.extract %s[] : tensor<index>
  scf.for %i = %c0 to %turns step %c1 {
    symshape.assert "n <= 4" (n = %n), "shared"
    %v = tensor.extract %t[%i] : tensor<?xindex>
    %w = arith.constant 3 : index
    symshape.assert "v <= 7" (v = %v), "own"
  }
  %u = arith.constant 3 : index
  symshape.assert "2 | n" (n = %n), "behind"
  return
}

// -----

// Positive: what the body of a while loop needs is needed where its first turn
// is made.
// CHECK-LABEL: func.func @while(
// CHECK:         arith.ori
// CHECK:         symshape.fail "@while: assert failed: body
// CHECK:         scf.while
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @while(%n: index, %turns: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %turns : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    symshape.assert "n <= 4" (n = %n), "body"
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// -----

// Must not fire: a branch that only a later turn takes is not that of the first.
// CHECK-LABEL: func.func @later_turn(
// CHECK-NOT:     symshape.fail
// CHECK:         scf.while
// CHECK:           symshape.fail {{.*}}third turn
func.func @later_turn(%n: index, %turns: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %turns : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %third = arith.cmpi eq, %i, %c3 : index
    scf.if %third {
      symshape.assert "n <= 4" (n = %n), "third turn"
    }
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// -----

// Positive: a guard and a check name every op that needs them.
// CHECK-LABEL: func.func @reasons.guard(
// CHECK-SAME:    must be at least 2\0A  needed by tensor.extract_slice at {{[^\]*}}\0A  needed by tensor.extract_slice
// CHECK-LABEL: func.func @reasons(
// CHECK:         symshape.fail "@reasons: argument #1 ({0}) must be at least 0\0A  needed by tensor.extract_slice at {{[^\]*}}\0A  needed by tensor.extract_slice
func.func @reasons(%x: tensor<?xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = tensor.extract_slice %x[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %b = tensor.extract_slice %x[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %c = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<2xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: a divisor is checked before what divides by it, wherever that moves.
// CHECK-LABEL: func.func @divisor(
// CHECK:         symshape.fail {{.*}}must not be 0
// CHECK:         arith.floordivsi
// CHECK:         symshape.fail {{.*}}quotient
// CHECK:         tensor.empty
func.func @divisor(%k: index) -> tensor<4xf32> {
  %c8 = arith.constant 8 : index
  %n = arith.floordivsi %c8, %k : index
  %e = tensor.empty() : tensor<4xf32>
  symshape.assert "n <= 4" (n = %n), "quotient"
  return %e : tensor<4xf32>
}

// -----

// Positive: what varies is checked in each turn, by the values of the region
// that needs it.
// CHECK-LABEL: func.func @counter(
// CHECK:         scf.while
// CHECK:         ^bb0(%[[I:[a-z0-9]+]]: index, %{{.*}}: f32):
// CHECK:           arith.index_cast %[[I]]
// CHECK:           symshape.fail "@counter: a value of the program ({0}) must be less than extent of argument #0 dim 0
// CHECK:           tensor.extract
func.func @counter(%w: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %c0, %sum = %zero) : (index, f32) -> (index, f32) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %sum : index, f32
  } do {
  ^bb0(%i: index, %sum: f32):
    %v = tensor.extract %w[%i] : tensor<?xf32>
    %s = arith.addf %v, %sum : f32
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %s : index, f32
  }
  return %r#1 : f32
}

// -----

// Positive: what cannot hold is checked in the body, where what follows it goes
// away. What may hold is checked before the loop, if that has a turn.
// CHECK-LABEL: func.func @cannot_hold(
// CHECK:         symshape.fail "@cannot_hold: assert failed: may hold
// CHECK:         scf.for
// CHECK:           symshape.fail "@cannot_hold: assert failed: cannot hold
// CHECK:           linalg.fill
func.func @cannot_hold(%t: tensor<index>, %s: tensor<index>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %t[] : tensor<index>
  %m = tensor.extract %s[] : tensor<index>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    symshape.assert "m == 4" (m = %m), "may hold"
    symshape.assert "k == 0" (k = %c1), "cannot hold"
    %f = linalg.fill ins(%zero : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
