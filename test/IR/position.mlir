// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @iotas(
// SHAPES-LABEL: func.func @iotas(
func.func @iotas(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> (tensor<?xi64>, tensor<4xindex>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // CHECK: symshape.iota [1, %{{.*}}, 2] : tensor<?xi64>
  // SHAPES: symshape.iota {{.*}}symshape.extents = [#symshape.shape<[N floordiv 2]>]
  %0 = symshape.iota [1, %n, 2] : tensor<?xi64>
  // CHECK: symshape.iota [8, 0, -2] : tensor<4xindex>
  %1 = symshape.iota [8, 0, -2] : tensor<4xindex>
  return %0, %1 : tensor<?xi64>, tensor<4xindex>
}

// CHECK-LABEL: func.func @nonzero(
// SHAPES-LABEL: func.func @nonzero(
func.func @nonzero(%x: tensor<?x3xf32> {symshape.shape = #symshape.shape<[N, 3]>}) -> tensor<?x2xindex> {
  // CHECK: symshape.nonzero %{{.*}} : tensor<?x3xf32> to tensor<?x2xindex>
  // SHAPES: symshape.nonzero {{.*}}symshape.extents = [#symshape.shape<["<= 3*N", 2]>]
  %0 = symshape.nonzero %x : tensor<?x3xf32> to tensor<?x2xindex>
  return %0 : tensor<?x2xindex>
}
