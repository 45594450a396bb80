// RUN: symshape-opt %s --symshape-canonicalize --split-input-file | FileCheck %s

// Slices that keep some dimensions of size 1 and drop others: upstream takes the
// first of equal strides for the dropped one, or crashes.

// CHECK-LABEL: func.func @last_is_kept(
// CHECK-SAME:    %[[T:.*]]: tensor<?x?x?xf32>, %[[N:.*]]: index)
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[T]][0, 0, 0] [1, %[[N]], 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?xf32>
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[PART]] {{\[\[}}0, 1]] output_shape [%[[N]], 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK:         return %[[R]]
func.func @last_is_kept(%t: tensor<?x?x?xf32>, %n: index) -> tensor<?x1xf32> {
  %r = tensor.extract_slice %t[0, 0, 0] [1, %n, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @first_is_kept(
// CHECK:         tensor.extract_slice {{.*}} : tensor<?x?x?x?xf32> to tensor<?x?xf32>
// CHECK:         tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2]] output_shape [1, %{{.*}}, %{{.*}}] : tensor<?x?xf32> into tensor<1x?x?xf32>
func.func @first_is_kept(%t: tensor<?x?x?x?xf32>, %n: index, %m: index) -> tensor<1x?x?xf32> {
  %r = tensor.extract_slice %t[0, 0, 0, 0] [1, %n, 1, %m] [1, 1, 1, 1] : tensor<?x?x?x?xf32> to tensor<1x?x?xf32>
  return %r : tensor<1x?x?xf32>
}

// CHECK-LABEL: func.func @all_are_one(
// CHECK:         tensor.extract_slice {{.*}} [1, 1, 1] [1, 2, 1] : tensor<2x5x7xf32> to tensor<f32>
// CHECK:         tensor.expand_shape {{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @all_are_one(%t: tensor<2x5x7xf32>) -> tensor<1x1xf32> {
  %r = tensor.extract_slice %t[1, 3, 2] [1, 1, 1] [1, 2, 1] : tensor<2x5x7xf32> to tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// Must not fire: side by side, with steps of 1, it does not matter which is meant.
// CHECK-LABEL: func.func @side_by_side(
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @side_by_side(%t: tensor<?x?x?xf32>, %n: index) -> tensor<1x?xf32> {
  %r = tensor.extract_slice %t[0, 0, 0] [1, 1, %n] [1, 1, 1] : tensor<?x?x?xf32> to tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}

// Must not fire: all are dropped, or none.
// CHECK-LABEL: func.func @all_or_none(
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @all_or_none(%t: tensor<?x?x?xf32>, %n: index) -> (tensor<?xf32>, tensor<1x?x1xf32>) {
  %r = tensor.extract_slice %t[0, 0, 0] [1, %n, 1] [1, 1, 2] : tensor<?x?x?xf32> to tensor<?xf32>
  %s = tensor.extract_slice %t[0, 0, 0] [1, %n, 1] [2, 1, 1] : tensor<?x?x?xf32> to tensor<1x?x1xf32>
  return %r, %s : tensor<?xf32>, tensor<1x?x1xf32>
}

// A constant among the sizes may be dropped by nobody, its extent is dynamic.
// CHECK-LABEL: func.func @constant(
// CHECK:         tensor.extract_slice {{.*}} [1, %c1, %{{.*}}, 1] {{.*}} to tensor<?x?xf32>
func.func @constant(%t: tensor<?x?x?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %r = tensor.extract_slice %t[0, 0, 0, 0] [1, %c1, %n, 1] [1, 1, 1, 1] : tensor<?x?x?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Of those side by side, none is made of the constant, so it becomes part of the type.
// CHECK-LABEL: func.func @other_constant(
// CHECK:         tensor.extract_slice {{.*}} [4, 1, 1, %{{.*}}] {{.*}} to tensor<4x1x?xf32>
// CHECK:         tensor.insert_slice {{.*}} [4, 1, 1, 5] {{.*}} : tensor<4x1x5xf32> into
func.func @other_constant(%t: tensor<?x?x?x?xf32>, %s: tensor<?x1x5xf32>, %n: index) -> (tensor<?x1x?xf32>, tensor<?x?x?x?xf32>) {
  %c4 = arith.constant 4 : index
  %r = tensor.extract_slice %t[0, 0, 0, 0] [%c4, 1, 1, %n] [1, 1, 1, 1] : tensor<?x?x?x?xf32> to tensor<?x1x?xf32>
  %q = tensor.insert_slice %s into %t[0, 0, 0, 0] [%c4, 1, 1, 5] [1, 1, 1, 1] : tensor<?x1x5xf32> into tensor<?x?x?x?xf32>
  return %r, %q : tensor<?x1x?xf32>, tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @insertion(
// CHECK-SAME:    %[[S:.*]]: tensor<1x?xf32>,
// CHECK:         %[[LESS:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]] : tensor<1x?xf32> into tensor<?xf32>
// CHECK:         tensor.insert_slice %[[LESS]] into %{{.*}}[0, 0, 0] [1, %{{.*}}, 1] [1, 1, 1] : tensor<?xf32> into tensor<?x?x?xf32>
func.func @insertion(%s: tensor<1x?xf32>, %t: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %r = tensor.insert_slice %s into %t[0, 0, 0] [1, %n, 1] [1, 1, 1] : tensor<1x?xf32> into tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @in_parallel(
// CHECK:         scf.forall
// CHECK:           %[[LESS:.*]] = tensor.collapse_shape
// CHECK:           scf.forall.in_parallel {
// CHECK:             tensor.parallel_insert_slice %[[LESS]] into
func.func @in_parallel(%s: tensor<?x1xf32>, %t: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> tensor<?x?x?xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0, 0] [1, %n, 1] [1, 1, 1] : tensor<?x1xf32> into tensor<?x?x?xf32>
    }
  }
  return %r : tensor<?x?x?xf32>
}

// -----

// Steps have changed the strides by which upstream looks.
// CHECK-LABEL: func.func @steps(
// CHECK:         %[[PART:.*]] = memref.subview {{.*}} [1, %{{.*}}, 1] [3, 1, 1] : memref<7x5x3xf32> to memref<?xf32, strided<[3], offset: ?>>
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[PART]]
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [1, %{{.*}}], strides: [45, 3]
func.func @steps(%m: memref<7x5x3xf32>, %o: index, %n: index) -> memref<1x?xf32, strided<[45, 3], offset: ?>> {
  %r = memref.subview %m[%o, 0, %o] [1, %n, 1] [3, 1, 1] : memref<7x5x3xf32> to memref<1x?xf32, strided<[45, 3], offset: ?>>
  return %r : memref<1x?xf32, strided<[45, 3], offset: ?>>
}

// -----

// CHECK-LABEL: func.func @other_strides(
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [4], strides: [%{{.*}}]
func.func @other_strides(%m: memref<4xf32, strided<[?]>>, %s: index) -> memref<4xf32, strided<[?]>> {
  %r = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [%s]
    : memref<4xf32, strided<[?]>> to memref<4xf32, strided<[?]>>
  return %r : memref<4xf32, strided<[?]>>
}

// Still: where all is known by type.
// CHECK-LABEL: func.func @same_strides(
// CHECK-NEXT:    return %arg0
func.func @same_strides(%m: memref<4xf32, strided<[2]>>) -> memref<4xf32, strided<[2]>> {
  %r = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [2]
    : memref<4xf32, strided<[2]>> to memref<4xf32, strided<[2]>>
  return %r : memref<4xf32, strided<[2]>>
}

// -----

// CHECK-LABEL: func.func @negative_size(
// CHECK:         sizes: [%{{.*}}]
func.func @negative_size(%m: memref<?xf32>, %p: i1) {
  %c = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  scf.if %p {
    %r = memref.reinterpret_cast %m to offset: [%c0], sizes: [%c], strides: [1]
      : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %v = memref.load %r[%c0] : memref<?xf32, strided<[1], offset: ?>>
    memref.store %v, %m[%c0] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @not_contiguous(
// CHECK:         memref.cast
// CHECK:         memref.collapse_shape
func.func @not_contiguous(%m: memref<2x3xf32, strided<[10, 1]>>) -> memref<?xf32, strided<[?]>> {
  %c = memref.cast %m : memref<2x3xf32, strided<[10, 1]>> to memref<?x?xf32, strided<[?, ?]>>
  %r = memref.collapse_shape %c [[0, 1]] : memref<?x?xf32, strided<[?, ?]>> into memref<?xf32, strided<[?]>>
  return %r : memref<?xf32, strided<[?]>>
}

// Still: what is contiguous.
// CHECK-LABEL: func.func @contiguous(
// CHECK:         memref.collapse_shape %arg0 {{.*}} : memref<2x3xf32> into memref<6xf32>
func.func @contiguous(%m: memref<2x3xf32>) -> memref<?xf32> {
  %c = memref.cast %m : memref<2x3xf32> to memref<?x?xf32>
  %r = memref.collapse_shape %c [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  return %r : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @written(
// CHECK:         memref.store
// CHECK:         memref.load
func.func @written(%t: tensor<4xf32>, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  memref.store %v, %m[%c0] : memref<4xf32>
  %x = memref.load %m[%c0] : memref<4xf32>
  return %x : f32
}

// Still: what nobody writes to.
// CHECK-LABEL: func.func @read_only(
// CHECK:         tensor.extract
func.func @read_only(%t: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %m = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32>
  %x = memref.load %m[%c0] : memref<4xf32>
  return %x : f32
}

// -----

// CHECK-LABEL: func.func @no_cases(
// CHECK:         return
func.func @no_cases(%f: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  cf.br ^bb2
^bb1:
  cf.switch %f : i32, [
    default: ^bb3(%c3 : i32),
    1: ^bb3(%c4 : i32)
  ]
^bb2:
  cf.switch %f : i32, [
    default: ^bb1
  ]
^bb3(%y: i32):
  return %y : i32
}

// -----

// Bufferization would say that 0 times a dynamic extent is 0, and refuse it.
// CHECK-LABEL: func.func @collapse_nothing(
// CHECK-NOT:     collapse_shape
// CHECK:         tensor.empty() : tensor<0xf32>
func.func @collapse_nothing(%t: tensor<0x?xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %t [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @collapse_beside_nothing(
// CHECK:         %[[A:.*]] = tensor.dim %arg0, %c1
// CHECK:         %[[B:.*]] = tensor.dim %arg0, %c2
// CHECK:         %[[N:.*]] = arith.muli %[[A]], %[[B]]
// CHECK:         tensor.empty(%[[N]]) : tensor<2x?x0xf32>
func.func @collapse_beside_nothing(%t: tensor<2x?x?x0xf32>) -> tensor<2x?x0xf32> {
  %r = tensor.collapse_shape %t [[0], [1, 2], [3]] : tensor<2x?x?x0xf32> into tensor<2x?x0xf32>
  return %r : tensor<2x?x0xf32>
}

// The source of the cast is too small: the view is not reached.
// CHECK-LABEL: func.func @outside(
// CHECK:         %[[CAST:.*]] = memref.cast
// CHECK:         memref.subview %[[CAST]][2, 0] [4, %{{.*}}] [3, 1]
func.func @outside(%t: memref<1x7xf32>, %n: index) -> memref<4x?xf32, strided<[?, 1], offset: ?>> {
  %c = memref.cast %t : memref<1x7xf32> to memref<?x?xf32>
  %r = memref.subview %c[2, 0] [4, %n] [3, 1] : memref<?x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  return %r : memref<4x?xf32, strided<[?, 1], offset: ?>>
}

// -----

// Must not fire: a slice of 3 does not lie in a tensor of 1, which a check tells
// before.
// CHECK-LABEL: func.func @beyond_source(
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}}[0] [%{{.*}}] [1] : tensor<1xf32> to tensor<?xf32>
// CHECK-NEXT:    tensor.cast %[[PART]] : tensor<?xf32> to tensor<3xf32>
func.func @beyond_source(%x: tensor<1xf32>, %n: index) -> tensor<3xf32> {
  %part = tensor.extract_slice %x[0] [%n] [1] : tensor<1xf32> to tensor<?xf32>
  %r = tensor.cast %part : tensor<?xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @within_source(
// CHECK-NEXT:    tensor.extract_slice %{{.*}}[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
// CHECK-NEXT:    return
func.func @within_source(%x: tensor<4xf32>, %n: index) -> tensor<3xf32> {
  %part = tensor.extract_slice %x[1] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %r = tensor.cast %part : tensor<?xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}
