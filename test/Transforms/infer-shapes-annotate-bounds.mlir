// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s
// RUN: symshape-report %s | FileCheck %s --check-prefix=REPORT

// A bound goes where the extent goes: through tensor.dim and arithmetic, to what
// is made of that size, permuted, sliced, padded and put together.

// CHECK-LABEL: func.func @shaped(
// REPORT-LABEL: @shaped
// REPORT:       result #0: {{.*}} [<= A, 8]
// REPORT:       result #1: {{.*}} [B, <= A]
func.func @shaped(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}, %s: f64, %z: f32)
    -> (tensor<?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x2xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = symshape.dynamic_truncate %t, %s axis 0 : tensor<?x?xf32>, f64 to tensor<?x?xf32>
  %d = tensor.dim %r, %c0 : tensor<?x?xf32>
  %b = tensor.dim %t, %c1 : tensor<?x?xf32>
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= A", 8]>]}
  %e = tensor.empty(%d) : tensor<?x8xf32>
  // CHECK: linalg.fill {symshape.extents = [#symshape.shape<["<= A", 8]>]}
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %e2 = tensor.empty(%b, %d) : tensor<?x?xf32>
  // CHECK: linalg.transpose {{.*}}{symshape.extents = [#symshape.shape<[B, "<= A"]>]}
  %tr = linalg.transpose ins(%r : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) permutation = [1, 0]
  // CHECK: math.exp {{.*}}{symshape.extents = [#symshape.shape<["<= A", B]>]}
  %ex = math.exp %r : tensor<?x?xf32>
  // CHECK: tensor.extract_slice {{.*}}{symshape.extents = [#symshape.shape<["<= A", 2]>]}
  %x = tensor.extract_slice %r[0, 0] [%d, 2] [1, 1] : tensor<?x?xf32> to tensor<?x2xf32>
  // CHECK: symshape.extents = [#symshape.shape<["<= A + 2", B + 2]>]
  %p = tensor.pad %r low[1, 1] high[%c1, %c1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  // CHECK: tensor.collapse_shape {{.*}}{symshape.extents = [#symshape.shape<["<= A*B"]>]}
  %co = tensor.collapse_shape %r [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %f, %tr, %ex, %x, %p, %co : tensor<?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x2xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// Clamps in arith, of what data determine, and of an index.
// CHECK-LABEL: func.func @clamped(
func.func @clamped(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %s: tensor<index>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = tensor.dim %t, %c0 : tensor<?xf32>
  %n = tensor.extract %s[] : tensor<index>
  %m = arith.minsi %n, %a : index
  %k = arith.maxsi %m, %c0 : index
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= A"]>]}
  %0 = tensor.empty(%k) : tensor<?xf32>
  %m2 = arith.minsi %k, %c16 : index
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= min(A, 16)"]>]}
  %1 = tensor.empty(%m2) : tensor<?xf32>
  %d = arith.divui %k, %c16 : index
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= A floordiv 16"]>]}
  %2 = tensor.empty(%d) : tensor<?xf32>
  %u = arith.subi %a, %k : index
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= A"]>]}
  %3 = tensor.empty(%u) : tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Through loops that shrink what they carry, whose results no rule gives.
// CHECK-LABEL: func.func @shrinking(
// CHECK:         } {symshape.extents = [#symshape.shape<["<= A"]>]}
// CHECK:         } attributes {symshape.extents = [#symshape.shape<["<= min(A, 2)"]>]}
// REPORT-LABEL: @shrinking
// REPORT:       result #0: {{.*}} [<= A]
// REPORT:       result #1: {{.*}} [<= min(A, 2)]
func.func @shrinking(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %halves = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (tensor<?xf32>) {
    %l = tensor.dim %x, %c0 : tensor<?xf32>
    %h = arith.divui %l, %c2 : index
    %y = tensor.extract_slice %x[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %few = scf.while (%x = %t) : (tensor<?xf32>) -> tensor<?xf32> {
    %l = tensor.dim %x, %c0 : tensor<?xf32>
    %more = arith.cmpi ugt, %l, %c2 : index
    scf.condition(%more) %x : tensor<?xf32>
  } do {
  ^bb0(%x: tensor<?xf32>):
    %l = tensor.dim %x, %c0 : tensor<?xf32>
    %h = arith.subi %l, %c1 : index
    %y = tensor.extract_slice %x[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %halves, %few : tensor<?xf32>, tensor<?xf32>
}

// Through branches of which none has the larger extent, and through a select of
// tensors.
// CHECK-LABEL: func.func @chosen(
// CHECK:         arith.select {{.*}}{symshape.extents = [#symshape.shape<["<= max(A, B)"]>]}
// REPORT-LABEL: @chosen
// REPORT:       result #0: {{.*}} [<= max(A, B)]
// REPORT:       result #1: {{.*}} [<= max(A, B, 1)]
func.func @chosen(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %u: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>},
                  %p: i1, %case: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = arith.select %p, %t, %u : tensor<?xf32>
  %q = scf.index_switch %case -> tensor<?xf32>
  case 2 {
    scf.yield %r : tensor<?xf32>
  }
  case 5 {
    scf.yield %t : tensor<?xf32>
  }
  default {
    %c1 = arith.constant 1 : index
    %one = tensor.empty(%c1) : tensor<?xf32>
    scf.yield %one : tensor<?xf32>
  }
  return %r, %q : tensor<?xf32>, tensor<?xf32>
}

// Through reshapes whose extents data tell: as many elements, so of rank 1 as
// many as there were.
// REPORT-LABEL: @flat
// REPORT:       result #0: {{.*}} [A*B]
// REPORT:       result #1: {{.*}} [A*B]
func.func @flat(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}, %s: tensor<1xindex>,
                %m: memref<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}, %k: memref<1xindex>) -> (tensor<?xf32>, memref<?xf32>) {
  %0 = tensor.reshape %t(%s) : (tensor<?x?xf32>, tensor<1xindex>) -> tensor<?xf32>
  %1 = memref.reshape %m(%k) : (memref<?x?xf32>, memref<1xindex>) -> memref<?xf32>
  return %0, %1 : tensor<?xf32>, memref<?xf32>
}

// Out of a function that is called: in dims of what is passed.
// CHECK-LABEL: func.func @caller(
// CHECK:         call @first_half({{.*}}) {symshape.extents = [#symshape.shape<["<= A floordiv 2"]>]}
func.func @caller(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %n: index) -> tensor<?xf32> {
  %r = call @first_half(%t, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @first_half(%t: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %h = arith.divui %n, %c2 : index
  %r = tensor.extract_slice %t[%h] [%h] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// Must not fire: what a loop may make longer.
// CHECK-LABEL: func.func @growing(
// CHECK:         } {symshape.extents = [#symshape.shape<[?]>]}
func.func @growing(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[A]>}, %n: index, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (tensor<?xf32>) {
    %y = tensor.empty(%k) : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Must not fire: nothing bounds an index but its type, and an extent is not
// bounded by the limit of all.
// CHECK-LABEL: func.func @unbounded(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @unbounded(%s: tensor<index>) -> tensor<?xf32> {
  %n = tensor.extract %s[] : tensor<index>
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
