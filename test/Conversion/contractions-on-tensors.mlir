// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-form-contractions,symshape-lower-contractions)' | FileCheck %s
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-form-contractions,symshape-allocate-workspaces,symshape-lower-contractions{parallel})' | FileCheck %s
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-form-contractions,symshape-lower-winograd)' | FileCheck %s

// Must not fire: what is lowered is on buffers.
// CHECK-LABEL: func.func @product(
// CHECK:         symshape_kernel.contract
// CHECK-NOT:     memref
// CHECK:         return
func.func @product(%a: tensor<?x8xf32>, %b: tensor<8x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
