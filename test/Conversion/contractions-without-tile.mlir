// RUN: symshape-opt %s --symshape-form-contractions=tile=false | FileCheck %s --check-prefix=FORM
// RUN: symshape-opt %s --symshape-allocate-workspaces --symshape-lower-winograd --symshape-lower-contractions --symshape-share-ops | FileCheck %s --check-prefix=STAY

// A target that says nothing of tiles gets contractions without one.
// FORM-LABEL: func.func @form(
// FORM-NOT: linalg.pack
// FORM: symshape_kernel.contract ins({{.*}} : tensor<?x8xf32>, tensor<8x96xf32>) outs({{.*}}) attributes {maps = [{{[^]]*}}]} {
func.func @form(%a: tensor<?x8xf32>, %b: tensor<8x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x96xf32>) outs(%start : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}

// The passes of CPUs leave it.
// STAY-LABEL: func.func @stay(
// STAY: symshape_kernel.contract ins({{.*}} : memref<?x8xf32>, memref<8x?xf32>) outs({{.*}}) attributes {maps = [{{[^]]*}}]} {
func.func @stay(%a: memref<?x8xf32>, %b: memref<8x?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x8xf32>, memref<8x?xf32>) outs(%c : memref<?x?xf32>)
      attributes {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
