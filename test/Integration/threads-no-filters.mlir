// A convolution without filters hands out no panels: nothing is divided by their number.

// RUN: symshape-run %s --input=1x5x5x3xf64=iota --input=0x3x3x3xf64=iota --input=1x2x1x0xf64=iota --threads=2 | FileCheck %s
// RUN: symshape-run %s --input=1x5x5x3xf64=iota --input=0x3x3x3xf64=iota --input=1x2x1x0xf64=iota --threads=2 --compile=quick | FileCheck %s
// RUN: symshape-run %s --input=0x5x5x3xf64=iota --input=0x3x3x3xf64=iota --input=0x2x1x0xf64=iota --threads=2 | FileCheck %s --check-prefix=BATCH
// RUN: symshape-run %s --input=1x5x5x0xf64=iota --input=0x3x3x0xf64=iota --input=1x2x1x0xf64=iota --threads=2 | FileCheck %s
// CHECK: 1x2x1x0xf64: []
// BATCH: 0x2x1x0xf64: []

func.func @main(%x: tensor<?x?x?x?xf64>, %k: tensor<?x?x?x?xf64>, %o: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %r = linalg.conv_2d_nhwc_fhwc {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %k : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) outs(%o : tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  return %r : tensor<?x?x?x?xf64>
}
