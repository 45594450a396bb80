// RUN: symshape-opt %s --symshape-canonicalize | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s
// RUN: symshape-opt %s --symshape-discharge | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s
// RUN: symshape-opt %s --symshape-fixate=function=inner | FileCheck %s
// RUN: symshape-opt %s --symshape-remove-masks | FileCheck %s
// RUN: symshape-opt %s --symshape-pad-to-static | FileCheck %s
// RUN: symshape-opt %s --symshape-hoist-invariants | FileCheck %s
// RUN: symshape-opt %s --symshape-specialize-calls | FileCheck %s
// RUN: symshape-opt %s --symshape-convert-elementwise | FileCheck %s
// RUN: symshape-opt %s --symshape-widen-integers | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-divisions | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-batches | FileCheck %s
// RUN: symshape-opt %s --symshape-fold-transposes | FileCheck %s
// RUN: symshape-opt %s --symshape-fuse-elementwise | FileCheck %s
// RUN: symshape-opt %s --symshape-form-dot-products | FileCheck %s
// RUN: symshape-opt %s --symshape-form-contractions | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-structured-ops | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-small-floats | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-pads | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-tensor-ops | FileCheck %s
// RUN: symshape-opt %s --symshape-prepare-bufferization | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-packs | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-winograd | FileCheck %s
// RUN: symshape-opt %s --symshape-allocate-workspaces | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-windows | FileCheck %s

// A reshape of no elements to [0, %b] and back is not its source, whose second extent
// may be another: each pass that rewrites with upstream's patterns, alone. Beside it
// stands what the passes look for: a convolution, divisions, functions of math.

#x = affine_map<(n, f, h, w, c, i, j) -> (n, c, h * 2 + i, w * 2 + j)>
#w = affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>
#y = affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>

// CHECK-LABEL: func.func @outer(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<0x?xf32>
// CHECK-NOT:     return %[[X]]
func.func @outer(%x: tensor<0x?xf32>, %b: index, %image: tensor<?x3x?x?xf32>, %weights: tensor<16x3x3x3xf32>,
                 %to: tensor<?x16x?x?xf32>, %i: tensor<?xi32>, %j: index) -> (tensor<0x?xf32>, tensor<?x16x?x?xf32>, tensor<?xi32>, index, f32) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [0, %b] : tensor<?xf32> into tensor<0x?xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%to : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %2 = linalg.generic {indexing_maps = [#x, #w, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %weights : tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) outs(%f : tensor<?x16x?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x16x?x?xf32>
  %3 = arith.divsi %i, %i : tensor<?xi32>
  %4 = arith.floordivsi %j, %b : index
  %5 = math.exp %zero : f32
  return %1, %2, %3, %4, %5 : tensor<0x?xf32>, tensor<?x16x?x?xf32>, tensor<?xi32>, index, f32
}

// The same of the inner extent, and of a part of the shape.
// CHECK-LABEL: func.func @inner(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x0xf32>
// CHECK-NOT:     return %[[X]]
func.func @inner(%x: tensor<?x0xf32>, %b: index) -> tensor<?x0xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x0xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%b, 0] : tensor<?xf32> into tensor<?x0xf32>
  return %1 : tensor<?x0xf32>
}

// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x?x0xf32>
// CHECK-NOT:     return %[[X]]
func.func @part(%x: tensor<4x?x0xf32>, %b: index) -> tensor<4x?x0xf32> {
  %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x?x0xf32> into tensor<4x?xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [4, %b, 0] : tensor<4x?xf32> into tensor<4x?x0xf32>
  return %1 : tensor<4x?x0xf32>
}

// Must not fire.
// CHECK-LABEL: func.func @of_elements(
func.func @of_elements(%x: tensor<4x?xf32>, %b: index) -> tensor<4x?xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, %b] : tensor<?xf32> into tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}
