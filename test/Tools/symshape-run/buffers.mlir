// RUN: symshape-run %s --entry=rows --input=2x3xf32=iota | FileCheck %s --check-prefix=ROWS
// RUN: symshape-run %s --entry=rows --input='2x3xf32[1,2]=iota' | FileCheck %s --check-prefix=ROWS
// RUN: symshape-run %s --entry=rows --input='2x3xf32[7,2]=iota' --guard-pages | FileCheck %s --check-prefix=ROWS
// RUN: symshape-run %s --entry=rows --input='2x3xf32[0,1]=iota' | FileCheck %s --check-prefix=ONE
// RUN: symshape-run %s --entry=rows --input='0x3xf32[1,0]=iota' | FileCheck %s --check-prefix=NOTHING
// RUN: symshape-run %s --entry=rows --input='2x3xf32[9,1]=iota' --dynamic=never | FileCheck %s --check-prefix=ROWS
// RUN: symshape-run %s --entry=product --input='2x3xf32[1,2]=iota' --input='3x2xf32[5,1]=iota' | FileCheck %s --check-prefix=PRODUCT
// RUN: symshape-run %s --entry=product --input='2x3xf32[1,2]=iota' --input='3x2xf32[5,1]=iota' --dynamic=auto | FileCheck %s --check-prefix=PRODUCT
// RUN: symshape-run %s --entry=from --input='3xf32[2]=iota' | FileCheck %s --check-prefix=FROM
// RUN: symshape-run %s --entry=columns --input='2x3xf32[1,2]=iota' | FileCheck %s --check-prefix=COLUMNS

// A buffer is read where it lies.
// ROWS:    2xf32: [3, 12]
// ONE:     2xf32: [12, 12]
// NOTHING: 0xf32: []
func.func @rows(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>) -> tensor<?xf32> {
  %t = bufferization.to_tensor %a restrict : memref<?x?xf32, strided<[?, ?], offset: ?>> to tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce ins(%t : tensor<?x?xf32>) outs(%i : tensor<?xf32>) dimensions = [1] (%v: f32, %acc: f32) {
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// PRODUCT: 2x2xf32: {{\[\[}}10, 13], [28, 40]]
func.func @product(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32, strided<[?, 1], offset: ?>>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %n = memref.dim %b, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %s = bufferization.to_tensor %a restrict : memref<?x?xf32, strided<[?, ?], offset: ?>> to tensor<?x?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?x?xf32, strided<[?, 1], offset: ?>> to tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// An offset in the type is before the first element.
// FROM: f32: 3
func.func @from(%a: memref<?xf32, strided<[2], offset: 5>>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32, strided<[2], offset: 5>>
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {
    %v = memref.load %a[%i] : memref<?xf32, strided<[2], offset: 5>>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}

// COLUMNS: 3xf32: [0, 1, 2]
func.func @columns(%a: memref<?x?xf32, strided<[1, ?]>>) -> tensor<?xf32> {
  %row = memref.subview %a[0, 0] [1, 3] [1, 1] : memref<?x?xf32, strided<[1, ?]>> to memref<3xf32, strided<[?]>>
  %t = bufferization.to_tensor %row restrict : memref<3xf32, strided<[?]>> to tensor<3xf32>
  %r = tensor.cast %t : tensor<3xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// The type is a guard on the layout.
// RUN: not symshape-run %s --entry=columns --input=2x3xf32=iota 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: error: symshape: @columns: expected stride 1 of %a dim 0 (memref<?x?xf32, strided<[1, ?]>>), but got 3
// RUN: not symshape-run %s --entry=product --input=2x3xf32=iota --input='3x2xf32[1,3]=iota' 2>&1 | FileCheck %s --check-prefix=INNER
// INNER: error: symshape: @product: expected stride 1 of %b dim 1 (memref<?x?xf32, strided<[?, 1], offset: ?>>), but got 3
// RUN: not symshape-run %s --entry=dense --input='2x3xf32[1,2]=iota' 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: error: @dense: expected stride 3 of %x dim 0 (tensor<?x?xf32>), but got 1
func.func @dense(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// Strides along dims of one element matter to nobody.
// RUN: symshape-run %s --entry=dense --input='1x3xf32[9,1]=iota' | FileCheck %s --check-prefix=SINGLE
// SINGLE: 1x3xf32: {{\[\[}}0, 1, 2]]

// Inputs are only read.
// RUN: not symshape-run %s --entry=write --input=3xf32=iota 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: @write: expected the buffer %a to be only read, but 'memref.store' may write to it or keep it: return what is computed instead
func.func @write(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = func.call @inner(%a) : (memref<?xf32>) -> f32
  return %v : f32
}
func.func private @inner(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %view = memref.subview %a[1] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: 1>>
  memref.store %z, %view[%c0] : memref<1xf32, strided<[1], offset: 1>>
  return %z : f32
}

// RUN: not symshape-run %s --entry=copied --input=3xf32=iota 2>&1 | FileCheck %s --check-prefix=COPIED
// COPIED: error: @copied: expected the buffer %to to be only read, but 'memref.copy' may write to it
func.func @copied(%from: memref<?xf32>, %to: memref<?xf32>) -> f32 {
  memref.copy %from, %to : memref<?xf32> to memref<?xf32>
  %z = arith.constant 0.0 : f32
  return %z : f32
}

// What a tensor over the buffer is changed to is another buffer.
// RUN: symshape-run %s --entry=changed --input=3xf32=iota | FileCheck %s --check-prefix=CHANGED
// CHANGED:      3xf32: [7, 1, 2]
// CHANGED-NEXT: f32: 0
func.func @changed(%a: memref<?xf32, strided<[?]>>) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 7.0 : f32
  %t = bufferization.to_tensor %a restrict : memref<?xf32, strided<[?]>> to tensor<?xf32>
  %u = tensor.insert %f into %t[%c0] : tensor<?xf32>
  %v = memref.load %a[%c0] : memref<?xf32, strided<[?]>>
  return %u, %v : tensor<?xf32>, f32
}

// RUN: not symshape-run %s --entry=rows --input='2x3xf32[1]=iota' 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: input '2x3xf32[1]=iota': expected 2 strides, but got 1
// RUN: not symshape-run %s --entry=rows --input='2x3xf32[1,-2]=iota' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: input '2x3xf32[1,-2]=iota': expected strides from 0 behind the element type, one for each dimension, such as 2x3xf32[1,2], but got '[1,-2]'
// RUN: not symshape-run %s --entry=rows --input='2x3xf32[9223372036854775807,1]=iota' 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: expected strides over at most 2^47 bytes
// RUN: not env SYMSHAPE_CUDA_LIBRARY=%build/lib/libsymshape_ptxsim.so symshape-run %s --entry=rows --input='2x3xf32[1,2]=iota' --target=nvvm 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: {{.*}}@rows: expected tensors and scalars as arguments for a GPU, but got a memref
// RUN: not symshape-run %s --entry=rows --save-bundle=%t.bundle 2>&1 | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: error: {{.*}}@rows: expected tensors and scalars as arguments for a bundle, but got a memref
