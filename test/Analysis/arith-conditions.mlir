// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s

// Positive: a selection by a comparison of the two is a minimum or a maximum,
// whichever way it is written.
// CHECK-LABEL: func.func @select_extrema(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[min(M, N), max(M, N), min(M, N), max(M, N)]>]}
func.func @select_extrema(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %less = arith.cmpi slt, %n, %m : index
  %0 = arith.select %less, %n, %m : index
  %1 = arith.select %less, %m, %n : index
  %atLeast = arith.cmpi uge, %n, %m : index
  %2 = arith.select %atLeast, %m, %n : index
  %3 = arith.select %atLeast, %n, %m : index
  %e = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xf32>
  return %e : tensor<?x?x?x?xf32>
}

// -----

// Must not fire: off by one, a selection is no minimum: n = m + 1 gives n.
// CHECK-LABEL: func.func @select_off_by_one(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(M, N)"]>]}
func.func @select_off_by_one(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %m1 = arith.addi %m, %c1 : index
  %atMostOneMore = arith.cmpi sle, %n, %m1 : index
  %r = arith.select %atMostOneMore, %n, %m : index
  %e = tensor.empty(%r) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: the extent that broadcasting gives, by == 1 and by != 1.
// CHECK-LABEL: func.func @select_broadcast(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[bc(N, M), bc(N, M)]>]}
func.func @select_broadcast(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isOne = arith.cmpi eq, %n, %c1 : index
  %0 = arith.select %isOne, %m, %n : index
  %isNotOne = arith.cmpi ne, %n, %c1 : index
  %1 = arith.select %isNotOne, %n, %m : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Must not fire: it is no broadcast where the other value is not the one that is
// compared, or is compared with 0.
// CHECK-LABEL: func.func @select_no_broadcast(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= M", "<= max(M, N)"]>]}
func.func @select_no_broadcast(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isOne = arith.cmpi eq, %n, %c1 : index
  %r0 = arith.select %isOne, %m, %c0 : index
  %isZero = arith.cmpi eq, %n, %c0 : index
  %r1 = arith.select %isZero, %m, %n : index
  %e = tensor.empty(%r0, %r1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: where the condition makes both equal, the other one serves for both.
// CHECK-LABEL: func.func @select_equal(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M, N]>]}
func.func @select_equal(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isEqual = arith.cmpi eq, %n, %m : index
  %0 = arith.select %isEqual, %n, %m : index
  %differs = arith.cmpi ne, %n, %m : index
  %1 = arith.select %differs, %n, %m : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: a constant condition selects; so does one that the ranges decide.
// CHECK-LABEL: func.func @select_decided(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, N, M]>]}
func.func @select_decided(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 10]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %true = arith.constant true
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = arith.select %true, %n, %m : index
  %small = arith.cmpi sle, %n, %c10 : index
  %1 = arith.select %small, %n, %m : index
  %negative = arith.cmpi slt, %m, %c0 : index
  %2 = arith.select %negative, %n, %m : index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: the usual normalisation of a negative position, where the condition
// keeps the sum in range.
// CHECK-LABEL: func.func @select_normalised(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N - 1]>]}
func.func @select_normalised(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 100]>]} {
  %c0 = arith.constant 0 : index
  %minus1 = arith.constant -1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %isNegative = arith.cmpi slt, %minus1, %c0 : index
  %sum = arith.addi %minus1, %n : index
  %r = arith.select %isNegative, %sum, %minus1 : index
  %e = tensor.empty(%r) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: an unsigned comparison with a negative number is not the signed
// one: N <u M - 1 holds for M = 0, where M - 1 < N.
// CHECK-LABEL: func.func @unsigned_comparison(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(M - 1, N) + 1", "<= max(M - 1, N) + 1"]>]}
func.func @unsigned_comparison(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %d = arith.subi %m, %c1 : index
  %less = arith.cmpi ult, %n, %d : index
  %0 = arith.select %less, %n, %d : index
  %size0 = arith.addi %0, %c1 : index
  %greater = arith.cmpi ugt, %n, %d : index
  %1 = arith.select %greater, %d, %n : index
  %size1 = arith.addi %1, %c1 : index
  %e = tensor.empty(%size0, %size1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: and, or, xor and comparison of conditions.
// CHECK-LABEL: func.func @logic(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[4, M, 4, M]>]}
func.func @logic(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [3, 3]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isThree = arith.cmpi eq, %n, %c3 : index
  %isFour = arith.cmpi eq, %n, %c4 : index
  %mIsSmall = arith.cmpi slt, %m, %c4 : index
  %or = arith.ori %mIsSmall, %isThree : i1
  %0 = arith.select %or, %c4, %m : index
  %and = arith.andi %mIsSmall, %isFour : i1
  %1 = arith.select %and, %c4, %m : index
  %not = arith.xori %isFour, %true : i1
  %2 = arith.select %not, %c4, %m : index
  %same = arith.cmpi eq, %isThree, %isFour : i1
  %3 = arith.select %same, %c4, %m : index
  %e = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xf32>
  return %e : tensor<?x?x?x?xf32>
}

// -----

// Must not fire: half of a conjunction decides nothing when it holds, half of a
// disjunction nothing when it fails.
// CHECK-LABEL: func.func @logic_undecided(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(M, 4)", "<= max(M, 4)"]>]}
func.func @logic_undecided(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>},
                           %b: i1)
    -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [3, 3]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %isThree = arith.cmpi eq, %n, %c3 : index
  %isFour = arith.cmpi eq, %n, %c4 : index
  %and = arith.andi %isThree, %b : i1
  %0 = arith.select %and, %c4, %m : index
  %or = arith.ori %isFour, %b : i1
  %1 = arith.select %or, %c4, %m : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: x xor -1 is -x - 1, and the lowest bit of a number is its remainder.
// CHECK-LABEL: func.func @bits(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N - 1, M]>]}
func.func @bits(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [2, 1000], multiple_of = 2>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus1 = arith.constant -1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  // -1 - N, plus N + N: N - 1.
  %not = arith.xori %n, %minus1 : index
  %twice = arith.addi %n, %n : index
  %0 = arith.addi %not, %twice : index
  %i = arith.index_cast %n : index to i64
  %isOdd = arith.trunci %i : i64 to i1
  %1 = arith.select %isOdd, %n, %m : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Must not fire: a mask that is not of low bits is no remainder; an exclusive or
// with another number than -1 is nothing.
// CHECK-LABEL: func.func @bits_of_other_masks(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= 6", ?]>]}
func.func @bits_of_other_masks(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = arith.andi %n, %c6 : index
  %1 = arith.xori %n, %c6 : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: extents of selected tensors join dimension by dimension.
// CHECK-LABEL: func.func @select_tensor(
// CHECK: arith.select {{.*}} {symshape.extents = [#symshape.shape<[N, min(A, B)]>]}
func.func @select_tensor(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, A]>},
                         %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, B]>})
    -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %da = tensor.dim %a, %c1 : tensor<?x?xf32>
  %db = tensor.dim %b, %c1 : tensor<?x?xf32>
  %less = arith.cmpi slt, %da, %db : index
  %r = arith.select %less, %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Must not fire: a condition that is not known leaves either extent possible.
// CHECK-LABEL: func.func @select_tensor_unknown(
// CHECK: arith.select {{.*}} {symshape.extents = [#symshape.shape<[N, "<= max(A, B)"]>]}
func.func @select_tensor_unknown(%c: i1,
                                 %a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, A]>},
                                 %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, B]>})
    -> tensor<?x?xf32> {
  %r = arith.select %c, %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: a selection by element keeps the extents.
// CHECK-LABEL: func.func @select_elements(
// CHECK: arith.select {{.*}} {symshape.extents = [#symshape.shape<[N]>]}
func.func @select_elements(%c: tensor<?xi1> {symshape.shape = #symshape.shape<[N]>},
                           %a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                           %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %r = arith.select %c, %a, %b : tensor<?xi1>, tensor<?xf32>
  return %r : tensor<?xf32>
}
