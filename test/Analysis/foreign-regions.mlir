// An op of somebody else that carries tensors through its regions, without a rule.
// RUN: symshape-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(symshape-infer-shapes{annotate})' | FileCheck %s
// RUN: symshape-opt %s --allow-unregistered-dialect --split-input-file --symshape-insert-guards | FileCheck %s --check-prefix=GUARD

// Nothing is known of what the region gets, nor of the result; what is from outside
// stays known. What the region reads is checked there.
// CHECK-LABEL: func.func @carries(
// CHECK: tensor.empty{{.*}} {symshape.extents = [#symshape.shape<[?, M]>]}
// CHECK: "foo.yield"
// CHECK: }) {symshape.extents = [#symshape.shape<[?, ?]>]}
// GUARD-LABEL: func.func @carries(
// GUARD: "foo.loop"
// GUARD: ^bb0(%[[A:.*]]: tensor<?x?xf32>):
// GUARD: tensor.dim %[[A]], %{{.*}}
// GUARD: needed by tensor.extract
// GUARD: tensor.extract %[[A]]
// GUARD: "foo.yield"
// GUARD: needed by tensor.extract
// GUARD: tensor.extract
func.func @carries(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %i: index)
    -> (tensor<?x?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = "foo.loop"(%t) ({
  ^bb0(%a: tensor<?x?xf32>):
    %d = tensor.dim %a, %c0 : tensor<?x?xf32>
    %grown = arith.addi %d, %c1 : index
    %m = tensor.dim %t, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%grown, %m) : tensor<?x?xf32>
    %x = tensor.extract %a[%i, %c0] : tensor<?x?xf32>
    "foo.yield"(%e) : (tensor<?x?xf32>) -> ()
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.extract %r[%i, %i] : tensor<?x?xf32>
  return %r, %y : tensor<?x?xf32>, f32
}

// -----

// A result of the type of the operand has not its extents: those that are static
// in the type are all that is known.
// CHECK-LABEL: func.func @same_type(
// CHECK: "foo.step"{{.*}} {symshape.extents = [#symshape.shape<[?, 4]>, #symshape.shape<[?, 4]>]}
func.func @same_type(%t: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>})
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = "foo.step"(%t, %t) : (tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Several blocks, and a region that sees the outside alone: in it, what is outside
// is known.
// CHECK-LABEL: func.func @blocks(
// CHECK: }) {symshape.extents = [#symshape.shape<[?]>]}
// GUARD-LABEL: func.func @blocks(
// GUARD: ^bb1(%[[B:.*]]: tensor<?xf32>):
// GUARD: tensor.dim %[[B]]
// GUARD: needed by tensor.extract
// GUARD: "foo.br"
// GUARD: tensor.dim %arg0
// GUARD: needed by tensor.extract
// GUARD: "foo.yield"
func.func @blocks(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %r = "foo.graph"(%t) ({
  ^bb0(%a: tensor<?xf32>):
    "foo.br"(%a)[^bb1] : (tensor<?xf32>) -> ()
  ^bb1(%b: tensor<?xf32>):
    %x = tensor.extract %b[%c0] : tensor<?xf32>
    "foo.br"(%b)[^bb1] : (tensor<?xf32>) -> ()
  }, {
    %x = tensor.extract %t[%c0] : tensor<?xf32>
    "foo.yield"(%t) : (tensor<?xf32>) -> ()
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Inside of a loop of ours, what such an op makes is another value in each turn.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for
// CHECK: "foo.step"
// CHECK: }) {symshape.extents = [#symshape.shape<[?]>]}
// CHECK: } {symshape.extents = [#symshape.shape<[?]>]}
func.func @in_a_loop(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?xf32> {
    %b = "foo.step"(%a) ({
      "foo.yield"(%a) : (tensor<?xf32>) -> ()
    }) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
