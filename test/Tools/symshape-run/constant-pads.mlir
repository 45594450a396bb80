// RUN: symshape-run %s --input=2xi32=iota | FileCheck %s
// RUN: symshape-report %s | FileCheck %s --check-prefix=REPORT

// Upstream's verifier refuses a pad by a shape that is joined from constants.
// CHECK: 5xi32: [7, 0, 1, 7, 7]
// REPORT: result #0: tensor<5xi32>
func.func @main(%x: tensor<2xi32>) -> tensor<5xi32> {
  %v = "tosa.const"() <{values = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
  %a = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %p = tosa.concat_shape %a, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.pad %x, %p, %v : (tensor<2xi32>, !tosa.shape<2>, tensor<1xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
