// RUN: symshape-opt %s --symshape-discharge | FileCheck %s

// Positive: the ops of index mean what those of arith do.
// CHECK-LABEL:   func.func @arithmetic(
// CHECK-COUNT-8: arith.constant true
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @arithmetic(%t: tensor<?x?xf32>) -> (i1, i1, i1, i1, i1, i1, i1, i1) {
  %c0 = index.constant 0
  %c1 = index.constant 1
  %c8 = index.constant 8
  %m = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n = tensor.dim %t, %c1 : tensor<?x?xf32>
  %sum = index.add %m, %n
  %difference = index.sub %sum, %n
  %0 = arith.cmpi eq, %difference, %m : index
  %mn = index.mul %m, %n
  %nm = index.mul %n, %m
  %1 = arith.cmpi eq, %mn, %nm : index
  %quotient = index.divu %m, %c8
  %rest = index.remu %m, %c8
  %whole = index.mul %quotient, %c8
  %both = index.add %whole, %rest
  %2 = arith.cmpi eq, %both, %m : index
  %up = index.ceildivs %m, %c8
  %padded = index.mul %up, %c8
  %3 = arith.cmpi sge, %padded, %m : index
  %least = index.mins %m, %n
  %4 = arith.cmpi sle, %least, %n : index
  %most = index.maxu %m, %n
  %5 = arith.cmpi sge, %most, %n : index
  %shifted = index.shl %m, %c1
  %back = index.shrs %shifted, %c1
  %6 = arith.cmpi eq, %back, %m : index
  %seven = index.constant 7
  %low = index.and %m, %seven
  %7 = arith.cmpi sle, %low, %seven : index
  return %0, %1, %2, %3, %4, %5, %6, %7 : i1, i1, i1, i1, i1, i1, i1, i1
}

// Positive: comparisons and casts.
// CHECK-LABEL:   func.func @conditions(
// CHECK-COUNT-2: arith.constant true
// CHECK:         return
func.func @conditions(%a: index, %t: tensor<?xf32>) -> (i1, i1) {
  %c0 = index.constant 0
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %less = index.cmp slt(%a, %n)
  %wide = index.casts %n : index to i64
  %same = index.castu %wide : i64 to index
  %equal = arith.cmpi eq, %same, %n : index
  %r = scf.if %less -> i1 {
    %inside = arith.cmpi slt, %a, %same : index
    scf.yield %inside : i1
  } else {
    %true = index.bool.constant true
    scf.yield %true : i1
  }
  return %equal, %r : i1, i1
}

// Must not fire: sums of unknown indices wrap; an unsigned division of a number
// that may be negative; a cast that cuts.
// CHECK-LABEL: func.func @may_wrap(
// CHECK:         arith.cmpi
// CHECK:         arith.cmpi
// CHECK:         arith.cmpi
func.func @may_wrap(%a: index) -> (i1, i1, i1) {
  %c1 = index.constant 1
  %c2 = index.constant 2
  %next = index.add %a, %c1
  %0 = arith.cmpi sgt, %next, %a : index
  %half = index.divu %a, %c2
  %1 = arith.cmpi sle, %half, %a : index
  %low = index.casts %a : index to i32
  %cut = index.casts %low : i32 to index
  %2 = arith.cmpi eq, %cut, %a : index
  return %0, %1, %2 : i1, i1, i1
}
