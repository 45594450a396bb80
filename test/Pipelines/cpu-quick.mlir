// RUN: symshape-opt %s --symshape-cpu=quick | FileCheck %s
// RUN: symshape-run %s --compile=quick --input=2x3xf32=iota --input=3x40xf32=iota --input=40x5xf32=iota | FileCheck %s --check-prefix=SUMS
// RUN: not symshape-run %s --compile=quick --input=2x3xf32=iota --input=4x40xf32=iota --input=40x5xf32=iota 2>&1 | FileCheck %s --check-prefix=GUARD

// Layers of two widths share their code, which multiplies in one kind of tile; checks
// are where they are in any code.
// CHECK-DAG:   llvm.func @main.guard(
// CHECK:       llvm.func @main(
// CHECK:         llvm.call @[[LAYER:symshape.shared.[0-9]+]](
// CHECK:         llvm.call @[[LAYER]](
// CHECK:       llvm.func @_mlir_ciface_main(
// CHECK-DAG:   llvm.func @[[LAYER]](
// CHECK-DAG:   llvm.func @symshape.tile.f32.f32.f32.
// CHECK-NOT:   func @symshape.tile
// CHECK-NOT:   @symshape.stream
func.func @main(%x: tensor<?x3xf32>, %v: tensor<?x40xf32>, %w: tensor<40x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x40xf32>
  %f = tensor.empty(%m) : tensor<?x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %t = linalg.fill ins(%zero : f32) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<?x3xf32>, tensor<?x40xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<?x40xf32>, tensor<40x5xf32>) outs(%t : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}

// SUMS: 2x5xf32: {{\[\[}}1088100, 1098440, 1108780, 1119120, 1129460], [3416400, 3448160, 3479920, 3511680, 3543440]]
// GUARD: guard failed: 3 must equal extent of %v dim 0

// Must not fire: nothing is packed before the call.
// CHECK-NOT:   @weights.prepare
func.func @weights(%x: tensor<?x64xf32>, %w: tensor<64x64xf32> {symshape.weight = "w"}) -> tensor<?x64xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
