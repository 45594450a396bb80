// RUN: symshape-run %s --entry=pool --input=1x2x4x2xf32=iota --input=index=0 --input=index=2 | FileCheck %s
// RUN: symshape-run %s --entry=pool --input=1x1x4x2xf32=iota --input=index=0 --input=index=2 | FileCheck %s
// RUN: symshape-run %s --entry=convolve --input=2xf32=iota --input=3xf32=iota --input=index=0 | FileCheck %s --check-prefix=CONV
// RUN: not symshape-run %s --entry=pool --input=1x2x4x2xf32=iota --input=index=1 --input=index=2 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not symshape-run %s --entry=tosa --input=1x2x4x2xf32=iota 2>&1 | FileCheck %s --check-prefix=TOSA

// A window that is larger than its input: linalg has as many as the result has
// room for, which may be none.
// CHECK: 1x0x2x2xf32: []
// ONE:   needed by linalg.pooling_nhwc_max
func.func @pool(%x: tensor<1x?x?x2xf32>, %rows: index, %columns: index) -> tensor<1x?x?x2xf32> {
  %window = tensor.empty() : tensor<3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%rows, %columns) : tensor<1x?x?x2xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
  %r = linalg.pooling_nhwc_max ins(%x, %window : tensor<1x?x?x2xf32>, tensor<3x3xf32>) outs(%i : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
  return %r : tensor<1x?x?x2xf32>
}

// CONV: 0xf32: []
func.func @convolve(%x: tensor<?xf32>, %w: tensor<?xf32>, %count: index) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%count) : tensor<?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%i : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// TOSA has no result of extent 0: its specification refuses the window.
// TOSA:      guard failed: extent of %x dim 1 ({{.*}} = 2) must be at least 3
// TOSA-NEXT: needed by tosa.max_pool2d {{.*}} (kernel in height)
func.func @tosa(%x: tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32> {
  %r = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>}
      : (tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
  return %r : tensor<1x?x?x2xf32>
}
