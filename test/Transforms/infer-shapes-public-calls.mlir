// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --symshape-infer-shapes | FileCheck %s --check-prefix=GUARDED

// A public function keeps its signature for calls from outside. Where the module calls it too, stock inlining would
// lose what it declares.
// CHECK:      func.func @called(
// CHECK-SAME:   symshape.shape
// CHECK-SAME:   no_inline
func.func @called(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[8 * K]>}) -> tensor<?xf32> {
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Must not fire: nobody here calls it, or it declares nothing.
// CHECK:     func.func @alone(
// CHECK-NOT: no_inline
func.func @alone(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[8 * K]>}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

func.func @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// Once guards are inserted, the function checks by itself.
// GUARDED:     func.func @main(
// GUARDED-NOT: no_inline
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = call @called(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = call @plain(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}
