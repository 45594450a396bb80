// RUN: audio-opt %s --symshape-grad=function=weigh -o %t.grad.mlir
// RUN: FileCheck %s < %t.grad.mlir
// RUN: audio-opt %t.grad.mlir --symshape-insert-guards --audio-to-linalg -o %t.mlir
// RUN: symshape-run %t.mlir --entry=weigh.grad --input=11xf32=iota --input=4xf32=iota | FileCheck %s --check-prefix=GRAD
// RUN: audio-opt %t.grad.mlir --symshape-jvp=function=weigh.grad --symshape-insert-guards --audio-to-linalg -o %t.jvp.mlir
// RUN: symshape-run %t.jvp.mlir --entry=weigh.grad.jvp --input=5xf32=iota --input=4xf32=iota --input=5xf32=iota --input=4xf32=iota | FileCheck %s --check-prefix=HESSIAN

// The gradient adds up what each frame took of the signal.
// CHECK-LABEL: func.func private @weigh.transpose(
// CHECK:         audio.overlap_add
// GRAD:      f32: 96
// GRAD-NEXT: 11xf32: [0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 0]
// GRAD-NEXT: 4xf32: [9, 12, 15, 18]

// Of sum_ij x[3 i + j] w[j], with one frame: the value 14, the gradients w and x; then
// their derivatives along (x, w), twice the value and the same gradients again.
// HESSIAN:      f32: 14
// HESSIAN-NEXT: 5xf32: [0, 1, 2, 3, 0]
// HESSIAN-NEXT: 4xf32: [0, 1, 2, 3]
// HESSIAN-NEXT: f32: 28
// HESSIAN-NEXT: 5xf32: [0, 1, 2, 3, 0]
// HESSIAN-NEXT: 4xf32: [0, 1, 2, 3]
func.func @weigh(%signal: tensor<?xf32>, %weights: tensor<4xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %frames = audio.frames %signal window 4 hop 3 : tensor<?xf32> to tensor<?x4xf32>
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%frames, %weights : tensor<?x4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %product = arith.mulf %x, %w : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %result = tensor.extract %sum[] : tensor<f32>
  return %result : f32
}
