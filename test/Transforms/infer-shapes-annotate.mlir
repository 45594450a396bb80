// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s

// Positive: exact extents in the names of the signature; a bound as a bound; an
// extent that depends on data as unknown; static dimensions as they are.
// CHECK-LABEL: func.func @all(
// CHECK:         tensor.collapse_shape {{.*}} {symshape.extents = [#symshape.shape<[2*B*L]>]}
// CHECK:         tensor.empty(%{{.*}}) {symshape.extents = [#symshape.shape<[?, 3]>]}
// CHECK:         tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[4*B, L]>]}
// CHECK:         tensor.cast {{.*}} {symshape.extents = [#symshape.shape<[?]>]} : tensor<*xf32>
func.func @all(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[2*B, L]>}, %s: tensor<index>, %u: tensor<*xf32>)
    -> (tensor<?xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %k = tensor.extract %s[] : tensor<index>
  %1 = tensor.empty(%k) : tensor<?x3xf32>
  %2 = tensor.concat dim(0) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// Positive: a dim without a name gets one that nothing else has.
// CHECK-LABEL: func.func @unnamed(
// CHECK:         tensor.collapse_shape {{.*}} {symshape.extents = [#symshape.shape<[s0*s2]>]}
func.func @unnamed(%x: tensor<?x?xf32>, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[s1]>}) -> tensor<?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: on ops without shaped results.
// CHECK-LABEL: func.func @scalars(
// CHECK-NOT:     symshape.extents
// CHECK:         return
func.func @scalars(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  return %n : index
}

// Positive: a name that an op gives.
// CHECK-LABEL: func.func @bound_by_op(
// CHECK:         symshape.bind_shape %{{.*}} [K] {symshape.extents = [#symshape.shape<[K]>]}
// CHECK:         tensor.concat {{.*}} {symshape.extents = [#symshape.shape<[2*K]>]}
func.func @bound_by_op(%s: tensor<index>) -> tensor<?xf32> {
  %k = tensor.extract %s[] : tensor<index>
  %e = tensor.empty(%k) : tensor<?xf32>
  %b = symshape.bind_shape %e [K] : tensor<?xf32>
  %r = tensor.concat dim(0) %b, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// What only data determine has no name: its bound is written, never the bound as
// if it were exact. The limit of all extents is no bound.
// CHECK-LABEL: func.func @bounds_of_data(
func.func @bounds_of_data(%x: tensor<7xf32>, %y: tensor<?xf32> {symshape.shape = #symshape.shape<["<= 5"]>},
                          %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: symshape.dynamic_truncate {{.*}}symshape.extents = [#symshape.shape<["<= 7"]>]
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<7xf32> to tensor<?xf32>
  // CHECK: tensor.concat {{.*}}symshape.extents = [#symshape.shape<["<= 12"]>]
  %1 = tensor.concat dim(0) %x, %y : (tensor<7xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tensor.empty{{.*}}symshape.extents = [#symshape.shape<[?]>]
  %2 = tensor.empty(%n) : tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// What is at most 0 is 0.
// CHECK-LABEL: func.func @bound_of_zero(
// CHECK:         symshape.dynamic_truncate {{.*}}symshape.extents = [#symshape.shape<[0]>]
func.func @bound_of_zero(%x: tensor<0xf32>, %s: f64) -> tensor<?xf32> {
  %0 = symshape.dynamic_truncate %x, %s axis 0 : tensor<0xf32>, f64 to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: an extent of -2 has no words.
// CHECK-LABEL: func.func @negative_size(
// CHECK:         memref.alloc(%{{.*}}) {symshape.extents = [#symshape.shape<[4, ?]>]}
func.func @negative_size() -> memref<4x?xf32> {
  %n = arith.constant -2 : index
  %0 = memref.alloc(%n) : memref<4x?xf32>
  return %0 : memref<4x?xf32>
}

// Vectors have no extents of ours, beside tensors that have.
// CHECK-LABEL: @beside_a_vector
// CHECK:         scf.for
// CHECK:         symshape.extents = [#symshape.shape<[s0]>, #symshape.shape<[]>]
func.func @beside_a_vector(%x: tensor<?xf32>, %v: vector<5xf32>, %n: index) -> (tensor<?xf32>, vector<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %v) -> (tensor<?xf32>, vector<5xf32>) {
    %c = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    %d = arith.addf %b, %b : vector<5xf32>
    scf.yield %c, %d : tensor<?xf32>, vector<5xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, vector<5xf32>
}

// An extent below 0, behind which nothing runs, is not written down.
// CHECK-LABEL: func.func @negative(
// CHECK:         tensor.empty(%{{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @negative() -> tensor<?xf32> {
  %least = arith.constant -1 : index
  %e = tensor.empty(%least) : tensor<?xf32>
  return %e : tensor<?xf32>
}
