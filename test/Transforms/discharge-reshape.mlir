// RUN: symshape-opt %s --symshape-discharge | FileCheck %s

// Positive: one dimension is split.
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[T:.*]]: tensor<?x12xf32>)
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 3, 4]
// CHECK:         return %[[R]]
func.func @split(%t: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x12xf32>
  %s = tensor.from_elements %n, %c3, %c4 : tensor<3xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x12xf32>, tensor<3xindex>) -> tensor<?x3x4xf32>
  return %r : tensor<?x3x4xf32>
}

// Positive: two dimensions are merged, whatever their extents.
// CHECK-LABEL: func.func @merge(
// CHECK:         %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK:         return %[[R]]
func.func @merge(%t: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x?x4xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?x4xf32>
  %p = arith.muli %n, %m : index
  %s = tensor.from_elements %p, %c4 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Positive: the same extents in another type are a cast.
// CHECK-LABEL: func.func @same(
// CHECK:         tensor.cast %{{.*}} : tensor<?x4xf32> to tensor<?x?xf32>
// CHECK-NOT:     tensor.reshape
// CHECK:         return
func.func @same(%t: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x4xf32>
  %s = tensor.from_elements %n, %c4 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: no dimension is kept, so all are merged and split again: 2*N*6
// elements are N*3 times 4.
// CHECK-LABEL: func.func @regroup(
// CHECK:         %[[H:.*]] = arith.muli
// CHECK:         %[[C:.*]] = tensor.collapse_shape {{.*}} into tensor<?xf32>
// CHECK:         tensor.expand_shape %[[C]] {{.*}} output_shape [%[[H]], 4]
func.func @regroup(%t: tensor<?x6xf32> {symshape.shape = #symshape.shape<[2*N, 6]>}) -> tensor<?x4xf32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = symshape.size "N"
  %h = arith.muli %n, %c3 : index
  %s = tensor.from_elements %h, %c4 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x6xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Positive: target extents of 64 bits.
// CHECK-LABEL: func.func @of_i64(
// CHECK:         %[[I:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:         tensor.expand_shape {{.*}} output_shape [%[[I]], 3, 4]
func.func @of_i64(%t: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %n = tensor.dim %t, %c0 : tensor<?x12xf32>
  %i = arith.index_cast %n : index to i64
  %s = tensor.from_elements %i, %c3, %c4 : tensor<3xi64>
  %r = tensor.reshape %t(%s) : (tensor<?x12xf32>, tensor<3xi64>) -> tensor<?x3x4xf32>
  return %r : tensor<?x3x4xf32>
}

// Positive: an assert before the reshape gives the element count.
// CHECK-LABEL: func.func @assert_before(
// CHECK:         symshape.assert
// CHECK-NOT:     tensor.reshape
// CHECK:         return
func.func @assert_before(%t: tensor<?xf32>, %x: index, %y: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n == x" (n = %n, x = %x), "same"
  symshape.assert "y == 1" (y = %y), "one"
  %s = tensor.from_elements %x, %y : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: that reshape itself requires the element count, and that an
// assert behind it states it, proves nothing here.
// CHECK-LABEL: func.func @assert_behind(
// CHECK:         tensor.reshape
func.func @assert_behind(%t: tensor<?xf32>, %x: index) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.from_elements %x, %c1 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n == x" (n = %n, x = %x), "same"
  return %r : tensor<?x1xf32>
}

// Must not fire: 6*N elements are not ((3*N) floordiv 2) * 4 for odd N.
// CHECK-LABEL: func.func @rounds_down(
// CHECK:         tensor.reshape
func.func @rounds_down(%t: tensor<?x6xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?x6xf32>
  %triple = arith.muli %n, %c3 : index
  %h = arith.divui %triple, %c2 : index
  %s = tensor.from_elements %h, %c4 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x6xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Must not fire: the target is data.
// CHECK-LABEL: func.func @data(
// CHECK:         tensor.reshape
func.func @data(%t: tensor<?x6xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  %r = tensor.reshape %t(%s) : (tensor<?x6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: without elements any first extent will do, so it is not the
// one of the source.
// CHECK-LABEL: func.func @no_elements(
// CHECK:         tensor.reshape
func.func @no_elements(%t: tensor<?x0xf32>, %x: index) -> tensor<?x0xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.from_elements %x, %c0 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x0xf32>, tensor<2xindex>) -> tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}

// Positive: extents of zero that are kept one by one.
// CHECK-LABEL: func.func @keeps_zero(
// CHECK-NOT:     tensor.reshape
// CHECK:         return
func.func @keeps_zero(%t: tensor<?x0x4xf32>) -> tensor<?x0x2x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x0x4xf32>
  %s = tensor.from_elements %n, %c0, %c2, %c2 : tensor<4xindex>
  %r = tensor.reshape %t(%s) : (tensor<?x0x4xf32>, tensor<4xindex>) -> tensor<?x0x2x2xf32>
  return %r : tensor<?x0x2x2xf32>
}

// Must not fire: the counts contradict each other.
// CHECK-LABEL: func.func @contradiction(
// CHECK:         tensor.reshape
func.func @contradiction(%t: tensor<2x6xf32>) -> tensor<?x5xf32> {
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %s = tensor.from_elements %c2, %c5 : tensor<2xindex>
  %r = tensor.reshape %t(%s) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

// Reshapes of our dialect likewise: groups of channels, of an image of any height.
// CHECK-LABEL: func.func @ours(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x12x?xf32>)
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3]] output_shape [%{{.*}}, 3, 4, %{{.*}}]
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[E]] {{\[\[}}0], [1, 2], [3]] : tensor<?x3x4x?xf32> into tensor<?x12x?xf32>
// CHECK:         return %[[C]]
func.func @ours(%x: tensor<?x12x?xf32>) -> tensor<?x12x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x12x?xf32>
  %e = symshape.reshape %x to [%n, 3, 4, %h] : tensor<?x12x?xf32> to tensor<?x3x4x?xf32>
  %c = symshape.reshape %e to [%n, 12, %h] : tensor<?x3x4x?xf32> to tensor<?x12x?xf32>
  return %c : tensor<?x12x?xf32>
}

// -----

// Must not fire: the extents that are passed need not be those of the image.
// CHECK-LABEL: func.func @ours_unproved(
// CHECK:         symshape.reshape
func.func @ours_unproved(%x: tensor<?x12x?xf32>, %a: index, %b: index) -> tensor<?x3x4x?xf32> {
  %e = symshape.reshape %x to [%a, 3, 4, %b] : tensor<?x12x?xf32> to tensor<?x3x4x?xf32>
  return %e : tensor<?x3x4x?xf32>
}
