// RUN: symshape-run %s --input=2x3xi8=iota | FileCheck %s
// RUN: not symshape-run %s --input=2x4xi8=iota 2>&1 | FileCheck %s --check-prefix=OTHER

// Upstream's verifier refuses multipliers per channel, of an open number of channels.
// CHECK: 2x3xi8: {{\[\[}}0, 2, 6], [3, 8, 15]]
// OTHER: (s1 = 4) must equal 3
func.func @main(%x: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %m = "tosa.const"() <{values = dense<[1073741824, 1073741824, 1610612736]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %s = "tosa.const"() <{values = dense<[30, 29, 29]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?x?xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}
