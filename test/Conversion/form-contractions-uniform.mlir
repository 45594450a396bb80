// RUN: symshape-opt %s --symshape-form-contractions='uniform vector-registers=12' --canonicalize | FileCheck %s

// Columns that are no neighbours and those of weights are read as they lie, and 48 columns
// get the tile of any other number.
// CHECK-LABEL: func.func @as_they_lie(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<48x64xf32> {symshape.weight = "w"}
// CHECK-NOT:     linalg.pack
// CHECK:         symshape_kernel.contract ins(%[[X]], %[[W]]
// CHECK-SAME:      tile = #symshape_cpu.tile<rows = 4, columns = 32, lanes = 16, streams = 3, packing = by_panel>
func.func @as_they_lie(%x: tensor<?x64xf32>, %w: tensor<48x64xf32> {symshape.weight = "w"},
                       %o: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x64xf32>, tensor<48x64xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}

// The taps of a window are a loop of their own: joined with the channels, their loop would
// hold the number of these, and images of other channels other code.
// CHECK-LABEL: func.func @taps(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         symshape_kernel.contract ins(%{{.*}}, %{{.*}} : tensor<?x?x?x8xf32>, tensor<3x3x8x32xf32>)
func.func @taps(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x32xf32>, %o: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x8xf32>, tensor<3x3x8x32xf32>)
      outs(%z : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}
