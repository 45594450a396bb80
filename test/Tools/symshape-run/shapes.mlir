// Shapes of TOSA that a function gives are vectors of 64-bit integers, in files too.

// REQUIRES: numpy
// RUN: symshape-run %s --entry=shapes --input=5x3xf32=zeros --guard-pages | FileCheck %s
// RUN: symshape-run %s --entry=shapes --input=5x3xf32=zeros --output=%t0.npy --output=%t1.npy --output=%t2.npy
// RUN: %python -c "import numpy as n; print([(a.dtype.str, a.shape, a.tolist()) for a in map(n.load, ['%t0.npy', '%t1.npy', '%t2.npy'])])" | FileCheck %s --check-prefix=FILES
// RUN: symshape-run %s --entry=shapes --input=0x1xf32=zeros --dynamic=auto | FileCheck %s --check-prefix=ZERO
// CHECK:      {{^}}2xindex: [15, 7]
// CHECK-NEXT: {{^}}0xindex: []
// CHECK-NEXT: {{^}}1xindex: [5]
// FILES: [('<i8', (2,), [15, 7]), ('<i8', (0,), []), ('<i8', (1,), [5])]
// ZERO:      {{^}}2xindex: [0, 7]
// ZERO-NEXT: {{^}}0xindex: []
// ZERO-NEXT: {{^}}1xindex: [0]
func.func @shapes(%x: tensor<?x?xf32>) -> (!tosa.shape<2>, !tosa.shape<0>, !tosa.shape<1>) {
  %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %1 = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %2 = tosa.mul_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %3 = tosa.const_shape {values = dense<[7]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %4 = tosa.concat_shape %2, %3 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %5 = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  return %4, %5, %0 : !tosa.shape<2>, !tosa.shape<0>, !tosa.shape<1>
}

// As an argument one says nothing of where it comes from.
// RUN: sh -c "symshape-run %s --entry=taken --input=2xi64=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN:      error: @taken: expected %s to be a ranked tensor or a scalar of type {{.*}}, but got !tosa.shape<2>
// TAKEN-NEXT: exit 1
func.func @taken(%s: !tosa.shape<2>) -> !tosa.shape<2> {
  return %s : !tosa.shape<2>
}
