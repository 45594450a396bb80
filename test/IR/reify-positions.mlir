// RUN: symshape-opt %s --resolve-shaped-type-result-dims | FileCheck %s
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(affine-simplify-min-max))' | FileCheck %s --check-prefix=BOUNDS

// The extent of iota, from its bounds.
// CHECK-LABEL: func.func @iota(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index, %[[S:.*]]: index)
// CHECK:         %[[C:.*]] = symshape.size "max(0, (limit - start) ceildiv step)" (limit = %[[B]], start = %[[A]], step = %[[S]])
// CHECK:         return %[[C]]
func.func @iota(%a: index, %b: index, %s: index) -> index {
  %c0 = arith.constant 0 : index
  %r = symshape.iota [%a, %b, %s] : tensor<?xi64>
  %d = tensor.dim %r, %c0 : tensor<?xi64>
  return %d : index
}

// Constants are written as they are; a negative step counts down.
// CHECK-LABEL: func.func @iota_of_constants(
// CHECK-SAME:    %[[B:.*]]: index)
// CHECK:         symshape.size "max(0, ((-3) - start) ceildiv (-2))" (start = %[[B]])
func.func @iota_of_constants(%b: index) -> index {
  %c0 = arith.constant 0 : index
  %r = symshape.iota [%b, -3, -2] : tensor<?xi32>
  %d = tensor.dim %r, %c0 : tensor<?xi32>
  return %d : index
}

// Must not fire: how many elements are not zero is known after the op.
// CHECK-LABEL: func.func @nonzero(
// CHECK:         %[[R:.*]] = symshape.nonzero
// CHECK:         %[[D:.*]] = tensor.dim %[[R]], %{{.*}}
// CHECK:         return %[[D]]
func.func @nonzero(%x: tensor<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %r = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x2xindex>
  %d = tensor.dim %r, %c0 : tensor<?x2xindex>
  return %d : index
}

// What bounds the rows reaches a stock pass: at least 0, at most the elements.
// BOUNDS-LABEL: func.func @bounds_of_nonzero(
// BOUNDS-NOT:     affine.m
// BOUNDS:         return
func.func @bounds_of_nonzero(%x: tensor<?x3xf32>, %y: tensor<2x3xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = symshape.nonzero %x : tensor<?x3xf32> to tensor<?x?xindex>
  %s = symshape.nonzero %y : tensor<2x3xf32> to tensor<?x?xindex>
  %d = tensor.dim %r, %c0 : tensor<?x?xindex>
  %e = tensor.dim %s, %c0 : tensor<?x?xindex>
  %k = tensor.dim %s, %c1 : tensor<?x?xindex>
  %m0 = affine.max affine_map<(d0) -> (d0, 0)>(%d)
  %m2 = affine.min affine_map<(d0) -> (d0, 6)>(%e)
  %m3 = affine.min affine_map<(d0) -> (d0, 2)>(%k)
  return %m0, %m2, %m3 : index, index, index
}

// Must not fire: of two extents that are not known, the product is not affine.
// BOUNDS-LABEL: func.func @product(
// BOUNDS:         affine.min
func.func @product(%x: tensor<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x2xindex>
  %d = tensor.dim %r, %c0 : tensor<?x2xindex>
  %m = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%d)[%n]
  return %m : index
}
