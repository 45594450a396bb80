// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s
// RUN: symshape-run %s --entry=read --input=index=24 --input=index=8 --input=index=4 | FileCheck %s --check-prefix=FITS
// RUN: not symshape-run %s --entry=read --input=index=23 --input=index=8 --input=index=4 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not symshape-run %s --entry=read --input=index=24 --input=index=-1 --input=index=4 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not symshape-run %s --entry=read --input=index=24 --input=index=8 --input=index=-4 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// A view lies in the bytes of its source: what is read through it would else be memory of others.

// FITS: f32: 2
// SHORT: error: symshape: @read: {{.*}} must be at most {{.*}}23
// SHORT: needed by memref.view at {{.*}} (bytes of the view)
// BELOW: error: symshape: @read: %shift (-1) must be at least 0
// BELOW: needed by memref.view at {{.*}} (byte shift)
// NEGATIVE: error: symshape: @read: %n (-4) must be at least 0

func.func @read(%bytes: index, %shift: index, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %buffer = memref.alloc(%bytes) : memref<?xi8>
  %view = memref.view %buffer[%shift][%n] : memref<?xi8> to memref<?xf32>
  linalg.fill ins(%two : f32) outs(%view : memref<?xf32>)
  %some = arith.cmpi sgt, %n, %c0 : index
  %value = scf.if %some -> f32 {
    %last = arith.subi %n, %c1 : index
    %element = memref.load %view[%last] : memref<?xf32>
    scf.yield %element : f32
  } else {
    scf.yield %two : f32
  }
  memref.dealloc %buffer : memref<?xi8>
  return %value : f32
}

// Nothing is checked where the types say enough.

// CHECK-LABEL: func.func @static(
// CHECK-NOT: symshape.fail
func.func @static(%buffer: memref<1024xi8>) -> memref<16x16xf32> {
  %c0 = arith.constant 0 : index
  %view = memref.view %buffer[%c0][] : memref<1024xi8> to memref<16x16xf32>
  return %view : memref<16x16xf32>
}
