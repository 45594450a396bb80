// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// Positive: the most frequent guard. Three extents below 2^48 have a product of 144
// bits, but what exceeds 2^63 need not be told apart: one minimum, and 128 bits do.
// CHECK-LABEL: func.func @collapse.guard(
// CHECK-NOT:     i192
// CHECK:         arith.muli %{{.*}} : i128
// CHECK-NEXT:    arith.index_cast
// CHECK-NEXT:    arith.extsi %{{.*}} : i64 to i128
// CHECK-NEXT:    arith.constant {{.*}} : i128
// CHECK-NEXT:    arith.minsi %{{.*}} : i128
// CHECK-NEXT:    arith.muli %{{.*}} : i128
// CHECK-NEXT:    arith.constant 9223372036854775807 : i128
// CHECK-NEXT:    arith.cmpi sle, %{{.*}} : i128
// CHECK-LABEL: func.func private @collapse.guard.tell(
// The message shows the product, with all of its words; numbers that are at hand
// are shown as they are.
// CHECK:         arith.constant 9223372036854775807 : index
// CHECK:         symshape.fail {{.*}}({0:3}) must be at most
func.func @collapse(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %k = tensor.dim %b, %c0 : tensor<?xf32>
  %t = tensor.empty(%n, %m, %k) : tensor<?x?x?xf32>
  %r = tensor.collapse_shape %t [[0, 1, 2]] : tensor<?x?x?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: two products that may both be large are compared in full.
// CHECK-LABEL: func.func @equal.guard(
// CHECK:         arith.cmpi eq, %{{.*}} : i128
func.func @equal(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %k = tensor.dim %b, %c0 : tensor<?x?xf32>
  %l = tensor.dim %b, %c1 : tensor<?x?xf32>
  symshape.assert "n*m == k*l" (n = %n, m = %m, k = %k, l = %l), "as many elements"
  return
}

// -----

// What a message computes, where a check has failed, is not at hand for the next check.
// CHECK-LABEL: func.func private @after_a_message.guard.tell(
// CHECK:         symshape.fail {{.*}}must be at most 7*B
// CHECK:         }
// CHECK:         %[[B:.*]] = arith.index_cast
// CHECK-NEXT:    %[[S:.*]] = arith.index_cast
// CHECK:         arith.minsi %[[B]]
// CHECK-NEXT:    arith.minsi %[[S]]
// CHECK:         symshape.fail {{.*}}must be at least 5
func.func @after_a_message(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?xf32>
  symshape.assert "S <= 7*B" (S = %s, B = %b), "wide enough"
  symshape.assert "5 <= B*S" (B = %b, S = %s), "enough elements"
  return
}
