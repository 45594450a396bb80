// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: in each branch, what the condition says there is a fact; an extent
// that the condition makes equal joins to one.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[4]>]}
// CHECK: } else {
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
func.func @branch(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %isFour = arith.cmpi eq, %n, %c4 : index
  %r = scf.if %isFour -> tensor<?xf32> {
    %a = tensor.empty(%n) : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %b = tensor.empty(%n) : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: what a branch establishes does not hold after it, neither from
// its condition nor from what its ops require.
// CHECK-LABEL: func.func @facts_stay_inside(
// CHECK: scf.if
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, M]>]}
// GUARD-LABEL: func.func @facts_stay_inside.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must equal extent of argument #1 dim 0 (M{{.*}}needed by arith.addf
func.func @facts_stay_inside(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                             %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %isFour = arith.cmpi eq, %n, %c4 : index
  scf.if %isFour {
    %s = arith.addf %t, %u : tensor<?xf32>
  }
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: branches of different extents join to the minimum, the broadcast
// extent, or, where the condition says nothing of them, neither.
// CHECK-LABEL: func.func @joins(
// CHECK: } {symshape.extents = [#symshape.shape<[min(M, N)]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[bc(N, M)]>]}
// CHECK: } {symshape.extents = [#symshape.shape<["<= max(M, N)"]>]}
func.func @joins(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                 %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %b: i1)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %less = arith.cmpi slt, %n, %m : index
  %0 = scf.if %less -> tensor<?xf32> {
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %u : tensor<?xf32>
  }
  %isOne = arith.cmpi eq, %n, %c1 : index
  %1 = scf.if %isOne -> tensor<?xf32> {
    scf.yield %u : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  %2 = scf.if %b -> tensor<?xf32> {
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %u : tensor<?xf32>
  }
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: a join that is not known lies between both: from 4 or N <= 4, what
// is at least N rows long can be cut. Scalars and conditions join as well.
// CHECK-LABEL: func.func @join_of_scalars(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, max(M, N)]>]}
func.func @join_of_scalars(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %b: i1)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %k = scf.if %b -> index {
    scf.yield %c1 : index
  } else {
    scf.yield %c2 : index
  }
  %isSmall = arith.cmpi sle, %k, %c2 : index
  %size = arith.select %isSmall, %n, %m : index
  %less = arith.cmpi slt, %n, %m : index
  %greatest = scf.if %less -> index {
    scf.yield %m : index
  } else {
    scf.yield %n : index
  }
  %e = tensor.empty(%size, %greatest) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Must not fire: the same, one less: a join of 1 and 2 decides nothing about 1.
// CHECK-LABEL: func.func @join_undecided(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(M, N)"]>]}
func.func @join_undecided(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %b: i1)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %k = scf.if %b -> index {
    scf.yield %c1 : index
  } else {
    scf.yield %c2 : index
  }
  %isSmall = arith.cmpi sle, %k, %c1 : index
  %size = arith.select %isSmall, %n, %m : index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: a carried tensor that each iteration hands on with the same extents
// keeps them, also through branches and inner loops.
// CHECK-LABEL: func.func @for_keeps(
// CHECK: linalg.exp {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: tensor.insert {{.*}} {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: return
func.func @for_keeps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: i1, %x: f32)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?xf32> {
    %y = scf.if %b -> tensor<?xf32> {
      %e = linalg.exp ins(%t : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %e : tensor<?xf32>
    } else {
      %inner = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a) -> tensor<?xf32> {
        %z = tensor.insert %x into %c[%j] : tensor<?xf32>
        scf.yield %z : tensor<?xf32>
      }
      scf.yield %inner : tensor<?xf32>
    }
    scf.yield %y : tensor<?xf32>
  }
  %s = tensor.insert %x into %r[%c0] : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Must not fire: a carried tensor that grows by a step has an extent that depends
// on how often the body ran, maybe never.
// CHECK-LABEL: func.func @for_grows(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[?]>]}
func.func @for_grows(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %n: index)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?xf32> {
    %b = tensor.concat dim(0) %a, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: swapped, two carried tensors have the extents of either.
// CHECK-LABEL: func.func @for_swaps(
// CHECK: } {symshape.extents = [#symshape.shape<[?]>, #symshape.shape<[?]>]}
func.func @for_swaps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                     %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u)
      -> (tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: the body replaces the carried tensor by another one, but it may
// never run; and a carried scalar changes.
// CHECK-LABEL: func.func @for_replaces(
// CHECK: } {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @for_replaces(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                        %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
    scf.yield %u : tensor<?xf32>
  }
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
    %next = arith.addi %s, %c1 : index
    scf.yield %next : index
  }
  %e = tensor.empty(%k) : tensor<?xf32>
  return %r, %e : tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: what a body requires holds in iterations only; there may be none,
// and the obligation is guarded for that case alone.
// CHECK-LABEL: func.func @facts_of_body(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, M]>]}
// GUARD-LABEL: func.func @facts_of_body.guard(
// GUARD-SAME: extent of argument #2 dim 0 (L{{.*}} must be at most 0, or {{.*}}N{{.*}} must equal {{.*}}M{{.*}}needed by arith.addf
func.func @facts_of_body(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                         %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                         %v: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %l = tensor.dim %v, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %l step %c1 {
    %s = arith.addf %t, %u : tensor<?xf32>
  }
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: a step of a known sign and size: the last of 0, 4, ... below N is
// 4*((N + 3) floordiv 4) - 4, so tiles of full size need N divisible by 4.
// GUARD-LABEL: func.func @tiles.guard(
// GUARD-SAME: 4*((N + 3) floordiv 4) {{.*}}must be at most extent of argument #0 dim 0 (N{{.*}}needed by tensor.extract_slice
func.func @tiles(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %c4 {
    %s = tensor.extract_slice %t[%i] [4] [1] : tensor<?xf32> to tensor<4xf32>
  }
  return
}

// -----

// Must not fire: tiles that are cut at the end fit, by any step of at least 1.
// GUARD-LABEL: func.func @tiles_cut.guard(
// GUARD-NOT: needed by tensor.extract_slice
// GUARD-SAME: needed by scf.for{{.*}}(step)
// GUARD-NOT: needed by tensor.extract_slice
// GUARD-LABEL: func.func @tiles_cut(
// GUARD: scf.for
// GUARD-NOT: symshape.fail
func.func @tiles_cut(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                     %u: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %step = tensor.dim %u, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %step {
    %rest = arith.subi %n, %i : index
    %size = arith.minsi %step, %rest : index
    %s = tensor.extract_slice %t[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  }
  return
}

// -----

// Must not fire: with a step that is not a constant, the last counter is not the
// bound less one: of 0, S, ... below N, so the guard speaks of S.
// GUARD-LABEL: func.func @step.guard(
// GUARD-NOT: extent of argument #1 dim 0 (N{{[^,]*}} must be at most extent of argument #0 dim 0 (M
// GUARD-SAME: needed by scf.for{{.*}}(step)
// GUARD-SAME: -S*((-N) floordiv S) - S {{.*}}must be less than extent of argument #0 dim 0 (M{{.*}}needed by memref.store
func.func @step(%m: memref<?xf32> {symshape.shape = #symshape.shape<[M]>},
                %t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, S]>}, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %s = tensor.dim %t, %c1 : tensor<?x?xf32>
  scf.for %i = %c0 to %n step %s {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: bounds that depend on data: the access of the last turn is checked
// before the loop, whatever the step.
// GUARD-LABEL: func.func @step_to_data(
// GUARD: symshape.fail {{.*}}2*((v1 + 1) floordiv 2) - 1 {{.*}}must be at most extent of argument #0 dim 0{{.*}}needed by memref.store
// GUARD: scf.for
// GUARD-NOT: symshape.fail
func.func @step_to_data(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c2 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: the iterations of a parallel loop over the dims of a tensor stay
// inside; a forall hands on its outputs with their extents.
// CHECK-LABEL: func.func @parallel(
// CHECK: scf.forall
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
// GUARD-LABEL: func.func @parallel.guard(
// GUARD-NOT: needed by
// GUARD-LABEL: func.func @parallel(
// GUARD: scf.parallel
// GUARD-NOT: symshape.fail
func.func @parallel(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = tensor.extract %t[%i] : tensor<?xf32>
  }
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> tensor<?xf32> {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: what a forall hands on is guarded, or checked before it is handed on.
// GUARD-LABEL: func.func @forall_hands_on.guard(
// GUARD-SAME: needed by tensor.parallel_insert_slice{{.*}}(slice of dimension 0)
// GUARD-LABEL: func.func @forall_hands_on(
// GUARD: symshape.fail {{.*}}argument #2 {{.*}}needed by tensor.parallel_insert_slice
// GUARD: scf.forall
// GUARD: scf.forall.in_parallel {
// GUARD-NEXT: tensor.parallel_insert_slice
// GUARD-NEXT: tensor.parallel_insert_slice
// GUARD-NEXT: }
func.func @forall_hands_on(%t: tensor<?xf32>, %u: tensor<?xf32>, %at: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %k = tensor.dim %u, %c0 : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> tensor<?xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [%k] [1] : tensor<?xf32> into tensor<?xf32>
      tensor.parallel_insert_slice %u into %o[%at] [%k] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a while loop hands on what changes from turn to turn.
// CHECK-LABEL: func.func @while(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: } attributes {symshape.extents = [#symshape.shape<[?]>]}
func.func @while(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: i1) -> tensor<?xf32> {
  %r = scf.while (%a = %t) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%b) %a : tensor<?xf32>
  } do {
  ^bb0(%c: tensor<?xf32>):
    %d = tensor.concat dim(0) %c, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: in each case of a switch, its selector is known; in the default, that
// it is none of them. Extents that are equal under each condition join; must not
// fire: others do not.
// CHECK-LABEL: func.func @switch(
// CHECK: scf.index_switch {{.*}} {symshape.extents = [#symshape.shape<[N]>, #symshape.shape<["<= max(N, s0)"]>]}
// CHECK: case 4
// CHECK: tensor.empty() {symshape.extents = [#symshape.shape<[4]>]}
// CHECK: default
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
func.func @switch(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %u: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r:2 = scf.index_switch %n -> tensor<?xf32>, tensor<?xf32>
  case 4 {
    %a = tensor.empty(%n) : tensor<?xf32>
    scf.yield %a, %u : tensor<?xf32>, tensor<?xf32>
  }
  default {
    %b = tensor.empty(%n) : tensor<?xf32>
    scf.yield %b, %t : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: a region that is run once hands on what it yields.
// CHECK-LABEL: func.func @execute_region(
// CHECK: } {symshape.extents = [#symshape.shape<[2*N]>]}
func.func @execute_region(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = scf.execute_region -> tensor<?xf32> {
    %c = tensor.concat dim(0) %t, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %c : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: by a step other than 1 the counter may wrap, and run on.
// GUARD-LABEL: func.func @wraps(
// GUARD:         symshape.fail "{{.*}}must be at most 9223372036854775807{{.*}}end of the counter
func.func @wraps(%m: memref<8xf32>, %x: f32, %n: index, %s: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %s {
    memref.store %x, %m[%c0] : memref<8xf32>
  }
  return
}

// -----

// Must not fire: extents are too small for that.
// GUARD-LABEL: func.func @by_eight(
// GUARD-NOT:     end of the counter
func.func @by_eight(%m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// Which branch of scf.index_switch runs is known where others choose its index
// among constants; extents that all branches give stay.
// CHECK-LABEL: func.func @index_switch_of_choice(
// CHECK:         scf.index_switch {{.*}} {symshape.extents = [#symshape.shape<[N]>]}
// CHECK:         case 0 {
// CHECK-NEXT:      tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[1]>]}
func.func @index_switch_of_choice(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %is_one = arith.cmpi eq, %n, %c1 : index
  %i = scf.if %is_one -> index {
    scf.yield %c0 : index
  } else {
    scf.yield %c1 : index
  }
  %r = scf.index_switch %i -> tensor<?xf32>
  case 0 {
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  default {
    scf.yield %x : tensor<?xf32>
  }
  return %r, %x : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: what is broadcast in both branches, with second extents that are equal where the first
// one is 1, is broadcast in the same way; the first branch of the first `if` knows that A + 1 is 2.
// CHECK-LABEL: func.func @same_broadcast(
// CHECK: } {symshape.extents = [#symshape.shape<[bc(A, 2)]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[bc(A, A + 1)]>]}
func.func @same_broadcast(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %is_one = arith.cmpi eq, %a, %c1 : index
  %n = symshape.size "A + 1" (A = %a)
  %first = scf.if %is_one -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %m = symshape.size "bc(A, A + 1)" (A = %a)
  %second = scf.if %c -> tensor<?xf32> {
    %e = tensor.empty(%m) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    scf.yield %first : tensor<?xf32>
  }
  return %second : tensor<?xf32>
}

// -----

// Negative: at 1 these are 2 and 3, elsewhere the same: the larger is a bound.
// CHECK-LABEL: func.func @other_broadcast(
// CHECK: } {symshape.extents = [#symshape.shape<["<= bc(A, 3)"]>]}
func.func @other_broadcast(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %n = symshape.size "bc(A, A + 1)" (A = %a)
  %m = symshape.size "bc(A, 3)" (A = %a)
  %r = scf.if %c -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %e = tensor.empty(%m) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Scalars of each case join as extents do; must not fire: others do not.
// CHECK-LABEL: func.func @switch_of_scalars(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, ?]>]}
func.func @switch_of_scalars(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %k: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r:2 = scf.index_switch %n -> index, index
  case 4 {
    scf.yield %c4, %c4 : index, index
  }
  default {
    scf.yield %n, %k : index, index
  }
  %e = tensor.empty(%r#0, %r#1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
