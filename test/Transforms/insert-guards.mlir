// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// Positive: equal extents that no fact gives are guarded at entry.
// CHECK-LABEL: func.func @add.guard(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index) -> i32
// CHECK-SAME:    symshape.messages = [{{.*}}2^48 - 1{{.*}}, "@add: guard failed: {{.*}}argument #0 dim 0{{.*}} must equal {{.*}}argument #1 dim 0{{.*}}needed by linalg.add
// CHECK-LABEL: func.func @add(
// CHECK:         %[[S:.*]] = call @add.guard(
// CHECK:         scf.if
// CHECK:           symshape.fail
// CHECK:         linalg.add
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: the signature says that the extents are equal, so the callers'
// check of the signature is the only one.
// CHECK-LABEL: func.func @add_named.guard(
// CHECK-SAME:    symshape.messages = [{{.*}}, "@add_named: guard failed: {{.*}}needed by the signature
// CHECK-NOT:     needed by linalg.add
func.func @add_named(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                     %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: what a private function needs is checked where it is called from.
// CHECK-LABEL: func.func private @half(
// CHECK-NOT:     symshape.fail
// CHECK-LABEL: func.func @call.guard(
// CHECK-SAME:    needed by tensor.expand_shape
func.func private @half(%t: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %h = arith.divui %n, %c2 : index
  %r = tensor.expand_shape %t [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
func.func @call(%t: tensor<?xf32>) -> tensor<?x2xf32> {
  %r = call @half(%t) : (tensor<?xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// Positive: an index that comes from data is checked by one reduction before the
// op that reads with it; the asserts leave the body.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[BAD:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:         tensor.extract %[[BAD]][]
// CHECK:         scf.if
// CHECK:           symshape.fail "@rows: assert failed: index too large{{.*}}at position
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @rows(%table: tensor<50x8xf32>, %ids: tensor<?xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %c50 = arith.constant 50 : i64
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%id: i64, %out: f32):
    %small = arith.cmpi slt, %id, %c50 : i64
    cf.assert %small, "index too large"
    %positive = arith.cmpi sge, %id, %zero : i64
    cf.assert %positive, "index negative"
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Positive: a position is bounded by the extent it counts, so the assert is a
// condition on that extent.
// CHECK-LABEL: func.func @positions.guard(
// CHECK-SAME:    argument #0 dim 0{{.*}} must be at most 64
// CHECK-LABEL: func.func @positions(
// CHECK:         linalg.generic
// CHECK-NOT:     cf.assert
func.func @positions(%t: tensor<?xf32>) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %small = arith.cmpi slt, %i, %c64 : index
    cf.assert %small, "position too large"
    linalg.yield %i : index
  } -> tensor<?xindex>
  return %r : tensor<?xindex>
}

// -----

// Positive: a requirement under a branch is guarded under the condition of it.
// CHECK-LABEL: func.func @branch.guard(
// CHECK:         arith.ori
func.func @branch(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %long = arith.cmpi sgt, %n, %c9 : index
  %r = scf.if %long -> tensor<4xf32> {
    %s = tensor.cast %a : tensor<?xf32> to tensor<12xf32>
    %t = tensor.extract_slice %s[0] [4] [1] : tensor<12xf32> to tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
