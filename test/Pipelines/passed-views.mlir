// RUN: symshape-run %s --entry=open --input=5xf32=iota | FileCheck %s --check-prefix=OPEN
// RUN: symshape-run %s --entry=branch --input=6xf32=iota --input=i1=1 | FileCheck %s --check-prefix=BRANCH
// RUN: not symshape-run %s --entry=closed --input=5xf32=iota 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: not symshape-run %s --entry=backwards --input=5xf32=iota --compile=quick 2>&1 | FileCheck %s --check-prefix=BACKWARDS

// A function that is not inlined passes a view on: what gets it, frees it, so it
// gets a copy, which is dense.
// OPEN: f32: 2
func.func private @every_second(%m: memref<?xf32>, %n: index) -> memref<?xf32, strided<[?], offset: ?>>
    attributes {no_inline} {
  %v = memref.subview %m[0] [%n] [%n] : memref<?xf32> to memref<?xf32, strided<[?]>>
  %r = memref.cast %v : memref<?xf32, strided<[?]>> to memref<?xf32, strided<[?], offset: ?>>
  return %r : memref<?xf32, strided<[?], offset: ?>>
}
func.func @open(%t: tensor<?xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %v = call @every_second(%m, %c2) : (memref<?xf32>, index) -> memref<?xf32, strided<[?], offset: ?>>
  %r = memref.load %v[%c1] : memref<?xf32, strided<[?], offset: ?>>
  return %r : f32
}

// Must not fire: no branch frees what it yields.
// BRANCH: f32: 4
func.func @branch(%t: tensor<?xf32>, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %v = scf.if %c -> memref<2xf32, strided<[2], offset: ?>> {
    %a = memref.subview %m[2] [2] [2] : memref<?xf32> to memref<2xf32, strided<[2], offset: 2>>
    %b = memref.cast %a : memref<2xf32, strided<[2], offset: 2>> to memref<2xf32, strided<[2], offset: ?>>
    scf.yield %b : memref<2xf32, strided<[2], offset: ?>>
  } else {
    %a = memref.subview %m[0] [2] [2] : memref<?xf32> to memref<2xf32, strided<[2]>>
    %b = memref.cast %a : memref<2xf32, strided<[2]>> to memref<2xf32, strided<[2], offset: ?>>
    scf.yield %b : memref<2xf32, strided<[2], offset: ?>>
  }
  %r = memref.load %v[%c1] : memref<2xf32, strided<[2], offset: ?>>
  return %r : f32
}

// CLOSED: passed-views.mlir:[[@LINE+3]]:{{.*}}: error: expected dynamic strides, as of 'strided<[?], offset: ?>', of a view that a function or branch passes on, but got 'memref<?xf32, strided<[2]>>'
func.func private @of_type(%m: memref<?xf32>, %n: index) -> memref<?xf32, strided<[2]>>
    attributes {no_inline} {
  %r = memref.subview %m[0] [%n] [2] : memref<?xf32> to memref<?xf32, strided<[2]>>
  return %r : memref<?xf32, strided<[2]>>
}
func.func @closed(%t: tensor<?xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %v = call @of_type(%m, %c2) : (memref<?xf32>, index) -> memref<?xf32, strided<[2]>>
  %r = memref.load %v[%c1] : memref<?xf32, strided<[2]>>
  return %r : f32
}

// BACKWARDS: error: expected dynamic strides, as of 'strided<[?], offset: ?>', of a view that a function or branch passes on, but got 'memref<?xf32, strided<[-1], offset: ?>>'
func.func private @reversed(%m: memref<?xf32>) -> memref<?xf32, strided<[-1], offset: ?>> attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  %r = memref.subview %m[%last] [%n] [-1] : memref<?xf32> to memref<?xf32, strided<[-1], offset: ?>>
  return %r : memref<?xf32, strided<[-1], offset: ?>>
}
func.func @backwards(%t: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %m = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  %v = call @reversed(%m) : (memref<?xf32>) -> memref<?xf32, strided<[-1], offset: ?>>
  %r = memref.load %v[%c0] : memref<?xf32, strided<[-1], offset: ?>>
  return %r : f32
}
