// RUN: symshape-opt %s --symshape-cpu="cpu=x86-64-v4" | FileCheck %s
// RUN: symshape-opt %s --symshape-cpu="cpu=x86-64-v3" | FileCheck %s --check-prefix=NARROW

// With AVX-512, codes of up to 4 bits are the places of their numbers in a vector.
// CHECK-LABEL: llvm.func @symshape.tile.f32.i8.f32.{{.*}}.codes4x32.f32(
// CHECK:         llvm.mlir.constant(dense<[-8.000000e+00, -7.000000e+00, {{.*}}, 7.000000e+00]>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK-LABEL: llvm.func @symshape.tile.f32.i8.f32.{{.*}}.codes8x32.f32(
// CHECK-NOT:     permvar
// NARROW-NOT:    permvar
func.func @main(%x: tensor<?x64xf32>, %q: tensor<100x32xi8> {symshape.weight = "q"}, %r: tensor<100x64xi8> {symshape.weight = "r"},
                %s: tensor<100x2xf32> {symshape.weight = "s"}) -> (tensor<?x100xf32>, tensor<?x100xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x100xf32>) -> tensor<?x100xf32>
  %v = symshape.dequantize %q scales %s bits 4 block 32 : tensor<100x32xi8>, tensor<100x2xf32> to tensor<100x64xf32>
  %w = symshape.dequantize %r scales %s bits 8 block 32 : tensor<100x64xi8>, tensor<100x2xf32> to tensor<100x64xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %v : tensor<?x64xf32>, tensor<100x64xf32>) outs(%f : tensor<?x100xf32>) -> tensor<?x100xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<?x64xf32>, tensor<100x64xf32>) outs(%f : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %0, %1 : tensor<?x100xf32>, tensor<?x100xf32>
}
