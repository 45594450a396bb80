// RUN: symshape-opt %s --symshape-expand-batches --canonicalize | FileCheck %s

// Positive: both batch dimensions are loops of the contraction; the operand that
// was not reshaped is, without a copy.
// CHECK-LABEL: func.func @batches(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x12x?x8xf32>, %[[B:[a-z0-9]+]]: tensor<?x8x?xf32>
// CHECK:         %[[EB:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1], [2], [3]]
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         %[[R:.*]] = linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "reduction"
// CHECK-SAME:      ins(%[[A]], %[[EB]] : tensor<?x12x?x8xf32>, tensor<?x12x8x?xf32>)
// CHECK:         return %[[R]]
func.func @batches(%a: tensor<?x12x?x8xf32>, %b: tensor<?x8x?xf32>, %p: index, %m: index, %n: index)
    -> tensor<?x12x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c12 = arith.constant 12 : index
  %bs = arith.muli %p, %c12 : index
  %flat = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<?x12x?x8xf32> into tensor<?x?x8xf32>
  %e = tensor.empty(%bs, %m, %n) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.batch_matmul ins(%flat, %b : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [%p, 12, %m, %n] : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
  return %r : tensor<?x12x?x?xf32>
}

// Must not fire: the merged dimension is the rows of a product, which gains
// nothing from being two.
// CHECK-LABEL: func.func @rows(
// CHECK:         tensor.collapse_shape
// CHECK:         linalg.matmul
func.func @rows(%a: tensor<?x12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x12x8xf32> into tensor<?x8xf32>
  %r = linalg.matmul ins(%flat, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Must not fire: an elementwise op that no convolution comes before.
// CHECK-LABEL: func.func @elementwise(
// CHECK:         tensor.collapse_shape
// CHECK:         linalg.generic
func.func @elementwise(%a: tensor<?x12xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<?x12xf32> into tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = math.exp %x : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Elementwise ops behind a convolution in groups take its shape, and their other
// operands with them.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x2x4xf32>, %[[W:[a-z0-9]+]]: tensor<2x3x4x8xf32>, %[[B:[a-z0-9]+]]: tensor<16xf32>
// CHECK-DAG:     %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] :
// CHECK-DAG:     %[[E:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1]] output_shape [2, 8] : tensor<16xf32> into tensor<2x8xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[E]] : tensor<?x?x2x8xf32>, tensor<2x8xf32>)
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[R]] : tensor<?x?x2x8xf32>)
// CHECK:         tensor.collapse_shape %[[T]] {{\[\[}}0], [1], [2, 3]]
func.func @groups(%x: tensor<?x?x2x4xf32>, %w: tensor<2x3x4x8xf32>, %b: tensor<16xf32>, %c: tensor<?x?x2x8xf32>, %d: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(n, w, g, f, i, c) -> (n, w + i, g, c)>, affine_map<(n, w, g, f, i, c) -> (g, i, c, f)>,
                                        affine_map<(n, w, g, f, i, c) -> (n, w, g, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x2x4xf32>, tensor<2x3x4x8xf32>) outs(%c : tensor<?x?x2x8xf32>) {
  ^bb0(%a: f32, %v: f32, %sum: f32):
    %m = arith.mulf %a, %v : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x?x2x8xf32>
  %flat = tensor.collapse_shape %s [[0], [1], [2, 3]] : tensor<?x?x2x8xf32> into tensor<?x?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, w, f) -> (n, w, f)>, affine_map<(n, w, f) -> (f)>, affine_map<(n, w, f) -> (n, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%flat, %b : tensor<?x?x16xf32>, tensor<16xf32>) outs(%d : tensor<?x?x16xf32>) {
  ^bb0(%a: f32, %v: f32, %out: f32):
    %t = arith.addf %a, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x16xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, w, f) -> (n, w, f)>, affine_map<(n, w, f) -> (n, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<?x?x16xf32>) outs(%d : tensor<?x?x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?x16xf32>
  return %e : tensor<?x?x16xf32>
}
