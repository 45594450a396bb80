// RUN: symshape-opt %s --symshape-discharge | FileCheck %s

//===----------------------------------------------------------------------===//
// Asserts
//===----------------------------------------------------------------------===//

// Positive: the signature says it.
// CHECK-LABEL: func.func @declared(
// CHECK-NOT:     assert
// CHECK:         return
func.func @declared(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %small = arith.cmpi sle, %n, %c64 : index
  cf.assert %small, "at most 64"
  symshape.assert "N >= 1", "not empty"
  return
}

// Positive: an op before it requires the same.
// CHECK-LABEL: func.func @op_before(
// CHECK:         linalg.add
// CHECK-NOT:     symshape.assert
// CHECK:         return
func.func @op_before(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  symshape.assert "n == m" (n = %n, m = %m), "equal"
  return %r : tensor<?xf32>
}

// Must not fire: the op that requires the same comes later.
// CHECK-LABEL: func.func @op_behind(
// CHECK:         symshape.assert "n == m"
// CHECK:         linalg.add
func.func @op_behind(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  symshape.assert "n == m" (n = %n, m = %m), "equal"
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Must not fire: an assert does not prove itself, nor the comparison it reads.
// CHECK-LABEL: func.func @itself(
// CHECK:         %[[OK:.*]] = arith.cmpi sle
// CHECK:         cf.assert %[[OK]], "at most 64"
func.func @itself(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %small = arith.cmpi sle, %n, %c64 : index
  cf.assert %small, "at most 64"
  return
}

// Positive: of two that imply each other the first stays.
// CHECK-LABEL: func.func @each_other(
// CHECK:         cf.assert %{{.*}}, "first"
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @each_other(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c65 = arith.constant 65 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %less = arith.cmpi slt, %n, %c65 : index
  cf.assert %less, "first"
  %small = arith.cmpi sle, %n, %c64 : index
  cf.assert %small, "second"
  return
}

// Positive: a stronger assert proves the weaker one behind it.
// CHECK-LABEL: func.func @stronger_first(
// CHECK:         symshape.assert "n <= 4"
// CHECK-NOT:     symshape.assert
// CHECK:         return
func.func @stronger_first(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n <= 4" (n = %n), "strong"
  symshape.assert "n <= 64" (n = %n), "weak"
  return
}

// Must not fire: the weaker one comes first; nothing before it proves it.
// CHECK-LABEL: func.func @weaker_first(
// CHECK:         symshape.assert "n <= 64"
// CHECK:         symshape.assert "n <= 4"
func.func @weaker_first(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n <= 64" (n = %n), "weak"
  symshape.assert "n <= 4" (n = %n), "strong"
  return
}

// Must not fire: it always fails, and says so where it stands.
// CHECK-LABEL: func.func @never(
// CHECK:         symshape.assert "N == 0"
func.func @never(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  symshape.assert "N == 0", "empty"
  return
}

// Must not fire: one part of the conjunction is proved, the other is not.
// CHECK-LABEL: func.func @half(
// CHECK:         cf.assert
func.func @half(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %x: index)
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %proved = arith.cmpi sle, %n, %c64 : index
  %unknown = arith.cmpi sle, %x, %c64 : index
  %both = arith.andi %proved, %unknown : i1
  cf.assert %both, "both"
  return
}

// Positive: inside of the branch its condition holds. Must not fire: in the
// other branch, and behind both.
// CHECK-LABEL: func.func @branch(
// CHECK:         scf.if
// CHECK-NOT:       symshape.assert
// CHECK:         } else {
// CHECK:           symshape.assert "n <= 8"
// CHECK:         }
// CHECK:         symshape.assert "n <= 4"
// CHECK:         return
func.func @branch(%t: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %small = arith.cmpi sle, %n, %c4 : index
  scf.if %small {
    symshape.assert "n <= 4" (n = %n), "then"
  } else {
    symshape.assert "n >= 5" (n = %n), "proved by the negation"
    symshape.assert "n <= 8" (n = %n), "else"
  }
  symshape.assert "n <= 4" (n = %n), "behind"
  return
}

// Must not fire: an assert in a branch that may not run proves nothing outside.
// CHECK-LABEL: func.func @assert_in_branch(
// CHECK:         scf.if
// CHECK:           symshape.assert "n <= 4"
// CHECK:         symshape.assert "n <= 4"
func.func @assert_in_branch(%t: tensor<?xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  scf.if %flag {
    symshape.assert "n <= 4" (n = %n), "then"
  }
  symshape.assert "n <= 4" (n = %n), "behind"
  return
}

// Must not fire: the loop may have no turns.
// CHECK-LABEL: func.func @assert_in_loop(
// CHECK:         scf.for
// CHECK:           symshape.assert "n <= 4"
// CHECK:         symshape.assert "n <= 4"
func.func @assert_in_loop(%t: tensor<?xf32>, %turns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %turns step %c1 {
    symshape.assert "n <= 4" (n = %n), "turn"
  }
  symshape.assert "n <= 4" (n = %n), "behind"
  return
}

// Must not fire: of two blocks one runs.
// CHECK-LABEL: func.func @blocks(
// CHECK:         symshape.assert "n <= 4"
// CHECK:         symshape.assert "n <= 4"
func.func @blocks(%t: tensor<?xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  cf.cond_br %flag, ^one, ^two
^one:
  symshape.assert "n <= 4" (n = %n), "one"
  return
^two:
  symshape.assert "n <= 4" (n = %n), "two"
  return
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// Positive: behind an assert it decides. Must not fire: before the assert.
// CHECK-LABEL: func.func @before_and_behind(
// CHECK:         %[[BEFORE:.*]] = arith.cmpi sle
// CHECK:         symshape.assert
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         return %[[BEFORE]], %[[TRUE]]
func.func @before_and_behind(%t: tensor<?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %before = arith.cmpi sle, %n, %c4 : index
  symshape.assert "n <= 4" (n = %n), "small"
  %behind = arith.cmpi sle, %n, %c4 : index
  return %before, %behind : i1, i1
}

// Positive: an extent is not negative; as unsigned, it is at most 2^48 - 1.
// CHECK-LABEL: func.func @of_extents(
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[FALSE:.*]] = arith.constant false
// CHECK:         return %[[TRUE]], %[[FALSE]]
func.func @of_extents(%t: tensor<?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %yes = arith.cmpi sge, %n, %c0 : index
  %no = arith.cmpi ult, %n, %c0 : index
  return %yes, %no : i1, i1
}

// Must not fire: 0 and 1 are ordinary extents.
// CHECK-LABEL: func.func @zero_and_one(
// CHECK:         arith.cmpi ne
// CHECK:         arith.cmpi sgt
func.func @zero_and_one(%t: tensor<?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %a = arith.cmpi ne, %n, %c1 : index
  %b = arith.cmpi sgt, %n, %c0 : index
  return %a, %b : i1, i1
}

// Must not fire: the sum may wrap, and then it is the smaller one.
// CHECK-LABEL: func.func @sum_wraps(
// CHECK:         %[[MORE:.*]] = arith.cmpi sgt
// CHECK:         return %[[MORE]]
func.func @sum_wraps(%x: index) -> i1 {
  %c1 = arith.constant 1 : index
  %y = arith.addi %x, %c1 : index
  %more = arith.cmpi sgt, %y, %x : index
  return %more : i1
}

// Must not fire: the extent may not fit 8 bits, and then its low bits may be
// negative.
// CHECK-LABEL: func.func @truncated(
// CHECK:         %[[OK:.*]] = arith.cmpi sge
// CHECK:         return %[[OK]]
func.func @truncated(%t: tensor<?xf32>) -> i1 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %low = arith.index_cast %n : index to i8
  %ok = arith.cmpi sge, %low, %zero : i8
  return %ok : i1
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

// Positive: a static extent, an extent that is asked for twice, clamps that do
// nothing, and arithmetic that comes back.
// CHECK-LABEL: func.func @scalars(
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK-NOT:     tensor.dim
// CHECK:         %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK:         return %[[EIGHT]], %[[N]], %[[N]], %[[N]], %[[N]]
func.func @scalars(%t: tensor<?x8xf32>) -> (i32, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %t, %c0 : tensor<?x8xf32>
  %eight = tensor.dim %t, %c1 : tensor<?x8xf32>
  %narrow = arith.index_cast %eight : index to i32
  %again = tensor.dim %t, %c0 : tensor<?x8xf32>
  %clamp = arith.maxsi %n, %c0 : index
  %min = affine.min affine_map<(d0) -> (d0, d0 + 1)>(%n)
  %sum = arith.addi %n, %c9 : index
  %back = arith.subi %sum, %c9 : index
  return %narrow, %again, %clamp, %min, %back : i32, index, index, index, index
}

// Positive: a size of an op is the extent of its result.
// CHECK-LABEL: func.func @size_of_empty(
// CHECK-SAME:    %[[X:.*]]: index)
// CHECK:         return %[[X]]
func.func @size_of_empty(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%x) : tensor<?xf32>
  %n = tensor.dim %e, %c0 : tensor<?xf32>
  return %n : index
}

// Must not fire: the clamp is of a number that may be negative.
// CHECK-LABEL: func.func @clamp_of_any(
// CHECK:         %[[R:.*]] = arith.maxsi
// CHECK:         return %[[R]]
func.func @clamp_of_any(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %r = arith.maxsi %x, %c0 : index
  return %r : index
}

// Must not fire: the equal value is defined in a branch.
// CHECK-LABEL: func.func @does_not_dominate(
// CHECK:         scf.if
// CHECK:         }
// CHECK-NEXT:    %[[N:.*]] = tensor.dim
// CHECK-NEXT:    return %[[N]]
func.func @does_not_dominate(%t: tensor<?xf32>, %flag: i1) -> index {
  %c0 = arith.constant 0 : index
  scf.if %flag {
    %inner = tensor.dim %t, %c0 : tensor<?xf32>
    %e = tensor.empty(%inner) : tensor<?xf32>
  }
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  return %n : index
}

// Must not fire: an upper bound is not the extent.
// CHECK-LABEL: func.func @upper_bound(
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK:         %[[IS:.*]] = arith.cmpi eq
// CHECK:         return %[[N]], %[[IS]]
func.func @upper_bound(%t: tensor<?xf32> {symshape.shape = #symshape.shape<["<= 8"]>}) -> (index, i1) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %is = arith.cmpi eq, %n, %c8 : index
  return %n, %is : index, i1
}

// Positive: inside of the branch the extent is a constant. Must not fire:
// behind it.
// CHECK-LABEL: func.func @constant_in_branch(
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK:         scf.if {{.*}} -> (index) {
// CHECK:           %[[EIGHT:.*]] = arith.constant 8
// CHECK:           scf.yield %[[EIGHT]]
// CHECK:         } else {
// CHECK:           scf.yield %[[N]]
// CHECK:         return {{.*}}, %[[N]]
func.func @constant_in_branch(%t: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %is = arith.cmpi eq, %n, %c8 : index
  %r = scf.if %is -> index {
    %inside = tensor.dim %t, %c0 : tensor<?xf32>
    scf.yield %inside : index
  } else {
    %other = tensor.dim %t, %c0 : tensor<?xf32>
    scf.yield %other : index
  }
  %behind = tensor.dim %t, %c0 : tensor<?xf32>
  return %r, %behind : index, index
}

// Must not fire: the branch on the verdict of the guards is not decided by the
// facts that the guards establish.
// CHECK-LABEL: func.func @guarded(
// CHECK:         %[[VERDICT:.*]] = call @guarded.guard
// CHECK:         %[[FAILED:.*]] = arith.cmpi ne, %[[VERDICT]]
// CHECK:         scf.if %[[FAILED]]
// CHECK:           symshape.fail
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         return %[[TRUE]]
func.func @guarded.guard(%n: index) -> i32 attributes {symshape.guarded} {
  %c4 = arith.constant 4 : index
  %yes = arith.constant -1 : i32
  %no = arith.constant 1 : i32
  %ok = arith.cmpi ule, %n, %c4 : index
  %r = arith.select %ok, %yes, %no : i32
  return %r : i32
}
func.func @guarded(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> i1
    attributes {symshape.guarded, symshape.assume = [#symshape.fact<"N <= 4">]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %yes = arith.constant -1 : i32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %verdict = call @guarded.guard(%n) : (index) -> i32
  %failed = arith.cmpi ne, %verdict, %yes : i32
  scf.if %failed {
    symshape.fail "too large"
  }
  %small = arith.cmpi sle, %n, %c4 : index
  return %small : i1
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

// Must not fire: the body of a named op is said by its name.
// CHECK-LABEL: func.func @body_of_named_op(
// CHECK:         linalg.matmul
// CHECK:         linalg.batch_matmul
// CHECK:         linalg.conv_1d
func.func @body_of_named_op(%z: tensor<2x2xi32>, %y: tensor<1x2x2xi32>, %x: tensor<3xi64>)
    -> (tensor<2x2xi32>, tensor<1x2x2xi32>, tensor<3xi64>) {
  %a = arith.constant dense<2> : tensor<2x3xi8>
  %b = arith.constant dense<3> : tensor<3x2xi8>
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xi8>, tensor<3x2xi8>) outs(%z : tensor<2x2xi32>) -> tensor<2x2xi32>
  %c = arith.constant dense<0> : tensor<1x2x3xi32>
  %d = arith.constant dense<1> : tensor<1x3x2xi32>
  %1 = linalg.batch_matmul ins(%c, %d : tensor<1x2x3xi32>, tensor<1x3x2xi32>)
      outs(%y : tensor<1x2x2xi32>) -> tensor<1x2x2xi32>
  %e = arith.constant dense<1> : tensor<4xi64>
  %f = arith.constant dense<5> : tensor<2xi64>
  %2 = linalg.conv_1d ins(%e, %f : tensor<4xi64>, tensor<2xi64>) outs(%x : tensor<3xi64>) -> tensor<3xi64>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<1x2x2xi32>, tensor<3xi64>
}

// Positive: a disjunction that is assumed, as a guard is, is not checked again;
// with what rules the first part out, it is the second one.
// CHECK-LABEL: func.func @alternatives(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @alternatives(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                        %b: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>})
    attributes {symshape.assume = [#symshape.fact<"L == 1 or L == S">]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = tensor.dim %a, %c0 : tensor<?xf32>
  %s = tensor.dim %b, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %l, %c1 : index
  %same = arith.cmpi eq, %l, %s : index
  %either = arith.ori %one, %same : i1
  cf.assert %either, "a broadcast"
  return
}
// CHECK-LABEL: func.func @remaining_alternative(
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         return %[[TRUE]]
func.func @remaining_alternative(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                                 %b: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> i1
    attributes {symshape.assume = [#symshape.fact<"L == 1 or L == S">, #symshape.fact<"2 <= L">]} {
  %c0 = arith.constant 0 : index
  %l = tensor.dim %a, %c0 : tensor<?xf32>
  %s = tensor.dim %b, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %l, %s : index
  return %same : i1
}
// Must not fire: neither part is known.
// CHECK-LABEL: func.func @open_alternatives(
// CHECK:         %[[SAME:.*]] = arith.cmpi
// CHECK:         return %[[SAME]]
func.func @open_alternatives(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                             %b: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> i1
    attributes {symshape.assume = [#symshape.fact<"L == 1 or L == S">]} {
  %c0 = arith.constant 0 : index
  %l = tensor.dim %a, %c0 : tensor<?xf32>
  %s = tensor.dim %b, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %l, %s : index
  return %same : i1
}

//===----------------------------------------------------------------------===//
// What ops require and say stays
//===----------------------------------------------------------------------===//

// Must not fire: the quotient is 1 where the divisor is not 0, which nobody has
// checked.
// CHECK-LABEL: func.func @unproved_divisor(
// CHECK:         symshape.size "a floordiv b"
// CHECK:         arith.divsi
func.func @unproved_divisor(%n: index, %m: index) -> (index, index) {
  %0 = symshape.size "a floordiv b" (a = %n, b = %n)
  %1 = arith.divsi %m, %m : index
  return %0, %1 : index, index
}

// Positive: it has been checked.
// CHECK-LABEL: func.func @proved_divisor(
// CHECK-NOT:     arith.divsi
// CHECK:         return
func.func @proved_divisor(%n: index) -> index {
  symshape.assert "1 <= n" (n = %n), "positive"
  %1 = arith.divsi %n, %n : index
  return %1 : index
}

// Positive: the assumption's result is its operand. Must not fire: what it says
// stays.
// CHECK-LABEL: func.func @assumption(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index)
// CHECK-NEXT:    symshape.assume %[[N]]
// CHECK-NEXT:    return %[[N]]
func.func @assumption(%n: index) -> index {
  %0 = symshape.assume %n ["1 <= n"] (n) : index
  return %0 : index
}
