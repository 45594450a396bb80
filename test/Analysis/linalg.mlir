// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: a product of matrices has the rows of one and the columns of the
// other; each role is named where extents must be equal.
// CHECK-LABEL: func.func @matmul(
// CHECK: linalg.matmul {symshape.extents = [#symshape.shape<[M, N]>]}
// GUARD-LABEL: func.func @matmul.guard(
// GUARD-SAME: extent of argument #0 dim 1 (K{{.*}} must equal extent of argument #1 dim 0 (L{{.*}}needed by linalg.matmul{{.*}}(contraction dimension)
func.func @matmul(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                  %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: an extent 1 is an ordinary size: structured ops do not broadcast, so
// a static 1 makes the extent beside it 1.
// GUARD-LABEL: func.func @no_broadcast.guard(
// GUARD-SAME: 1 must equal extent of argument #0 dim 0 (N{{.*}}needed by linalg.add
func.func @no_broadcast(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                        %b: tensor<1xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<1xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: results have the extents of their inits: fill, transpose, broadcast,
// reduce, and the static sizes that an equality gives.
// CHECK-LABEL: func.func @others(
// CHECK: linalg.fill {symshape.extents = [#symshape.shape<[M, N]>]}
// CHECK: linalg.transpose {{.*}} {symshape.extents = [#symshape.shape<[M, N]>]}
// CHECK: linalg.reduce {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: linalg.broadcast {{.*}} {symshape.extents = [#symshape.shape<[M, N]>]}
func.func @others(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) permutation = [1, 0]
  %row = tensor.empty(%m) : tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%t : tensor<?x?xf32>) outs(%row : tensor<?xf32>)
      dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  return %b : tensor<?x?xf32>
}

// -----

// Positive: the windows of a convolution fit its input: with a window of K rows
// and O results, (O - 1) + (K - 1) < N. Nothing is needed where nothing is done.
// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.conv_1d {symshape.extents = [#symshape.shape<[-K + N + 1]>]}
// GUARD-LABEL: func.func @convolution.guard(
// GUARD-SAME: must be at most
// GUARD-LABEL: func.func @convolution(
// GUARD-NOT: needed by linalg.conv_1d{{.*}}window
// GUARD: linalg.conv_1d
func.func @convolution(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                       %w: tensor<?xf32> {symshape.shape = #symshape.shape<[K]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %k = tensor.dim %w, %c0 : tensor<?xf32>
  %d = arith.subi %n, %k : index
  %o = arith.addi %d, %c1 : index
  %e = tensor.empty(%o) : tensor<?xf32>
  %r = linalg.conv_1d ins(%a, %w : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: one result too many reads past the input.
// GUARD-LABEL: func.func @convolution_too_long.guard(
// GUARD-SAME: needed by linalg.conv_1d{{.*}}(window of operand 0, dimension 0)
func.func @convolution_too_long(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                                %w: tensor<3xf32>)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %o = arith.subi %n, %c1 : index
  %e = tensor.empty(%o) : tensor<?xf32>
  %r = linalg.conv_1d ins(%a, %w : tensor<?xf32>, tensor<3xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: elements that a pointwise body yields are a function of the position,
// also when the result is transposed.
// CHECK-LABEL: func.func @elements(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N + 103]>]}
func.func @elements(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<4x2xindex>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x2xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.muli %i, %c100 : index
    %y = arith.addi %x, %j : index
    %z = arith.addi %y, %n : index
    linalg.yield %z : index
  } -> tensor<4x2xindex>
  // At (3, 1) of the result, i = 1 and j = 3.
  %v = tensor.extract %g[%c3, %c1] : tensor<4x2xindex>
  %r = tensor.empty(%v) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: what a reduction accumulates is not what one iteration yields.
// CHECK-LABEL: func.func @accumulated(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @accumulated(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %zero = tensor.from_elements %c0 : tensor<1xindex>
  %in = tensor.splat %c1[%n] : tensor<?xindex>
  %init = tensor.collapse_shape %zero [] : tensor<1xindex> into tensor<index>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%in : tensor<?xindex>) outs(%init : tensor<index>) {
  ^bb0(%x: index, %out: index):
    %s = arith.addi %x, %out overflow<nsw> : index
    linalg.yield %s : index
  } -> tensor<index>
  %v = tensor.extract %g[] : tensor<index>
  %r = tensor.empty(%v) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: an element of the input that is not known differs from position
// to position, and what is asserted of it holds inside the body alone.
// CHECK-LABEL: func.func @elements_of_data(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @elements_of_data(%t: tensor<4xindex>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xindex>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%t : tensor<4xindex>) outs(%e : tensor<4xindex>) {
  ^bb0(%x: index, %out: index):
    linalg.yield %x : index
  } -> tensor<4xindex>
  %v0 = tensor.extract %g[%c0] : tensor<4xindex>
  %v1 = tensor.extract %g[%c1] : tensor<4xindex>
  %r = tensor.empty(%v0, %v1) : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: the accesses of a body are required for each iteration, so at the
// last one, where there is one.
// GUARD-LABEL: func.func @body_access.guard(
// GUARD-SAME: extent of argument #1 dim 0 (N{{.*}} must be at most 0, or {{.*}}N + 2{{.*}} must be at most {{.*}}extent of argument #0 dim 0 (M{{.*}}needed by tensor.extract
func.func @body_access(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                       %u: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%u : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = arith.addi %i, %c2 : index
    %x = tensor.extract %t[%j] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: a softmax keeps the extents.
// CHECK-LABEL: func.func @softmax(
// CHECK: linalg.softmax {symshape.extents = [#symshape.shape<[N, M]>]}
func.func @softmax(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>}) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Positive: packing without padding needs full tiles; with it, enough of them.
// CHECK-LABEL: func.func @pack(
// CHECK: linalg.pack {{.*}} {symshape.extents = [#symshape.shape<[N floordiv 8, 8]>]}
// GUARD-LABEL: func.func @pack.guard(
// GUARD-SAME: needed by linalg.pack{{.*}}(tile
func.func @pack(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %q = arith.divui %n, %c8 : index
  %e = tensor.empty(%q) : tensor<?x8xf32>
  %r = linalg.pack %a inner_dims_pos = [0] inner_tiles = [8] into %e
      : tensor<?xf32> -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Must not fire: as many tiles as cover the source need no check; unpacking them
// needs none either.
// CHECK-LABEL: func.func @pack_padded(
// CHECK: linalg.pack {{.*}} {symshape.extents = [#symshape.shape<[(N + 7) floordiv 8, 8]>]}
// CHECK: linalg.unpack {{.*}} {symshape.extents = [#symshape.shape<[N]>]}
// GUARD-LABEL: func.func @pack_padded.guard(
// GUARD-NOT: needed by
// GUARD-LABEL: func.func @pack_padded(
func.func @pack_padded(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %cst = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %q = arith.ceildivui %n, %c8 : index
  %e = tensor.empty(%q) : tensor<?x8xf32>
  %p = linalg.pack %a padding_value(%cst : f32) inner_dims_pos = [0] inner_tiles = [8] into %e
      : tensor<?xf32> -> tensor<?x8xf32>
  %r = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [8] into %a
      : tensor<?x8xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
