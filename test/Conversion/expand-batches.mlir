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

// Must not fire: an elementwise op is no contraction.
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
