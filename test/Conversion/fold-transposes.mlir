// RUN: symshape-opt %s --symshape-fold-transposes --canonicalize | FileCheck %s

// Positive: both kinds of copy, one of them of a right operand.
// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[K:[a-z0-9]+]]: tensor<?x?x8xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {indexing_maps = [#[[$A]], #[[$B]],
// CHECK-SAME:      ins(%[[Q]], %[[K]] :
// CHECK-NOT:     linalg.generic
func.func @operands(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %s: tensor<?x?x?xf32>, %eq: tensor<?x?x8xf32>, %ek: tensor<?x8x?xf32>)
    -> tensor<?x?x?xf32> {
  %qt = linalg.generic {indexing_maps = [affine_map<(b, m, k) -> (m, b, k)>, affine_map<(b, m, k) -> (b, m, k)>],
                        iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<?x?x8xf32>) outs(%eq : tensor<?x?x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<?x?x8xf32>
  %kt = linalg.transpose ins(%k : tensor<?x?x8xf32>) outs(%ek : tensor<?x8x?xf32>) permutation = [0, 2, 1]
  %r = linalg.batch_matmul ins(%qt, %kt : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%s : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Must not fire: a copy that computes, and a broadcast.
// CHECK-LABEL: func.func @not_copies(
// CHECK:         linalg.generic
// CHECK:         linalg.broadcast
// CHECK:         linalg.matmul
func.func @not_copies(%a: tensor<?x8xf32>, %b: tensor<8xf32>, %c: tensor<?x?xf32>, %ea: tensor<?x8xf32>, %eb: tensor<8x?xf32>)
    -> tensor<?x?xf32> {
  %twice = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x8xf32>) outs(%ea : tensor<?x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %wide = linalg.broadcast ins(%b : tensor<8xf32>) outs(%eb : tensor<8x?xf32>) dimensions = [1]
  %r = linalg.matmul ins(%twice, %wide : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
