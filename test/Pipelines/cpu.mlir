// RUN: symshape-opt %s --symshape-cpu=hoist-weights=false | FileCheck %s

// Down to the LLVM dialect: a C interface for the public function, a private one
// that stays a function, memory from the runtime.
// CHECK-DAG:   llvm.func @_mlir_memref_to_llvm_alloc(i64) -> !llvm.ptr
// CHECK-DAG:   llvm.func @layer({{.*}} attributes {{{.*}}sym_visibility = "private"
// CHECK-DAG:   llvm.func @main(
// CHECK-DAG:   llvm.func @_mlir_ciface_main(
// CHECK-NOT:   @_mlir_ciface_layer
func.func private @layer(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = call @layer(%x, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = call @layer(%0, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Functions of vectors that are calls for each element, and those of bf16 in f32.
// CHECK-LABEL: llvm.func @narrow(
// CHECK-NOT:     vector<{{.*}}bf16>
// CHECK:         llvm.zext {{.*}} : vector<3xi16> to vector<3xi32>
// CHECK-NOT:     llvm.call @erf
// CHECK-NOT:     vector<{{.*}}bf16>
// CHECK:         llvm.trunc {{.*}} : vector<3xi32> to vector<3xi16>
// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-3: llvm.call @erf(
func.func @narrow(%x: tensor<?x3xbf16>) -> tensor<?x3xbf16> {
  %0 = math.erf %x : tensor<?x3xbf16>
  return %0 : tensor<?x3xbf16>
}
func.func @wide(%x: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %0 = math.erf %x : tensor<?x3xf64>
  return %0 : tensor<?x3xf64>
}
