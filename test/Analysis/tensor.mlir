// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: dims are the extents, ranks are constants.
// CHECK-LABEL: func.func @dim_rank(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M, 2, 4]>]}
func.func @dim_rank(%t: tensor<?x4xf32> {symshape.shape = #symshape.shape<[M, 4]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %t, %c0 : tensor<?x4xf32>
  %four = tensor.dim %t, %c1 : tensor<?x4xf32>
  %rank = tensor.rank %t : tensor<?x4xf32>
  %e = tensor.empty(%m, %rank, %four) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Which dim is read is not known, and must be one of the tensor: the largest bounds it.
// CHECK-LABEL: func.func @dim_of_unknown_number(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= max(s0, s1)"]>]}
// GUARD-LABEL: func.func @dim_of_unknown_number(
// GUARD-DAG: symshape.fail "@dim_of_unknown_number: argument #1 ({0}) must be at least 0{{.*}}needed by tensor.dim
// GUARD-DAG: symshape.fail "@dim_of_unknown_number: argument #1 ({0}) must be at most 1{{.*}}needed by tensor.dim
// GUARD: tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// GUARD-NOT: must be at least 0{{.*}}needed by tensor.empty
func.func @dim_of_unknown_number(%t: tensor<?x?xf32>, %i: index) -> tensor<?xf32> {
  %d = tensor.dim %t, %i : tensor<?x?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: a negative size is refused at entry; 0 is an ordinary size.
// GUARD-LABEL: func.func @negative_size.guard(
// GUARD-SAME: must be at least 1{{.*}}needed by tensor.empty
func.func @negative_size(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c1 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: a value that is no function of the dims is an extent without a name,
// but the same one wherever it is used.
// CHECK-LABEL: func.func @anonymous(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
// GUARD-LABEL: func.func @anonymous(
// GUARD: arith.addf
// GUARD-NOT: needed by arith.addf
func.func @anonymous(%n: index) -> tensor<?xf32> {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst[%n] : tensor<?xf32>
  %b = tensor.empty(%n) : tensor<?xf32>
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: elements of tensors made from scalars.
// CHECK-LABEL: func.func @elements(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, M, N]>]}
func.func @elements(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %i: index)
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %list = tensor.from_elements %n, %m : tensor<2xindex>
  %0 = tensor.extract %list[%c0] : tensor<2xindex>
  %1 = tensor.extract %list[%c1] : tensor<2xindex>
  %splat = tensor.splat %n : tensor<8xindex>
  %2 = tensor.extract %splat[%i] : tensor<8xindex>
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Must not fire: at a position that is not known, an element is not known. What was
// inserted is a position in the list.
// CHECK-LABEL: func.func @elements_unknown(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, "<= 1"]>]}
func.func @elements_unknown(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}, %i: index)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %list = tensor.from_elements %n, %m : tensor<2xindex>
  %0 = tensor.extract %list[%i] : tensor<2xindex>
  %changed = tensor.insert %i into %list[%c0] : tensor<2xindex>
  %1 = tensor.extract %changed[%c0] : tensor<2xindex>
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: the elements of a generated tensor are a function of the position.
// CHECK-LABEL: func.func @generate(
// CHECK: tensor.generate
// CHECK: } {symshape.extents = [#symshape.shape<[N]>]}
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[2*N + 5]>]}
func.func @generate(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> (tensor<?xindex>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %twice = arith.addi %n, %n : index
  %g = tensor.generate %n {
  ^bb0(%i: index):
    %v = arith.addi %twice, %i : index
    tensor.yield %v : index
  } : tensor<?xindex>
  %v5 = tensor.extract %g[%c5] : tensor<?xindex>
  %e = tensor.empty(%v5) : tensor<?xf32>
  return %g, %e : tensor<?xindex>, tensor<?xf32>
}

// -----

// Must not fire: what the body reads from a tensor of unknown elements differs
// from position to position.
// CHECK-LABEL: func.func @generate_from_data(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
// GUARD-LABEL: func.func @generate_from_data(
// GUARD: symshape.fail {{.*}}needed by arith.addf
func.func @generate_from_data(%t: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xindex>
  %g = tensor.generate %n {
  ^bb0(%i: index):
    %v = tensor.extract %t[%i] : tensor<?xindex>
    tensor.yield %v : index
  } : tensor<?xindex>
  %v0 = tensor.extract %g[%c0] : tensor<?xindex>
  %v1 = tensor.extract %g[%c1] : tensor<?xindex>
  %a = tensor.empty(%v0) : tensor<?xf32>
  %b = tensor.empty(%v1) : tensor<?xf32>
  %e = tensor.empty(%v0, %v1) : tensor<?x?xf32>
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: an access outside of the tensor is refused: 5 needs six elements.
// GUARD-LABEL: func.func @access.guard(
// GUARD-SAME: extent of argument #0 dim 0{{.*}} must be at least 6{{.*}}needed by tensor.extract
func.func @access(%t: tensor<?xf32>) -> f32 {
  %c5 = arith.constant 5 : index
  %x = tensor.extract %t[%c5] : tensor<?xf32>
  return %x : f32
}

// -----

// Positive: padding adds to both sides.
// CHECK-LABEL: func.func @pad(
// CHECK: tensor.pad
// CHECK: } {symshape.extents = [#symshape.shape<[N + 3, 2*M]>]}
func.func @pad(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : f32
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r = tensor.pad %t low[1, 0] high[2, %m] {
  ^bb0(%i: index, %j: index):
    tensor.yield %cst : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Must not fire: the elements of a padded tensor are not those of the padding,
// nor those of the source at the same position.
// CHECK-LABEL: func.func @pad_elements(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @pad_elements(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %list = tensor.from_elements %n, %n : tensor<2xindex>
  %padded = tensor.pad %list low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %n : index
  } : tensor<2xindex> to tensor<3xindex>
  %x = tensor.extract %padded[%c0] : tensor<3xindex>
  %e = tensor.empty(%x) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: a negative amount of padding is refused.
// GUARD-LABEL: func.func @pad_negative.guard(
// GUARD-SAME: needed by tensor.pad{{.*}}(high padding of dimension 0)
func.func @pad_negative(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %cst = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %high = arith.subi %c8, %n : index
  %r = tensor.pad %t low[0] high[%high] {
  ^bb0(%i: index):
    tensor.yield %cst : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: a slice has its sizes, whatever its offsets and strides; a dimension
// of size 1 may be dropped. Offset and size must fit the source.
// CHECK-LABEL: func.func @slice(
// CHECK: tensor.extract_slice {{.*}} {symshape.extents = [#symshape.shape<[N - 2, M]>]}
// GUARD-LABEL: func.func @slice.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must be at least 2{{.*}}extent of argument #0 dim 2{{.*}} must be at least 6{{.*}}needed by tensor.extract_slice
func.func @slice(%t: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[N, M, L]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?x?xf32>
  %rest = arith.subi %n, %c2 : index
  %r = tensor.extract_slice %t[2, 0, 5] [%rest, %m, 1] [1, 1, 1]
      : tensor<?x?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: with a stride, the last element that is read must be inside; an empty
// slice reads none.
// GUARD-LABEL: func.func @slice_strided.guard(
// GUARD-SAME: needed by tensor.extract_slice
func.func @slice_strided(%t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %u, %c0 : tensor<?xf32>
  %r = tensor.extract_slice %t[0] [%n] [3] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: the elements of a slice are those of the source, moved.
// CHECK-LABEL: func.func @slice_elements(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M, L]>]}
func.func @slice_elements(%t: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[N, M, L]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?x?xf32>
  %l = tensor.dim %t, %c2 : tensor<?x?x?xf32>
  %shape = tensor.from_elements %n, %n, %m, %n, %l : tensor<5xindex>
  %tail = tensor.extract_slice %shape[2] [2] [2] : tensor<5xindex> to tensor<2xindex>
  %0 = tensor.extract %tail[%c0] : tensor<2xindex>
  %1 = tensor.extract %tail[%c1] : tensor<2xindex>
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: insertions keep the extents of the destination; the source has the
// sizes of the slice.
// CHECK-LABEL: func.func @insert(
// CHECK: tensor.insert {{.*}} {symshape.extents = [#symshape.shape<[N, M]>]}
// CHECK: tensor.insert_slice {{.*}} {symshape.extents = [#symshape.shape<[N, K]>]}
// GUARD-LABEL: func.func @insert.guard(
// GUARD-SAME: extent of argument #1 dim 0 (K{{.*}} must equal extent of argument #0 dim 1 (M{{.*}}needed by tensor.insert_slice
func.func @insert(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>},
                  %u: tensor<?xf32> {symshape.shape = #symshape.shape<[K]>}, %x: f32)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = tensor.insert %x into %t[%c0, %c0] : tensor<?x?xf32>
  %1 = tensor.insert_slice %u into %0[0, 0] [1, %m] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Positive: a concatenation is as long as its parts together; the other dims are
// equal.
// CHECK-LABEL: func.func @concat(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[A, M + 2*N]>]}
// GUARD-LABEL: func.func @concat.guard(
// GUARD-SAME: extent of argument #0 dim 0 (A{{.*}} must equal extent of argument #1 dim 0 (B{{.*}}needed by tensor.concat
func.func @concat(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, N]>},
                  %u: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, M]>})
    -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %t, %u, %t
      : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Must not fire: a concatenation is not as long as its first part.
// CHECK-LABEL: func.func @concat_static(
// CHECK: tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[N + 4]>]}
func.func @concat_static(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                         %u: tensor<4xf32>) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %t, %u : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: a gather has the batch dims of its indices, and of the source those
// that no coordinate selects. A scatter keeps its destination.
// CHECK-LABEL: func.func @gather_scatter(
// CHECK: tensor.gather {{.*}} {symshape.extents = [#symshape.shape<[I, J, 1, M]>]}
// CHECK: tensor.scatter {{.*}} {symshape.extents = [#symshape.shape<[N, M]>]}
func.func @gather_scatter(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>},
                          %i: tensor<?x?x1xindex> {symshape.shape = #symshape.shape<[I, J, 1]>})
    -> (tensor<?x?x1x?xf32>, tensor<?x?xf32>) {
  %g = tensor.gather %t[%i] gather_dims([0])
      : (tensor<?x?xf32>, tensor<?x?x1xindex>) -> tensor<?x?x1x?xf32>
  %s = tensor.scatter %g into %t[%i] scatter_dims([0]) unique
      : (tensor<?x?x1x?xf32>, tensor<?x?xf32>, tensor<?x?x1xindex>) -> tensor<?x?xf32>
  return %g, %s : tensor<?x?x1x?xf32>, tensor<?x?xf32>
}

// -----

// Must not fire: a name that is bound in a body stands for another value at each
// position, even when another function uses it too.
// CHECK-LABEL: func.func @generate_binds(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
// GUARD-LABEL: func.func @generate_binds(
// GUARD: symshape.fail {{.*}}needed by arith.addf
func.func @uses_name(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[Q]>}) -> tensor<?xf32> {
  return %t : tensor<?xf32>
}
func.func @generate_binds(%sizes: tensor<4xindex>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = tensor.generate {
  ^bb0(%i: index):
    %v = tensor.extract %sizes[%i] : tensor<4xindex>
    %t = tensor.empty(%v) : tensor<?xf32>
    %named = symshape.bind_shape %t [Q] : tensor<?xf32>
    %d = tensor.dim %named, %c0 : tensor<?xf32>
    tensor.yield %d : index
  } : tensor<4xindex>
  %v0 = tensor.extract %g[%c0] : tensor<4xindex>
  %v1 = tensor.extract %g[%c1] : tensor<4xindex>
  %e = tensor.empty(%v0, %v1) : tensor<?x?xf32>
  %a = tensor.empty(%v0) : tensor<?xf32>
  %b = tensor.empty(%v1) : tensor<?xf32>
  %r = arith.addf %a, %b : tensor<?xf32>
  return %e, %r : tensor<?x?xf32>, tensor<?xf32>
}
