// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD
// RUN: symshape-opt %s --symshape-discharge --split-input-file | FileCheck %s --check-prefix=DISCHARGE

// Positive: affine maps of dims: sums, products by constants, all divisions.
// CHECK-LABEL: func.func @apply(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M + 2*N, N floordiv 4, (N + 3) floordiv 4, N - 4*(N floordiv 4)]>]}
func.func @apply(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = affine.apply affine_map<(i)[s] -> (i * 2 + s)>(%n)[%m]
  %1 = affine.apply affine_map<(i) -> (i floordiv 4)>(%n)
  %2 = affine.apply affine_map<(i) -> (i ceildiv 4)>(%n)
  %3 = affine.apply affine_map<(i) -> (i mod 4)>(%n)
  %e = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xf32>
  return %e : tensor<?x?x?x?xf32>
}

// -----

// Positive: affine division rounds to minus infinity: -7 floordiv 2 = -4,
// -7 ceildiv 2 = -3, -7 mod 2 = 1.
// CHECK-LABEL: func.func @apply_negative(
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[4, 3, 1]>]}
func.func @apply_negative() -> tensor<?x?x?xf32> {
  %minus7 = arith.constant -7 : index
  %0 = affine.apply affine_map<(i) -> (-(i floordiv 2))>(%minus7)
  %1 = affine.apply affine_map<(i) -> (-(i ceildiv 2))>(%minus7)
  %2 = affine.apply affine_map<(i) -> (i mod 2)>(%minus7)
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: a divisor that is not a constant must be positive.
// CHECK-LABEL: func.func @apply_divisor(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv M]>]}
// GUARD-LABEL: func.func @apply_divisor.guard(
// GUARD-SAME: extent of argument #0 dim 1 (M{{.*}} must be at least 1{{.*}}needed by affine.apply
func.func @apply_divisor(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = affine.apply affine_map<(i)[s] -> (i floordiv s)>(%n)[%m]
  %e = tensor.empty(%0) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: minima and maxima of several results.
// CHECK-LABEL: func.func @extrema(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[min(M + 1, N, 8), max(M + 1, N)]>]}
func.func @extrema(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = affine.min affine_map<(i, j) -> (i, j + 1, 8)>(%n, %m)
  %1 = affine.max affine_map<(i, j) -> (i, j + 1)>(%n, %m)
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: a linear index, with and without an extent of the outermost.
// CHECK-LABEL: func.func @linearize(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[3*N + 2, 3*N + 2]>]}
func.func @linearize(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = affine.linearize_index [%n, %c2] by (3) : index
  %1 = affine.linearize_index [%n, %c2] by (10, 3) : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: the parts of a linear index.
// CHECK-LABEL: func.func @delinearize(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv 3, N - 3*(N floordiv 3)]>]}
func.func @delinearize(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0:2 = affine.delinearize_index %n into (3) : index, index
  %e = tensor.empty(%0#0, %0#1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: the parts for an extent that is not constant, which must be at least
// 1; with three results the outer extent is not used.
// CHECK-LABEL: func.func @delinearize_dynamic(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv (4*M), -M*(N floordiv (4*M)) + N floordiv 4, N - 4*(N floordiv 4)]>]}
// GUARD-LABEL: func.func @delinearize_dynamic.guard(
// GUARD-SAME: extent of argument #0 dim 1 (M{{.*}} must be at least 1{{.*}}needed by affine.delinearize_index{{.*}}(basis)
func.func @delinearize_dynamic(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0:3 = affine.delinearize_index %n into (9, %m, 4) : index, index, index
  %e = tensor.empty(%0#0, %0#1, %0#2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: a carried tensor that keeps its extents has them inside the loop and
// after it; the accesses are in bounds for each counter.
// CHECK-LABEL: func.func @for_keeps(
// CHECK: affine.for
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
// GUARD-LABEL: func.func @for_keeps(
// GUARD-NOT: symshape.fail "@for_keeps: {{.*}}index
// GUARD: affine.for
func.func @for_keeps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r = affine.for %i = 0 to %n iter_args(%a = %t) -> tensor<?xf32> {
    %x = tensor.extract %a[%i] : tensor<?xf32>
    %y = arith.addf %x, %x : f32
    %b = tensor.insert %y into %a[%i] : tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: a carried tensor that grows by the same extent in each turn.
// CHECK-LABEL: func.func @for_grows(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[4*N]>]}
func.func @for_grows(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = affine.for %i = 0 to 3 iter_args(%a = %t) -> tensor<?xf32> {
    %b = tensor.concat dim(0) %a, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: one that doubles has no extent that is known.
// CHECK-LABEL: func.func @for_doubles(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[?]>]}
func.func @for_doubles(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = affine.for %i = 0 to 3 iter_args(%a = %t) -> tensor<?xf32> {
    %b = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: the accesses of a loop with a step are required of the last counter:
// of 0, 3, ..., the last below N is 3*((N + 2) floordiv 3) - 3.
// GUARD-LABEL: func.func @step.guard(
// GUARD-SAME: needed by affine.load
// GUARD-LABEL: func.func @step(
// GUARD: affine.for
// GUARD-NOT: symshape.fail
func.func @step(%m: memref<?xf32> {symshape.shape = #symshape.shape<[M]>},
                %t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  affine.for %i = 0 to %n step 3 {
    %x = affine.load %m[%i] : memref<?xf32>
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: bounds of several results; the counters are below the least.
// GUARD-LABEL: func.func @bounds.guard(
// GUARD-NOT: needed by affine.load
// GUARD-LABEL: func.func @bounds(
// GUARD: affine.for
// GUARD-NOT: symshape.fail
func.func @bounds(%m: memref<?xf32> {symshape.shape = #symshape.shape<[M]>},
                  %t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %d = memref.dim %m, %c0 : memref<?xf32>
  affine.for %i = 0 to min affine_map<(a)[b] -> (a, b)>(%n)[%d] {
    %x = affine.load %m[%i] : memref<?xf32>
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: the counters of a parallel loop are in the bounds of their own dims.
// Must not fire: swapped, they need a check, where there is an iteration.
// GUARD-LABEL: func.func @parallel.guard(
// GUARD-NOT: needed by affine.load
// GUARD-SAME: needed by affine.store
// GUARD-LABEL: func.func @parallel(
func.func @parallel(%m: memref<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = memref.dim %m, %c0 : memref<?x?xf32>
  %d1 = memref.dim %m, %c1 : memref<?x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (%d0, %d1) {
    %x = affine.load %m[%i, %j] : memref<?x?xf32>
    affine.store %x, %m[%j, %i] : memref<?x?xf32>
  }
  return
}

// -----

// Positive: a condition is a fact where it holds, its negation elsewhere; the
// results join.
// CHECK-LABEL: func.func @branch(
// CHECK: affine.if
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[4]>]}
// CHECK: } else {
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
func.func @branch(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r = affine.if affine_set<(d) : (d - 4 == 0)>(%n) -> tensor<?xf32> {
    %a = tensor.empty(%n) : tensor<?xf32>
    affine.yield %a : tensor<?xf32>
  } else {
    %b = tensor.empty(%n) : tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: what holds in a branch does not hold after it, and branches of
// different extents join to neither: a bound is left.
// CHECK-LABEL: func.func @branch_ends(
// CHECK: } {symshape.extents = [#symshape.shape<["<= max(M, N)"]>]}
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
func.func @branch_ends(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r = affine.if affine_set<(d) : (d - 4 >= 0, 8 - d >= 0)>(%n) -> tensor<?xf32> {
    %a = tensor.empty(%n) : tensor<?xf32>
    affine.yield %a : tensor<?xf32>
  } else {
    %b = tensor.empty(%m) : tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  %e = tensor.empty(%n) : tensor<?xf32>
  return %r, %e : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: bounds that depend on data: the access of the last turn is checked
// before the loop, whatever the step.
// GUARD-LABEL: func.func @step_to_data(
// GUARD: symshape.fail {{.*}}2*((v1 + 1) floordiv 2) - 1 {{.*}}must be at most extent of argument #0 dim 0{{.*}}needed by affine.store
// GUARD: affine.for
// GUARD-NOT: symshape.fail
func.func @step_to_data(%m: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n step 2 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: the indices of a disjoint linearize_index are within its basis, the
// parts of a delinearize_index with an outer extent too, and are checked to be;
// neither wraps.
// GUARD-LABEL: func.func @digits(
// GUARD-COUNT-3: needed by affine.linearize_index at {{.*}} (index)
// GUARD-COUNT-2: needed by affine.delinearize_index at {{.*}} (linear index)
// DISCHARGE-LABEL: func.func @digits(
// DISCHARGE-COUNT-3: arith.constant true
// DISCHARGE-NOT:     arith.cmpi
// DISCHARGE:         return
func.func @digits(%a: index, %b: index, %c: index) -> (i1, i1, i1) {
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %linear = affine.linearize_index disjoint [%a, %b] by (2, 3) : index
  %0:2 = affine.delinearize_index %c into (2, 3) : index, index
  %below = arith.cmpi slt, %linear, %c6 : index
  %digit = arith.cmpi slt, %b, %c6 : index
  %outer = arith.cmpi slt, %0#0, %c2 : index
  return %below, %digit, %outer : i1, i1, i1
}

// -----

// Must not fire: without `disjoint`, or without an outer extent; the outermost
// index of a disjoint one may be negative.
// DISCHARGE-LABEL: func.func @digits_unknown(
// DISCHARGE-COUNT-3: arith.cmpi
func.func @digits_unknown(%a: index, %b: index, %c: index, %d: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %linear = affine.linearize_index [%a, %b] by (2, 3) : index
  %0:2 = affine.delinearize_index %b into (3) : index, index
  %disjoint = affine.linearize_index disjoint [%c, %d] by (2, 3) : index
  %below = arith.cmpi slt, %linear, %c6 : index
  %outer = arith.cmpi slt, %0#0, %c2 : index
  %from = arith.cmpi sge, %disjoint, %c0 : index
  return %below, %outer, %from : i1, i1, i1
}

// -----

// Positive: what a loop carries of its counter, whose bounds are maps (upstream's
// own ranges crash on it); one of two bounds of each side tells.
// DISCHARGE-LABEL: func.func @carried_counter(
// DISCHARGE-NOT: arith.cmpi
// DISCHARGE: return %true, %true
func.func @carried_counter(%n: index, %m: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %r = affine.for %i = max affine_map<(d0) -> (0, d0)>(%n) to min affine_map<(d0) -> (100, d0)>(%m)
      iter_args(%x = %c0) -> (index) {
    affine.yield %i : index
  }
  %from = arith.cmpi sge, %r, %c0 : index
  %to = arith.cmpi sle, %r, %c99 : index
  return %from, %to : i1, i1
}

// -----

// Positive: remainders within one period, the lesser of maps and divisions that
// round, as a loop carries them; upstream's ranges of such divisions are wrong
// for the least number.
// DISCHARGE-LABEL: func.func @carried_parts(
// DISCHARGE-NOT: arith.cmpi
// DISCHARGE: return %true, %true_0, %true_1
func.func @carried_parts(%n: index, %m: index) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c-4 = arith.constant -4 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c0, %z = %c0) -> (index, index, index) {
    %rest = affine.apply affine_map<(d0) -> (d0 mod 8)>(%c5)
    %least = affine.min affine_map<(d0) -> (7, d0, 9)>(%m)
    %small = arith.maxsi %least, %c-4 : index
    %half = arith.floordivsi %small, %c2 : index
    %third = arith.ceildivsi %small, %c-4 : index
    scf.yield %rest, %half, %third : index, index, index
  }
  %0 = arith.cmpi sle, %r#0, %c5 : index
  %1 = arith.cmpi sge, %r#1, %c-4 : index
  %2 = arith.cmpi sle, %r#2, %c1 : index
  return %0, %1, %2 : i1, i1, i1
}
