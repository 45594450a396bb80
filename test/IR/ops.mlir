// RUN: symshape-opt %s | FileCheck %s
// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --mlir-print-op-generic | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @bind_shape(
func.func @bind_shape(%t: tensor<?x?x64xf32>, %m: memref<?xf32>) -> (tensor<?x?x64xf32>, memref<?xf32>) {
  // CHECK: symshape.bind_shape %{{.*}} [B, L, 64] : tensor<?x?x64xf32>
  %0 = symshape.bind_shape %t [B, L, 64] : tensor<?x?x64xf32>
  // CHECK: symshape.bind_shape %{{.*}} [2*B, <= L, ?] : tensor<?x?x64xf32>
  %1 = symshape.bind_shape %0 [B * 2, <= L, ?] : tensor<?x?x64xf32>
  // CHECK: symshape.bind_shape %{{.*}} [<= max(B, L)] {note} : memref<?xf32>
  %2 = symshape.bind_shape %m [<= max(B, L)] {note} : memref<?xf32>
  return %1, %2 : tensor<?x?x64xf32>, memref<?xf32>
}

// CHECK-LABEL: func.func @assume(
func.func @assume(%n: index, %m: i32) -> (index, i32) {
  // CHECK: symshape.assume %{{.*}} ["n <= 4", "2 | n"] (n) : index
  %0 = symshape.assume %n ["n <= 4", "2 | n"] (n) : index
  // CHECK: symshape.assume %{{.*}}, %{{.*}} ["n <= m + B"] (n, m) : index, i32
  %1:2 = symshape.assume %0, %m ["n <= m + B"] (n, m) : index, i32
  // CHECK: symshape.assume %{{.*}} ["n <= -1 or (3 <= n and not 2 | n)"] (n) : index
  symshape.assume %0 ["n <= -1 or (3 <= n and not 2 | n)"] (n) : index
  return %1#0, %1#1 : index, i32
}

// The text is kept: its order of names is the order of the operands.
// CHECK-LABEL: func.func @assert(
func.func @assert(%b: index, %c: index) {
  // CHECK: symshape.assert "C == B" (%{{.*}}, %{{.*}}), "batches must agree"
  symshape.assert "C == B" (%c, %b), "batches must agree"
  // CHECK: symshape.assert "B <= 8", "by symbol"
  symshape.assert "B <= 8", "by symbol"
  return
}

// CHECK-LABEL: func.func @size(
func.func @size(%b: index, %l: index) -> (index, index, index) {
  // CHECK: symshape.size "L * B" (%{{.*}}, %{{.*}})
  %0 = symshape.size "L * B" (%l, %b)
  // CHECK: symshape.size "B * L" (%{{.*}})
  %1 = symshape.size "B * L" (%b)
  // CHECK: symshape.size "B + 1"
  %2 = symshape.size "B + 1"
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @fail(
func.func @fail(%a: index, %b: index) {
  // CHECK: symshape.fail "template with {0} and {1}, {{[{][{]}}0}" (%{{.*}}, %{{.*}})
  symshape.fail "template with {0} and {1}, {{0}" (%a, %b)
  // CHECK: symshape.fail "words {0:2}" (%{{.*}}, %{{.*}}) {continues}
  symshape.fail "words {0:2}" (%a, %b) {continues}
  // CHECK: symshape.fail "plain"
  symshape.fail "plain"
  return
}

// FOLD-LABEL: func.func @size_of_constants(
func.func @size_of_constants() -> (index, index) {
  %c3 = arith.constant 3 : index
  %cm7 = arith.constant -7 : index
  // FOLD-DAG: %[[F:.*]] = arith.constant -3 : index
  // FOLD-DAG: %[[S:.*]] = arith.constant 6 : index
  // FOLD: return %[[F]], %[[S]]
  %0 = symshape.size "a floordiv 3" (%cm7)
  %1 = symshape.size "a + a" (%c3)
  return %0, %1 : index, index
}

// FOLD-LABEL: func.func @size_is_operand(
// FOLD-SAME:    %[[N:.*]]: index)
func.func @size_is_operand(%n: index) -> index {
  // FOLD: return %[[N]]
  %0 = symshape.size "a + 2 - 2" (%n)
  return %0 : index
}

// Must not fire: division by zero has no value.
// FOLD-LABEL: func.func @size_divided_by_zero(
func.func @size_divided_by_zero() -> index {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  // FOLD: symshape.size
  %0 = symshape.size "a floordiv b" (%c7, %c0)
  return %0 : index
}

// Must not fire: the value does not fit 64 bits.
// FOLD-LABEL: func.func @size_overflows(
func.func @size_overflows() -> index {
  %c = arith.constant 9223372036854775807 : index
  // FOLD: symshape.size
  %0 = symshape.size "a + 1" (%c)
  return %0 : index
}

// FOLD-LABEL: func.func @assert_holds(
func.func @assert_holds() {
  %c3 = arith.constant 3 : index
  // FOLD-NOT: symshape.assert
  // FOLD: return
  symshape.assert "a <= 4" (%c3), "fine"
  return
}

// Must not fire: it fails, or depends on a symbol.
// FOLD-LABEL: func.func @assert_stays(
func.func @assert_stays() {
  %c5 = arith.constant 5 : index
  // FOLD: symshape.assert "a <= 4"
  symshape.assert "a <= 4" (%c5), "fails"
  // FOLD: symshape.assert "a <= B"
  symshape.assert "a <= B" (%c5), "unknown"
  return
}
