// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: a function without a body returns what it declares, and needs what
// it declares of its arguments.
// CHECK-LABEL: func.func @external(
// CHECK:         call @declared({{.*}}) {symshape.extents = [#symshape.shape<[s0 + 1]>]}
// GUARD-LABEL: func.func @external.guard(
// GUARD-SAME:    extent of argument #0 dim 1 (s1 = {0}) must equal 2*s0 ({1})
// GUARD-SAME:    needed by func.call
// GUARD-SAME:    s0 = {0}) must be at least 3
func.func private @declared(
    tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, 2*A]>})
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[A + 1]>})
    attributes {symshape.symbols = [#symshape.symbol<"A", range = [3, 9]>]}
func.func @external(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = call @declared(%a) : (tensor<?x?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a name that no argument binds says nothing of two results.
// CHECK-LABEL: func.func @unbound(
// CHECK:         call @fresh() {symshape.extents = [#symshape.shape<[?]>, #symshape.shape<[?]>]}
func.func private @fresh()
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
        tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
func.func @unbound() -> tensor<?xf32> {
  %r:2 = call @fresh() : () -> (tensor<?xf32>, tensor<?xf32>)
  return %r#1 : tensor<?xf32>
}

// -----

// Positive: inside of a recursion the signature counts; that the body returns
// what it declares is required of the body.
// CHECK-LABEL: func.func @recursive(
// CHECK:         func.call @recursive({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
func.func @recursive(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %c: i1)
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %r = scf.if %c -> tensor<?xf32> {
    %q = func.call @recursive(%a, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Positive: of several returns the declared shape counts, which each one needs.
// CHECK-LABEL: func.func @calls_either(
// CHECK:         call @either({{.*}}) {symshape.extents = [#symshape.shape<["<= s0"]>]}
// GUARD-LABEL: func.func @calls_either.guard(
// GUARD-NOT:     needed by func.return
func.func private @either(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %c: i1)
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<["<= N"]>}) {
  cf.cond_br %c, ^same, ^empty
^same:
  return %a : tensor<?xf32>
^empty:
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%c0) : tensor<?xf32>
  return %e : tensor<?xf32>
}
func.func @calls_either(%a: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = call @either(%a, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a recursion that declares nothing of its result.
// CHECK-LABEL: func.func @silent(
// CHECK:         func.call @silent({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @silent(%a: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %q = func.call @silent(%a, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: a name that nothing binds in the callee is not the caller's
// name of that spelling. Its range is a bound.
// CHECK-LABEL: func.func @same_spelling(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= 10"]>]}
func.func private @unbound_size() -> index
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 10]>]} {
  %s = symshape.size "N" ()
  return %s : index
}
func.func @same_spelling(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %s = call @unbound_size() : () -> index
  %e = tensor.empty(%s) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: names that the analysis makes are not those of the body.
// GUARD-LABEL: func.func @own_names.guard(
// GUARD-NOT:     must equal
// GUARD-LABEL: func.func @own_names(
// GUARD-NOT:     must equal
func.func @own_names(%t: tensor<?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %u = symshape.bind_shape %v [s0] : tensor<?xf32>
  return %u : tensor<?xf32>
}
