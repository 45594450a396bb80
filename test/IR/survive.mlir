// RUN: symshape-opt %s --inline --canonicalize --cse | FileCheck %s
// RUN: symshape-opt %s --inline --canonicalize --cse --sccp --remove-dead-values --loop-invariant-code-motion \
// RUN:   --int-range-optimizations --symbol-dce --symshape-canonicalize | FileCheck %s

// Facts of a callee come along when it is inlined.
func.func private @callee(%t: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, index) {
  %0 = symshape.bind_shape %t [B, L] : tensor<?x?xf32>
  %1 = symshape.assume %n ["n <= 4"] (n) : index
  symshape.assert "n == m" (n = %1, m = %n), "message"
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

// What binds a name, states a fact or checks one stays, used or not: in a branch
// and in a loop as well.
// CHECK-LABEL: func.func @unused(
// CHECK:         symshape.bind_shape %{{.*}} [B]
// CHECK:         symshape.assume %{{.*}} ["n <= 4"] (n)
// CHECK:         scf.if
// CHECK:           symshape.bind_shape %{{.*}} [B]
// CHECK:         scf.for
// CHECK:           symshape.assert "i <= 9"
// CHECK:           symshape.bind_shape %{{.*}} [<= 100]
// CHECK:         cf.assert
func.func @unused(%t: tensor<?xf32>, %n: index, %u: tensor<?xf32>, %c: i1) {
  %0 = symshape.bind_shape %t [B] : tensor<?xf32>
  %1 = symshape.assume %n ["n <= 4"] (n) : index
  scf.if %c {
    %2 = symshape.bind_shape %u [B] : tensor<?xf32>
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    symshape.assert "i <= 9" (i = %i), "message"
    %3 = symshape.bind_shape %u [<= 100] : tensor<?xf32>
  }
  cf.assert %c, "message"
  return
}

// An argument that only a binder uses is used.
// CHECK-LABEL: func.func private @binds(
// CHECK-SAME:    %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>)
// CHECK-COUNT-2: symshape.bind_shape %{{.*}} [B]
func.func private @binds(%t: tensor<?xf32>, %u: tensor<?xf32>) attributes {no_inline} {
  %0 = symshape.bind_shape %t [B] : tensor<?xf32>
  %1 = symshape.bind_shape %u [B] : tensor<?xf32>
  return
}
func.func @calls_binds(%t: tensor<?xf32>, %u: tensor<?xf32>) {
  call @binds(%t, %u) : (tensor<?xf32>, tensor<?xf32>) -> ()
  return
}

// Must not fire: an op of the callee mentions a name of its signature, which the
// caller does not have.
// CHECK-LABEL: func.func @name_of_signature(
// CHECK:         call @mentions
func.func private @mentions(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[K]>}) -> index {
  %0 = symshape.size "K + 1"
  return %0 : index
}
func.func @name_of_signature(%t: tensor<?xf32>) -> index {
  %0 = call @mentions(%t) : (tensor<?xf32>) -> index
  return %0 : index
}
