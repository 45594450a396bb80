// RUN: symshape-opt %s --inline --canonicalize --cse | FileCheck %s

// Facts of a callee come along when it is inlined.
func.func private @callee(%t: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, index) {
  %0 = symshape.bind_shape %t [B, L] : tensor<?x?xf32>
  %1 = symshape.assume %n ["n <= 4"] (n) : index
  symshape.assert "n == m" (%1, %n), "message"
  return %0, %1 : tensor<?x?xf32>, index
}

// CHECK-LABEL: func.func @inlined(
// CHECK-NOT:     call
// CHECK:         %[[T:.*]] = symshape.bind_shape %{{.*}} [B, L]
// CHECK:         %[[N:.*]] = symshape.assume %{{.*}} ["n <= 4"] (n)
// CHECK:         symshape.assert "n == m"
// CHECK:         return %[[T]], %[[N]]
func.func @inlined(%t: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, index) {
  %0:2 = call @callee(%t, %n) : (tensor<?x?xf32>, index) -> (tensor<?x?xf32>, index)
  return %0#0, %0#1 : tensor<?x?xf32>, index
}

// Must not fire: B of the caller is another dimension than B of the callee.
// CHECK-LABEL: func.func @name_is_taken(
// CHECK:         call @callee
func.func @name_is_taken(%t: tensor<?x?xf32>, %n: index,
                         %u: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    -> (tensor<?x?xf32>, index) {
  %0:2 = call @callee(%t, %n) : (tensor<?x?xf32>, index) -> (tensor<?x?xf32>, index)
  return %0#0, %0#1 : tensor<?x?xf32>, index
}

// Two of the same are one; what nobody uses goes.
// CHECK-LABEL: func.func @merged(
// CHECK-COUNT-1: symshape.bind_shape
// CHECK-NOT:     symshape.bind_shape
// CHECK-NOT:     symshape.assume
// CHECK:         return
func.func @merged(%t: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = symshape.bind_shape %t [B] : tensor<?xf32>
  %1 = symshape.bind_shape %t [B] : tensor<?xf32>
  %2 = symshape.assume %n ["n <= 4"] (n) : index
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
