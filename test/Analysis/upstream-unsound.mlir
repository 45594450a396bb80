// RUN: symshape-opt %s --symshape-discharge | FileCheck %s
// RUN: symshape-run %s --entry=uneven_steps | FileCheck %s --check-prefix=UNEVEN
// RUN: symshape-run %s --entry=no_trips | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=trips --input=index=0 --input=index=10 | FileCheck %s --check-prefix=FORWARD
// RUN: symshape-run %s --entry=trips --input=index=10 --input=index=0 | FileCheck %s --check-prefix=BACKWARD
// RUN: symshape-run %s --entry=rounding --input=index=-3 | FileCheck %s --check-prefix=ROUND
// RUN: symshape-run %s --entry=wide --input=index=1 | FileCheck %s --check-prefix=SMALL
// RUN: symshape-run %s --entry=wide --input=index=9007199254740991 | FileCheck %s --check-prefix=WIDE
// RUN: symshape-run %s --entry=unsigned_loop --input=index=0 | FileCheck %s --check-prefix=UNSIGNED
// RUN: symshape-run %s --entry=successor --input=index=7 | FileCheck %s --check-prefix=NEXT
// RUN: symshape-run %s --entry=successor --input=index=9223372036854775807 | FileCheck %s --check-prefix=WRAP

// Each function returns a number, and a claim about it that upstream's
// ValueBoundsOpInterface proves though it is false: it is not proved here. What
// is true of the same values is proved. After all passes the number is right.

// Must not fire: the step of one iteration is not that of all, as upstream has it
// (m is 2 there). r is 0+0+1+2+3 = 6, so m is min(6 mod 4, 1).
// CHECK-LABEL: func.func @uneven_steps(
// CHECK: %[[R:.*]] = scf.for
// CHECK: %[[M:.*]] = affine.min {{.*}}(%[[R]])
// CHECK: %[[CLAIM:.*]] = arith.cmpi eq, %[[R]]
// CHECK: return %[[M]], %[[CLAIM]]
// UNEVEN:      index: 1
// UNEVEN-NEXT: i1: false
func.func @uneven_steps() -> (index, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %c0) -> (index) {
    %n = arith.addi %acc, %i : index
    scf.yield %n : index
  }
  %m = affine.min affine_map<(d0) -> (d0 mod 4, 1)>(%r)
  %claim = arith.cmpi eq, %r, %c4 : index
  return %m, %claim : index, i1
}

// Must not fire: a loop from 10 to 0 has no iteration. Upstream counts -10, and
// takes r for -5. It is 5, which is known.
// CHECK-LABEL: func.func @no_trips(
// CHECK-DAG: %[[M:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[CLAIM:.*]] = arith.constant false
// CHECK: return %[[M]], %[[CLAIM]]
// NONE:      index: 3
// NONE-NEXT: i1: false
func.func @no_trips() -> (index, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %minus5 = arith.constant -5 : index
  %r = scf.for %i = %c10 to %c0 step %c1 iter_args(%acc = %c5) -> (index) {
    %n = arith.addi %acc, %c1 : index
    scf.yield %n : index
  }
  %m = affine.min affine_map<(d0) -> (d0, 3)>(%r)
  %claim = arith.cmpi eq, %r, %minus5 : index
  return %m, %claim : index, i1
}

// Must not fire: nor is it known for bounds that are not constant.
// CHECK-LABEL: func.func @trips(
// CHECK: %[[R:.*]] = scf.for
// CHECK: %[[CLAIM:.*]] = arith.cmpi eq, %[[R]]
// CHECK: return %[[R]], %[[CLAIM]]
// FORWARD:       index: 15
// FORWARD-NEXT:  i1: true
// BACKWARD:      index: 5
// BACKWARD-NEXT: i1: false
func.func @trips(%from: index, %to: index) -> (index, i1) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %from to %to step %c1 iter_args(%acc = %c5) -> (index) {
    %n = arith.addi %acc, %c1 : index
    scf.yield %n : index
  }
  %e = affine.apply affine_map<(d0, d1) -> (d1 - d0 + 5)>(%from, %to)
  %claim = arith.cmpi eq, %r, %e : index
  return %r, %claim : index, i1
}

// Positive: division rounds to minus infinity, in proofs and in the code for an
// expression. Upstream's arith code for it rounds to zero: -1 and -1, for both.
// CHECK-LABEL: func.func @rounding(
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: return {{.*}}, %[[TRUE]] :
// ROUND:      index: -2
// ROUND-NEXT: index: 1
// ROUND-NEXT: index: -1
// ROUND-NEXT: index: 1
// ROUND-NEXT: i1: true
func.func @rounding(%a: index) -> (index, index, index, index, i1) {
  %c0 = arith.constant 0 : index
  %x = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%a)
  %y = affine.apply affine_map<(d0) -> (d0 mod 2)>(%a)
  %q = symshape.size "a floordiv 4" (a = %a)
  %r = symshape.size "a mod 4" (a = %a)
  %claim = arith.cmpi sge, %r, %c0 : index
  return %x, %y, %q, %r, %claim : index, index, index, index, i1
}

// Must not fire: the largest product, 2^64 - 2048, does not fit 64 bits. Upstream
// cuts it: x < -2047.
// CHECK-LABEL: func.func @wide(
// CHECK: %[[X:.*]] = arith.muli
// CHECK: %[[CLAIM:.*]] = arith.cmpi slt, %[[X]]
// CHECK: return %[[X]], %[[CLAIM]]
// SMALL:      index: 2048
// SMALL-NEXT: i1: false
// WIDE:       index: -2048
// WIDE-NEXT:  i1: true
func.func @wide(%a: index) -> (index, i1) {
  %c2048 = arith.constant 2048 : index
  %bound = arith.constant -2047 : index
  %d = symshape.assume %a ["1 <= a", "a <= 9007199254740991"] (a) : index
  %x = arith.muli %d, %c2048 : index
  %claim = arith.cmpi slt, %x, %bound : index
  return %x, %claim : index, i1
}

// Must not fire: the bound of an unsigned loop, 2^63, is not -2^63. Upstream takes
// i for less than that, and so for the minimum. It is 0, then 2^62: the minimum is -7.
// CHECK-LABEL: func.func @unsigned_loop(
// CHECK: scf.for unsigned
// CHECK-NEXT: %[[M:.*]] = arith.constant -7 : index
// CHECK-NEXT: arith.addi {{.*}}, %[[M]]
// CHECK-NEXT: %[[CLAIM:.*]] = arith.constant false
// CHECK-NEXT: arith.ori {{.*}}, %[[CLAIM]]
// UNSIGNED:      index: -14
// UNSIGNED-NEXT: i1: false
func.func @unsigned_loop(%lb: index) -> (index, i1) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %ub = arith.constant -9223372036854775808 : index
  %step = arith.constant 4611686018427387904 : index
  %sum, %claim = scf.for unsigned %i = %lb to %ub step %step
      iter_args(%acc = %c0, %any = %false) -> (index, i1) {
    %m = affine.min affine_map<(d0) -> (d0, -7)>(%i)
    %next = arith.addi %acc, %m : index
    %isCounter = arith.cmpi eq, %m, %i : index
    %or = arith.ori %any, %isCounter : i1
    scf.yield %next, %or : index, i1
  }
  return %sum, %claim : index, i1
}

// Must not fire: a + 1 may wrap. Upstream takes it for larger than a.
// CHECK-LABEL: func.func @successor(
// CHECK: %[[B:.*]] = arith.addi
// CHECK: %[[CLAIM:.*]] = arith.cmpi sgt, %[[B]]
// CHECK: return {{.*}}, %[[CLAIM]]
// NEXT:      index: 7
// NEXT-NEXT: i1: true
// WRAP:      index: -9223372036854775808
// WRAP-NEXT: i1: false
func.func @successor(%a: index) -> (index, i1) {
  %c1 = arith.constant 1 : index
  %b = arith.addi %a, %c1 : index
  %m = affine.min affine_map<(d0, d1) -> (d0, d1)>(%b, %a)
  %claim = arith.cmpi sgt, %b, %a : index
  return %m, %claim : index, i1
}
