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
// CHECK-SAME:    %[[B:.*]]: index, %[[C:.*]]: index)
func.func @assert(%b: index, %c: index) {
  // CHECK: symshape.assert "C == B" (C = %[[C]], B = %[[B]]), "batches must agree"
  symshape.assert "C == B" (B = %b, C = %c), "batches must agree"
  // CHECK: symshape.assert "B <= 8", "by symbol"
  symshape.assert "B <= 8", "by symbol"
  return
}

// CHECK-LABEL: func.func @size(
// CHECK-SAME:    %[[B:.*]]: index, %[[L:.*]]: index)
func.func @size(%b: index, %l: index) -> (index, index, index) {
  // CHECK: symshape.size "L * B" (L = %[[L]], B = %[[B]])
  %0 = symshape.size "L * B" (L = %l, B = %b)
  // CHECK: symshape.size "B * L" (B = %[[B]])
  %1 = symshape.size "B * L" (B = %b)
  // CHECK: symshape.size "B + 1"
  %2 = symshape.size "B + 1"
  return %0, %1, %2 : index, index, index
}

// Names that expressions take and MLIR does not are in quotes.
// CHECK-LABEL: func.func @quoted_names(
// CHECK-SAME:    %[[X:.*]]: index, %[[Y:.*]]: index, %[[Z:.*]]: index)
func.func @quoted_names(%x: index, %y: index, %z: index) -> index {
  // CHECK: symshape.size "ids.dim1 - \22a b\22 + %arg0 + \22mod\22" (ids.dim1 = %[[X]], "a b" = %[[Y]], "%arg0" = %[[Z]], mod = %[[X]])
  %0 = symshape.size "ids.dim1 - \"a b\" + %arg0 + \"mod\"" ("mod" = %x, "%arg0" = %z, "a b" = %y, ids.dim1 = %x)
  return %0 : index
}

// Without names, operands are in order of first use.
// CHECK-LABEL: func.func @unnamed_operands(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index)
func.func @unnamed_operands(%a: index, %b: index) -> index {
  // CHECK: symshape.assert "b <= a" (b = %[[B]], a = %[[A]]), "no less"
  symshape.assert "b <= a" (%b, %a), "no less"
  // CHECK: symshape.size "-b + a" (b = %[[B]], a = %[[A]])
  %0 = symshape.size "-b + a" (%b, %a)
  return %0 : index
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
  %0 = symshape.size "a floordiv 3" (a = %cm7)
  %1 = symshape.size "a + a" (a = %c3)
  return %0, %1 : index, index
}

// The value is that of the names, in whatever order the text uses them.
// FOLD-LABEL: func.func @size_of_names(
func.func @size_of_names() -> (index, index, index) {
  // FOLD: %[[C:.*]] = arith.constant 2 : index
  // FOLD: return %[[C]], %[[C]], %[[C]]
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = symshape.size "a - b" (a = %c3, b = %c1)
  %1 = symshape.size "a - b" (b = %c1, a = %c3)
  %2 = symshape.size "-b + a" (a = %c3, b = %c1)
  return %0, %1, %2 : index, index, index
}

// FOLD-LABEL: func.func @size_is_operand(
// FOLD-SAME:    %[[N:.*]]: index)
func.func @size_is_operand(%n: index) -> index {
  // FOLD: return %[[N]]
  %0 = symshape.size "a + 2 - 2" (a = %n)
  return %0 : index
}

// Must not fire: division by zero has no value.
// FOLD-LABEL: func.func @size_divided_by_zero(
func.func @size_divided_by_zero() -> index {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  // FOLD: symshape.size
  %0 = symshape.size "a floordiv b" (a = %c7, b = %c0)
  return %0 : index
}

// Must not fire: the value does not fit 64 bits.
// FOLD-LABEL: func.func @size_overflows(
func.func @size_overflows() -> index {
  %c = arith.constant 9223372036854775807 : index
  // FOLD: symshape.size
  %0 = symshape.size "a + 1" (a = %c)
  return %0 : index
}

// FOLD-LABEL: func.func @assert_holds(
func.func @assert_holds() {
  %c3 = arith.constant 3 : index
  // FOLD-NOT: symshape.assert
  // FOLD: return
  symshape.assert "a <= 4" (a = %c3), "fine"
  return
}

// Must not fire: it fails, or depends on a symbol.
// FOLD-LABEL: func.func @assert_stays(
func.func @assert_stays() {
  %c5 = arith.constant 5 : index
  // FOLD: symshape.assert "a <= 4"
  symshape.assert "a <= 4" (a = %c5), "fails"
  // FOLD: symshape.assert "a <= B"
  symshape.assert "a <= B" (a = %c5), "unknown"
  return
}
