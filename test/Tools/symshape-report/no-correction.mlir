// RUN: not symshape-report %s --fix=%t.mlir 2>&1 | FileCheck %s --implicit-check-not "to accept it"
// RUN: not ls %t.mlir

// Negative: the op contradicts itself, whatever is declared.
// CHECK: error: requirement can never hold: N + 1 must equal 4
// CHECK: note: needed by tensor.cast
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, N + 1]>}) -> tensor<4x4xf32> {
  %c = tensor.cast %x : tensor<?x?xf32> to tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
