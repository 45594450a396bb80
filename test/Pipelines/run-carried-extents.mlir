// What a loop carries changes one extent: the results are those of the turns
// that were made, and an access behind the end is refused.

// RUN: symshape-run %s --input=7x3xf32=zeros --input=index=1 --input=index=3 | FileCheck %s --check-prefix=ONE
// ONE: index: 4
// ONE: f32: 2
// RUN: symshape-run %s --input=7x3xf32=zeros --input=index=0 --input=index=6 | FileCheck %s --check-prefix=NONE
// NONE: index: 7
// NONE: f32: 0
// RUN: not symshape-run %s --input=7x3xf32=zeros --input=index=1 --input=index=6 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: needed by tensor.extract

func.func @main(%t: tensor<?x?xf32>, %n: index, %row: index) -> (index, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?x?xf32> {
    %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%d1) : tensor<4x?xf32>
    %filled = linalg.fill ins(%two : f32) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
    %next = tensor.cast %filled : tensor<4x?xf32> to tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?x?xf32>
  %v = tensor.extract %r[%row, %c0] : tensor<?x?xf32>
  return %d, %v : index, f32
}
