// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: a cast keeps the extents, and to a static type it requires them.
// CHECK-LABEL: func.func @cast(
// CHECK: math.exp {{.*}} {symshape.extents = [#symshape.shape<[4, M]>]}
// GUARD-LABEL: func.func @cast.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must equal 4{{.*}}needed by tensor.cast
func.func @cast(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<4x?xf32> {
  %0 = tensor.cast %t : tensor<?x?xf32> to tensor<4x?xf32>
  %1 = math.exp %0 : tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// -----

// Must not fire: a cast to a dynamic type requires nothing, and forgets nothing.
// CHECK-LABEL: func.func @cast_to_dynamic(
// CHECK: tensor.bitcast {{.*}} {symshape.extents = [#symshape.shape<[4, M]>]}
// GUARD-LABEL: func.func @cast_to_dynamic.guard(
// GUARD-NOT: needed by
// GUARD-LABEL: func.func @cast_to_dynamic(
func.func @cast_to_dynamic(%t: tensor<4x?xf32> {symshape.shape = #symshape.shape<[4, M]>})
    -> tensor<?x?xi32> {
  %0 = tensor.cast %t : tensor<4x?xf32> to tensor<?x?xf32>
  %1 = tensor.bitcast %0 : tensor<?x?xf32> to tensor<?x?xi32>
  return %1 : tensor<?x?xi32>
}

// -----

// Positive: a collapsed dimension is the product of its group.
// CHECK-LABEL: func.func @collapse(
// CHECK: tensor.collapse_shape {{.*}} {symshape.extents = [#symshape.shape<[M*N, 4*L]>]}
func.func @collapse(%t: tensor<?x?x?x4xf32> {symshape.shape = #symshape.shape<[N, M, L, 4]>})
    -> tensor<?x?xf32> {
  %0 = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<?x?x?x4xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Positive: to rank 0, each dimension must be 1; an empty tensor has no element.
// GUARD-LABEL: func.func @collapse_to_scalar.guard(
// GUARD-SAME: extent of argument #0 dim 0{{.*}} must equal 1{{.*}}needed by tensor.collapse_shape
func.func @collapse_to_scalar(%t: tensor<?x1xf32>) -> tensor<f32> {
  %0 = tensor.collapse_shape %t [] : tensor<?x1xf32> into tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Positive: the sizes of an expansion are its extents, and multiply to that of
// the source.
// CHECK-LABEL: func.func @expand(
// CHECK: tensor.expand_shape {{.*}} {symshape.extents = [#symshape.shape<[N floordiv 4, 4, M]>]}
// GUARD-LABEL: func.func @expand.guard(
// GUARD-SAME: 4 must divide extent of argument #0 dim 0 (N{{.*}}needed by tensor.expand_shape
func.func @expand(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %q = arith.divui %n, %c4 : index
  %0 = tensor.expand_shape %t [[0, 1], [2]] output_shape [%q, 4, %m]
      : tensor<?x?xf32> into tensor<?x4x?xf32>
  return %0 : tensor<?x4x?xf32>
}

// -----

// Must not fire: an expansion that undoes a collapse needs no check; by other
// sizes it does, and two unknown sizes are not taken from the product.
// GUARD-LABEL: func.func @expand_undoes_collapse.guard(
// GUARD-NOT: needed by tensor.expand_shape
// GUARD-LABEL: func.func @expand_undoes_collapse(
// CHECK-LABEL: func.func @expand_undoes_collapse(
// CHECK: tensor.expand_shape {{.*}} {symshape.extents = [#symshape.shape<[N, M]>]}
func.func @expand_undoes_collapse(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%n, %m]
      : tensor<?xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Positive: the swapped sizes have the same product; the equality of products
// does not make the factors equal.
// CHECK-LABEL: func.func @expand_swapped(
// CHECK: tensor.expand_shape {{.*}} {symshape.extents = [#symshape.shape<[M, N]>]}
// GUARD-LABEL: func.func @expand_swapped.guard(
// GUARD-NOT: needed by tensor.expand_shape
// GUARD: needed by arith.addf
func.func @expand_swapped(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%m, %n]
      : tensor<?xf32> into tensor<?x?xf32>
  %2 = arith.addf %1, %t : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// Positive: a scalar expands to ones.
// CHECK-LABEL: func.func @expand_scalar(
// CHECK: tensor.expand_shape {{.*}} {symshape.extents = [#symshape.shape<[1, 1]>]}
func.func @expand_scalar(%t: tensor<f32>) -> tensor<1x1xf32> {
  %0 = tensor.expand_shape %t [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// Positive: a reshape reads its extents from the elements of its shape, and
// requires the element counts to be equal.
// CHECK-LABEL: func.func @reshape(
// CHECK: tensor.reshape {{.*}} {symshape.extents = [#symshape.shape<[2*M, 3]>]}
// GUARD-LABEL: func.func @reshape.guard(
// GUARD-SAME: needed by tensor.reshape{{.*}}(element count)
func.func @reshape(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %m2 = arith.muli %m, %c2 : index
  %shape = tensor.from_elements %m2, %c3 : tensor<2xindex>
  %0 = tensor.reshape %t(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// Positive: a shape that is put together, element by element or of parts.
// CHECK-LABEL: func.func @put_together(
// CHECK: tensor.reshape {{.*}} {symshape.extents = [#symshape.shape<[M, N]>]}
// CHECK: tensor.reshape {{.*}} {symshape.extents = [#symshape.shape<[3, M, N]>]}
// CHECK: tensor.reshape {{.*}} {symshape.extents = [#symshape.shape<[M, 7]>]}
func.func @put_together(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %s: tensor<2xindex>,
                        %w: tensor<3x?x?xf32> {symshape.shape = #symshape.shape<[3, N, M]>},
                        %v: tensor<?x7xf32> {symshape.shape = #symshape.shape<[M, 7]>})
    -> (tensor<?x?xf32>, tensor<3x?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %one = tensor.insert %n into %s[%c0] : tensor<2xindex>
  %two = tensor.insert %n into %one[%c1] : tensor<2xindex>
  %both = tensor.insert %m into %two[%c0] : tensor<2xindex>
  %0 = tensor.reshape %t(%both) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %three = tensor.from_elements %c3 : tensor<1xindex>
  %all = tensor.concat dim(0) %three, %both : (tensor<1xindex>, tensor<2xindex>) -> tensor<3xindex>
  %1 = tensor.reshape %w(%all) : (tensor<3x?x?xf32>, tensor<3xindex>) -> tensor<3x?x?xf32>
  %seven = tensor.splat %c7 : tensor<2xindex>
  %mixed = tensor.insert %m into %seven[%c0] : tensor<2xindex>
  %2 = tensor.reshape %v(%mixed) : (tensor<?x7xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<3x?x?xf32>, tensor<?x?xf32>
}

// Must not fire: the place of an element is not known, and may be any.
// CHECK-LABEL: func.func @anywhere(
// CHECK: tensor.reshape {{.*}} {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @anywhere(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %i: index) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %three = tensor.splat %c3 : tensor<2xindex>
  %shape = tensor.insert %m into %three[%i] : tensor<2xindex>
  %0 = tensor.reshape %t(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Positive: elements stay known through casts, expansions and collapses.
// CHECK-LABEL: func.func @elements(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M, N]>]}
func.func @elements(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %list = tensor.from_elements %n, %n, %m, %n : tensor<4xindex>
  %square = tensor.expand_shape %list [[0, 1]] output_shape [2, 2]
      : tensor<4xindex> into tensor<2x2xindex>
  %dynamic = tensor.cast %square : tensor<2x2xindex> to tensor<?x2xindex>
  %0 = tensor.extract %dynamic[%c1, %c0] : tensor<?x2xindex>
  %column = tensor.expand_shape %list [[0, 1]] output_shape [4, 1]
      : tensor<4xindex> into tensor<4x1xindex>
  %flat = tensor.collapse_shape %column [[0, 1]] : tensor<4x1xindex> into tensor<4xindex>
  %1 = tensor.extract %flat[%c1] : tensor<4xindex>
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
