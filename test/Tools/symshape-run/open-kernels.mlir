// Upstream's verifier computes with an open extent of the kernel as if it were a
// number. Input and result say that it is 3: (2 - 1) * 2 + 3 is 5.

// RUN: symshape-run %s --input=1x2x3x1xf32=iota --input=1x3x2x1xf32=iota | FileCheck %s
// RUN: not symshape-run %s --input=1x2x3x1xf32=iota --input=1x2x2x1xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: 1x5x4x1xf32: {{\[\[\[}}[0], [0], [1], [2]], {{\[}}[0], [2], [7], [6]],
// OTHER: (s1 = 2) must equal 3
func.func @main(%x: tensor<1x2x?x1xf32>, %w: tensor<1x?x2x1xf32>) -> tensor<1x5x?x1xf32> {
  %b = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>}
      : (tensor<1x2x?x1xf32>, tensor<1x?x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x?x1xf32>
  return %y : tensor<1x5x?x1xf32>
}
