// The plug-in in stock mlir-opt: dialect, attributes and passes.
// REQUIRES: plugin
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(symshape-infer-shapes)' | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(symshape-pad-to-static,symshape-hoist-allocations{max-bytes=64},symshape-remove-masks)' \
// RUN:   | FileCheck %s --check-prefix=LOOPS

// A dim that is proved constant becomes static.
// CHECK-LABEL: func.func @pad_to_eight(
// CHECK: tensor.pad
// CHECK: tensor<?x4xf32> to tensor<?x8xf32>
func.func @pad_to_eight(%t: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %t low[0, %c2] high[0, %c2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Its passes take options.
// LOOPS-LABEL: func.func @one_buffer(
// LOOPS:         memref.alloc() : memref<16xf32>
// LOOPS:         scf.for
func.func @one_buffer(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c1 {
    %size = arith.minsi %i, %c16 : index
    %t = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
  }
  return
}
