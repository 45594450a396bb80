// RUN: not symshape-run %s --input=2xf32=iota --input=2xf32=iota 2>&1 | FileCheck %s
// RUN: not symshape-report %s 2>&1 | FileCheck %s

// Upstream's verifier refuses a pad by numbers that are computed, and does not say so.
// CHECK: silent-verifier.mlir:[[@LINE+8]]:8: error: 'tosa.pad' op is refused by its verifier, which does not say why
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // What is padded with.
  %v = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %o = tosa.const_shape {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %p = tosa.concat_shape %o, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  // Refused.
  %r = tosa.pad %x, %p, %v : (tensor<?xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
