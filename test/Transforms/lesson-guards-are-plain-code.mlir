// RUN: symshape-opt %s --symshape-insert-guards --canonicalize --cse | FileCheck %s

// A guard neither allocates nor calls, and computes a product that several
// conditions share once.

// CHECK-LABEL: func.func @main.guard(
// CHECK-NOT:     alloc
// CHECK-NOT:     call
// CHECK-COUNT-1: arith.muli
// CHECK-NOT:     arith.muli
// CHECK-NOT:     alloc
// CHECK-NOT:     call
// CHECK:         return
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                %z: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = linalg.add ins(%f, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %f, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %z[2] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
