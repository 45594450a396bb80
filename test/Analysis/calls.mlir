// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: the extents of a result are those of the callee's, in terms of what
// the caller passes, for each call its own.
// CHECK-LABEL: func.func @caller(
// CHECK: call @twice(%arg0) {symshape.extents = [#symshape.shape<[2*A]>]}
// CHECK: call @twice(%arg1) {symshape.extents = [#symshape.shape<[2*B]>]}
// CHECK: call @twice({{.*}}) {symshape.extents = [#symshape.shape<[4*A]>]}
func.func private @twice(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %t, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @caller(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},
                  %b: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = call @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @twice(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = call @twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: the same name in caller and callee is two symbols.
// CHECK-LABEL: func.func @same_name(
// CHECK: call @second({{.*}}) {symshape.extents = [#symshape.shape<[M]>]}
func.func private @second(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                          %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = math.exp %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @same_name(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                     %b: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?xf32> {
  %0 = call @second(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Positive: scalars pass through as values, both ways.
// CHECK-LABEL: func.func @scalars(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[A + 1]>]}
func.func private @plus_one(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %r = arith.addi %n, %c1 overflow<nsw> : i64
  return %r : i64
}
func.func @scalars(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %j = call @plus_one(%i) : (i64) -> i64
  %m = arith.index_cast %j : i64 to index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: in the callee the sum may wrap for some caller, though not for
// this one: what it returns is not known.
// CHECK-LABEL: func.func @wraps_in_callee(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func private @plus_one(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %r = arith.addi %n, %c1 : i64
  return %r : i64
}
func.func @wraps_in_callee(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %j = call @plus_one(%i) : (i64) -> i64
  %m = arith.index_cast %j : i64 to index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: a size that the callee reads from data differs from call to call.
// CHECK-LABEL: func.func @data_of_callee(
// CHECK: arith.select {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
// GUARD-LABEL: func.func @data_of_callee(
// GUARD: symshape.fail {{.*}}needed by arith.addf
// GUARD: arith.addf
func.func private @read(%t: tensor<4xindex>, %i: index) -> tensor<?xf32> {
  %n = tensor.extract %t[%i] : tensor<4xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
func.func @data_of_callee(%t: tensor<4xindex>, %b: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = call @read(%t, %c0) : (tensor<4xindex>, index) -> tensor<?xf32>
  %1 = call @read(%t, %c1) : (tensor<4xindex>, index) -> tensor<?xf32>
  %2 = arith.select %b, %0, %1 : tensor<?xf32>
  %3 = arith.addf %0, %1 : tensor<?xf32>
  %4 = arith.addf %3, %2 : tensor<?xf32>
  return %4 : tensor<?xf32>
}

// -----

// Positive: what a private callee needs is needed of its caller, under the branch
// in which it is called; the facts do not leak from there.
// CHECK-LABEL: func.func @needs(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[A, B]>]}
// GUARD-LABEL: func.func @needs.guard(
// GUARD-SAME: extent of argument #0 dim 0 (A{{.*}} must be at most 8, or {{.*}}A{{.*}} must equal {{.*}}B{{.*}}needed by arith.addf
func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @needs(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},
                 %b: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %a, %c0 : tensor<?xf32>
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %isLong = arith.cmpi sgt, %m, %c8 : index
  scf.if %isLong {
    %0 = func.call @add(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  }
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: an upper bound stays one through a call. Must not fire: it is never
// the extent itself.
// CHECK-LABEL: func.func @bounded(
// CHECK: call @pass({{.*}}) {symshape.extents = [#symshape.shape<["<= B"]>]}
// GUARD-LABEL: func.func @bounded(
// GUARD: symshape.fail {{.*}}needed by arith.addf
func.func private @pass(%x: tensor<?xf32> {symshape.shape = #symshape.shape<["<= N"]>},
                        %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @bounded(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},
                   %b: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}) -> tensor<?xf32> {
  %0 = call @pass(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = arith.addf %0, %b : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Positive: a function without a body is trusted to return what it declares, and
// checked to be given what it declares.
// CHECK-LABEL: func.func @external_caller(
// CHECK: call @external({{.*}}) {symshape.extents = [#symshape.shape<[A + 1, ?]>]}
// GUARD-LABEL: func.func @external_caller.guard(
// GUARD-SAME: extent of argument #1 dim 0 (B{{.*}} must equal extent of argument #0 dim 0 (A{{.*}}needed by func.call
func.func private @external(tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                            tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> (tensor<?x?xf32> {symshape.shape = #symshape.shape<[N + 1, U]>})
func.func @external_caller(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>},
                           %b: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>})
    -> tensor<?x?xf32> {
  %0 = call @external(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Must not fire: a recursion is not followed; without a declaration its result is
// not known.
// CHECK-LABEL: func.func @recursive(
// CHECK: call @recursive({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @recursive(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: i1) -> tensor<?xf32> {
  %r = scf.if %b -> tensor<?xf32> {
    %0 = func.call @recursive(%t, %b) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
