// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: allocations have the sizes they are given; dims and ranks read them.
// CHECK-LABEL: func.func @alloc(
// CHECK: memref.alloc({{.*}}) {symshape.extents = [#symshape.shape<[N, 4, 2*N]>]}
// CHECK: memref.alloca({{.*}}) {symshape.extents = [#symshape.shape<[2*N]>]}
// CHECK: memref.realloc {{.*}} {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[2*N, 3]>]}
func.func @alloc(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> (tensor<?x?xf32>, memref<?x4x?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %n2 = arith.muli %n, %c2 : index
  %a = memref.alloc(%n, %n2) : memref<?x4x?xf32>
  %b = memref.alloca(%n2) : memref<?xf32>
  %c = memref.alloc(%n2) : memref<?xf32>
  %d = memref.realloc %c(%n) : memref<?xf32> to memref<?xf32>
  %d2 = memref.dim %a, %c2 : memref<?x4x?xf32>
  %rank = memref.rank %a : memref<?x4x?xf32>
  %e = tensor.empty(%d2, %rank) : tensor<?x?xf32>
  memref.copy %b, %b : memref<?xf32> to memref<?xf32>
  return %e, %a, %d : tensor<?x?xf32>, memref<?x4x?xf32>, memref<?xf32>
}

// -----

// Which dim is read is not known, so the largest one bounds it.
// CHECK-LABEL: func.func @dim_of_unknown_number(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(s0, s1)"]>]}
func.func @dim_of_unknown_number(%m: memref<?x?xf32>, %i: index) -> tensor<?xf32> {
  %d = memref.dim %m, %i : memref<?x?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: casts keep the extents; a static type requires them.
// CHECK-LABEL: func.func @casts(
// CHECK: memref.cast {{.*}} {symshape.extents = [#symshape.shape<[4, M]>]}
// CHECK: memref.memory_space_cast {{.*}} {symshape.extents = [#symshape.shape<[4, M]>]}
// CHECK: memref.assume_alignment {{.*}} {symshape.extents = [#symshape.shape<[4, M]>]}
// CHECK: memref.transpose {{.*}} {symshape.extents = [#symshape.shape<[M, 4]>]}
// GUARD-LABEL: func.func @casts.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must equal 4{{.*}}needed by memref.cast
func.func @casts(%m: memref<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> memref<?x4xf32, strided<[1, ?]>, 1> {
  %0 = memref.cast %m : memref<?x?xf32> to memref<4x?xf32>
  %1 = memref.memory_space_cast %0 : memref<4x?xf32> to memref<4x?xf32, 1>
  %2 = memref.assume_alignment %1, 16 : memref<4x?xf32, 1>
  %3 = memref.transpose %2 (i, j) -> (j, i)
      : memref<4x?xf32, 1> to memref<?x4xf32, strided<[1, ?]>, 1>
  return %3 : memref<?x4xf32, strided<[1, ?]>, 1>
}

// -----

// Positive: a view of a part has its sizes, a dropped dimension left out.
// CHECK-LABEL: func.func @subview(
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[M - 1]>]}
// GUARD-LABEL: func.func @subview.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must be at least 4{{.*}}needed by memref.subview
func.func @subview(%m: memref<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> memref<?xf32, strided<[1], offset: ?>> {
  %c1 = arith.constant 1 : index
  %d = memref.dim %m, %c1 : memref<?x?xf32>
  %size = arith.subi %d, %c1 : index
  %r = memref.subview %m[3, 1] [1, %size] [1, 1]
      : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  return %r : memref<?xf32, strided<[1], offset: ?>>
}

// -----

// Positive: a slice with a stride of -1 starts inside, and ends at 0 or later.
// Must not fire: an offset and a size that cover the whole, backwards, need no
// check.
// GUARD-LABEL: func.func @subview_reversed.guard(
// GUARD-NOT: needed by memref.subview
// GUARD-LABEL: func.func @subview_reversed(
// GUARD: memref.subview
func.func @subview_reversed(%m: memref<?xf32> {symshape.shape = #symshape.shape<[N]>},
                            %k: memref<?xf32>)
    -> memref<?xf32, strided<[-1], offset: ?>>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 1000]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  %r = memref.subview %m[%last] [%n] [-1]
      : memref<?xf32> to memref<?xf32, strided<[-1], offset: ?>>
  return %r : memref<?xf32, strided<[-1], offset: ?>>
}

// -----

// Positive: groups multiply when they are collapsed, and split when expanded.
// CHECK-LABEL: func.func @reassociate(
// CHECK: memref.collapse_shape {{.*}} {symshape.extents = [#symshape.shape<[M*N]>]}
// CHECK: memref.expand_shape {{.*}} {symshape.extents = [#symshape.shape<[M, N]>]}
// GUARD-LABEL: func.func @reassociate.guard(
// GUARD-NOT: needed by
// GUARD-LABEL: func.func @reassociate(
func.func @reassociate(%m: memref<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = memref.dim %m, %c0 : memref<?x?xf32>
  %d1 = memref.dim %m, %c1 : memref<?x?xf32>
  %0 = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %1 = memref.expand_shape %0 [[0, 1]] output_shape [%d1, %d0]
      : memref<?xf32> into memref<?x?xf32>
  return %1 : memref<?x?xf32>
}

// -----

// Positive: views with sizes of their own.
// CHECK-LABEL: func.func @views(
// CHECK: memref.view {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: memref.reinterpret_cast {{.*}} {symshape.extents = [#symshape.shape<[4, N]>]}
func.func @views(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %m: memref<4096xi8>)
    -> memref<4x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = memref.view %m[%c0][%n] : memref<4096xi8> to memref<?x4xf32>
  %1 = memref.reinterpret_cast %0 to offset: [0], sizes: [4, %n], strides: [%n, 1]
      : memref<?x4xf32> to memref<4x?xf32, strided<[?, 1]>>
  %2 = memref.cast %1 : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return %2 : memref<4x?xf32>
}

// -----

// Must not fire: a buffer that holds a size may have changed since it was written.
// CHECK-LABEL: func.func @size_in_memory(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @size_in_memory(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                          %m: memref<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  memref.store %n, %m[%c0] : memref<1xindex>
  %x = memref.load %m[%c0] : memref<1xindex>
  %e = tensor.empty(%x) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: accesses are in bounds, copies between equal extents.
// GUARD-LABEL: func.func @accesses.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must be at least 6{{.*}}needed by memref.load{{.*}}extent of argument #0 dim 0 (N{{.*}} must equal extent of argument #1 dim 0 (M{{.*}}needed by memref.copy
func.func @accesses(%m: memref<?xf32> {symshape.shape = #symshape.shape<[N]>},
                    %o: memref<?xf32> {symshape.shape = #symshape.shape<[M]>}) {
  %c5 = arith.constant 5 : index
  %x = memref.load %m[%c5] : memref<?xf32>
  memref.store %x, %m[%c5] : memref<?xf32>
  %y = memref.atomic_rmw addf %x, %m[%c5] : (f32, memref<?xf32>) -> f32
  memref.copy %m, %o : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Positive: which of several sizes 1 the result leaves out is not told by its
// strides, and makes no difference to its extents.
// CHECK-LABEL: func.func @subview_units(
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[1, N, 4]>]}
func.func @subview_units(%m: memref<1x9x1x4x1xf32>, %t: memref<?xf32> {symshape.shape = #symshape.shape<[N]>}, %a: index, %s: index)
    -> memref<1x?x4xf32, strided<[?, ?, ?], offset: ?>> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %t, %c0 : memref<?xf32>
  %r = memref.subview %m[%a, %a, %a, %a, %a] [1, %n, 1, 4, 1] [%s, %s, %s, %s, %s]
      : memref<1x9x1x4x1xf32> to memref<1x?x4xf32, strided<[?, ?, ?], offset: ?>>
  return %r : memref<1x?x4xf32, strided<[?, ?, ?], offset: ?>>
}

// -----

// Positive: only sizes that are numbers are dropped, also where a value that is
// kept is known to be 1, and whichever of several.
// CHECK-LABEL: func.func @subview_of_ones(
// CHECK: memref.subview {{.*}}[%c1{{.*}}, %c4{{.*}}, 1]{{.*}} {symshape.extents = [#symshape.shape<[1, 4]>]}
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[1, 1]>]}
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[1, 2, 1]>]}
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[2]>]}
// CHECK: memref.subview {{.*}} {symshape.extents = [#symshape.shape<[1, N]>]}
func.func @subview_of_ones(%m: memref<2x5x1xf32>, %u: memref<2x5x1x5xf32>, %v: memref<1x?x1xf32> {symshape.shape = #symshape.shape<[1, N, 1]>}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %v, %c1 : memref<1x?x1xf32>
  %0 = memref.subview %m[0, 0, 0] [%c1, %c4, 1] [1, 1, 1]
      : memref<2x5x1xf32> to memref<?x?xf32, strided<[5, 1]>>
  %1 = memref.subview %m[0, 0, 0] [1, %c1, %c1] [1, 1, 1]
      : memref<2x5x1xf32> to memref<?x?xf32, strided<[1, 1]>>
  %2 = memref.subview %u[0, 0, 0, 0] [%c1, %c2, 1, 1] [1, 2, 1, 1]
      : memref<2x5x1x5xf32> to memref<?x?x1xf32, strided<[25, 10, 1]>>
  %3 = memref.subview %u[0, 0, 0, 0] [1, 1, 1, %c2] [1, 2, 1, 2]
      : memref<2x5x1x5xf32> to memref<?xf32, strided<[2]>>
  %4 = memref.subview %v[0, 0, 0] [%c1, %n, 1] [1, 1, 1]
      : memref<1x?x1xf32> to memref<?x?xf32, strided<[?, 1]>>
  return
}
