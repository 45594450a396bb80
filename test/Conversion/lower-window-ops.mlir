// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lower-tensor-ops,canonicalize))' | FileCheck %s

// Positive: constants make it a copy of the padded image by affine maps.
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + d2 * 3, d3)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @constants(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x?x4xf32>
// CHECK-NOT:     tensor.generate
// CHECK:         %[[P:.*]] = tensor.pad %[[X]] low[0, 1, 0] high[0, {{2|%.*}}, 0]
// CHECK:         linalg.generic {indexing_maps = [#[[$IN]], #[[$OUT]]]{{.*}} ins(%[[P]]
func.func @constants(%x: tensor<?x?x4xf32>, %v: f32) -> tensor<?x?x2x4xf32> {
  %two = arith.constant 2 : index
  %r = symshape.windows %x, %v kernel [2] low [1] high [%two] stride [%two] dilation [3] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x2x4xf32>
  return %r : tensor<?x?x2x4xf32>
}

// Must not fire: without a border there is nothing to pad.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.generic
func.func @inside(%x: tensor<?x?x4xf32>, %v: f32, %k: index) -> tensor<?x?x?x4xf32> {
  %r = symshape.windows %x, %v kernel [%k] low [0] high [0] stride [2] dilation [3] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x?x4xf32>
  return %r : tensor<?x?x?x4xf32>
}

// Values, a spread or a cropped border: each element looks for its place.
// CHECK-LABEL: func.func @values(
// CHECK-COUNT-3: tensor.generate
// CHECK-NOT:     linalg.generic
func.func @values(%x: tensor<?x?x4xf32>, %v: f32, %s: index)
    -> (tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) {
  %0 = symshape.windows %x, %v kernel [2] low [1] high [2] stride [%s] dilation [3] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x2x4xf32>
  %1 = symshape.windows %x, %v kernel [2] low [1] high [2] stride [1] dilation [3] spread [2]
      : tensor<?x?x4xf32> to tensor<?x?x2x4xf32>
  %2 = symshape.windows %x, %v kernel [2] low [-1] high [2] stride [1] dilation [3] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x2x4xf32>
  return %0, %1, %2 : tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>
}
