// RUN: symshape-opt %s --symshape-infer-shapes --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes --inline --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARDS
// RUN: symshape-opt %s --inline --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: symshape-opt %s --symshape-inline-single-calls --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARDS

// What a signature declares becomes ops, which inlining keeps; without them no
// call is inlined.
// CHECK-LABEL: func.func private @declared(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?x?xf32>) -> tensor<?xf32>
// CHECK-SAME:    attributes {symshape.symbols = [#symshape.symbol<"N", likely = [16]>]}
// CHECK:         %[[A:.*]] = symshape.bind_shape %[[X]] [N]
// CHECK:         symshape.bind_shape %[[Y]] [?, M]
// CHECK:         symshape.bind_shape %{{.*}} [N + 1, ?]
// CHECK:         symshape.assert "8 | N", "declared residue"
// CHECK:         symshape.assert "M <= N", "declared assumption"
// CHECK:         symshape.bind_shape %{{.*}} [N]
// CHECK:         return
// GUARDS-LABEL: func.func @f.guard(
// GUARDS-SAME:    8 must divide extent of argument #0 dim 0
// GUARDS-LABEL: func.func @f(
// GUARDS-NOT:     call @declared
// KEPT-LABEL: func.func @f(
// KEPT:         call @declared
func.func private @declared(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                            %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N + 1, M]>})
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 8, likely = [16]>],
                symshape.assume = [#symshape.fact<"M <= N">]} {
  return %x : tensor<?xf32>
}
func.func @f(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = call @declared(%x, %y) : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Ops cannot say it: a name of a part of a dim, alternatives, recursion.
// CHECK-LABEL: func.func private @part(
// CHECK-SAME:    symshape.shape = #symshape.shape<[2*k]>{{.*}} attributes {no_inline}
// GUARDS-LABEL: func.func @g(
// GUARDS:         call @part
// KEPT-LABEL: func.func @g(
// KEPT:         call @part
func.func private @part(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[2 * k]>}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @g(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @part(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func private @either(
// CHECK-SAME:    attributes {no_inline, symshape.assume
// GUARDS-LABEL: func.func @h(
// GUARDS:         call @either
func.func private @either(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.assume = [#symshape.fact<"N == 1 or 4 <= N">]} {
  return %x : tensor<?xf32>
}
func.func @h(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @either(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: what a public function declares is for callers outside; what
// nobody declares is as it was.
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    symshape.shape
// CHECK-NEXT:    return
// GUARDS-LABEL: func.func @public(
// KEPT-LABEL: func.func @calls(
// KEPT-NOT:     call @plain
func.func @public(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  return
}
func.func private @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @calls(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @plain(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
