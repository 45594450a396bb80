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

// A transposed result: the columns are those of the other operand. What a
// transposition of a product keeps and does not read is in nobody's way.
// CHECK-LABEL: func.func @result(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x5xf32>, %[[G:[a-z0-9]+]]: tensor<?x5xf32>, %[[E:[a-z0-9]+]]: tensor<5x8xf32>
// CHECK:         %[[START:.*]] = linalg.fill {{.*}} outs(%[[E]] : tensor<5x8xf32>)
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[$KM:.*]], #[[$KN:.*]], #[[$NM:.*]]], iterator_types = ["reduction", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[X]], %[[G]] : tensor<?x8xf32>, tensor<?x5xf32>) outs(%[[START]] :
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[R]]
func.func @result(%x: tensor<?x8xf32>, %w: tensor<8x5xf32>, %g: tensor<?x5xf32>, %e: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<8x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%init : tensor<8x5xf32>) -> tensor<8x5xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>,
                                        affine_map<(m, k, n) -> (m, n)>, affine_map<(m, k, n) -> (k, n)>],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x, %w, %g : tensor<?x8xf32>, tensor<8x5xf32>, tensor<?x5xf32>) outs(%f : tensor<8x5xf32>) {
  ^bb0(%a: f32, %unread: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x5xf32>
  %t = linalg.transpose ins(%d : tensor<8x5xf32>) outs(%e : tensor<5x8xf32>) permutation = [1, 0]
  return %t : tensor<5x8xf32>
}

// Must not fire: sums that start from a tensor, a second use of the sums, and a
// transposition that leaves the columns where they are.
// CHECK-LABEL: func.func @results_that_stay(
// CHECK:         linalg.matmul
// CHECK:         linalg.transpose
// CHECK:         linalg.matmul
// CHECK:         linalg.transpose
// CHECK:         linalg.batch_matmul
// CHECK:         linalg.transpose
func.func @results_that_stay(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>, %e: tensor<5x4xf32>,
                             %p: tensor<2x3x4xf32>, %q: tensor<2x4x5xf32>, %s: tensor<2x3x5xf32>, %o: tensor<3x2x5xf32>)
    -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<4x5xf32>, tensor<3x2x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x5xf32>) outs(%e : tensor<5x4xf32>) permutation = [1, 0]
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = linalg.transpose ins(%2 : tensor<4x5xf32>) outs(%e : tensor<5x4xf32>) permutation = [1, 0]
  %g = linalg.fill ins(%zero : f32) outs(%s : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %4 = linalg.batch_matmul ins(%p, %q : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%g : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %5 = linalg.transpose ins(%4 : tensor<2x3x5xf32>) outs(%o : tensor<3x2x5xf32>) permutation = [1, 0, 2]
  return %1, %3, %2, %5 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<4x5xf32>, tensor<3x2x5xf32>
}

// Must not fire: a copy of one number has no columns that move.
// CHECK-LABEL: func.func @one_number(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<i1>
// CHECK:         return %[[A]]
func.func @one_number(%a: tensor<i1>, %e: tensor<i1>) -> tensor<i1> {
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%a, %a : tensor<i1>, tensor<i1>) outs(%e : tensor<i1>) {
  ^bb0(%x: i1, %y: i1, %out: i1):
    %1 = arith.andi %x, %y : i1
    linalg.yield %1 : i1
  } -> tensor<i1>
  return %0 : tensor<i1>
}
