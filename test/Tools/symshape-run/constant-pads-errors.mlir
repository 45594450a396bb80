// RUN: not symshape-run %s --input=2xi32=iota 2>&1 | FileCheck %s

// Negative: read again once the numbers are known, a declared result is judged by them.
// CHECK: constant-pads-errors.mlir:[[@LINE+6]]:8: error: 'tosa.pad' op mismatch in output shape at dimension 0: expected 2 + 1 + 2 = 5, but got 6
func.func @main(%x: tensor<2xi32>) -> tensor<6xi32> {
  %v = "tosa.const"() <{values = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
  %a = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %p = tosa.concat_shape %a, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.pad %x, %p, %v : (tensor<2xi32>, !tosa.shape<2>, tensor<1xi32>) -> tensor<6xi32>
  return %r : tensor<6xi32>
}
