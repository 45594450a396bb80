// RUN: symshape-opt %s --symshape-insert-timers | FileCheck %s
// RUN: symshape-opt %s --symshape-cpu | FileCheck %s --check-prefix=OFF
// RUN: not symshape-opt %s --symshape-insert-timers --symshape-insert-timers 2>&1 | FileCheck %s --check-prefix=TWICE

// Without the option, nothing is timed.
// OFF-NOT: symshape_rt_enter

// TWICE: error: expected no definition of 'symshape_rt_enter', the name is the runtime's

// A place stands once, however many kernels it has.
// CHECK-DAG: llvm.mlir.global private constant @[[$COPY:symshape_message[_0-9]*]]("{{.*}}insert-timers.mlir:[[#@LINE+11]]:3\00")
// CHECK-DAG: llvm.func @symshape_rt_enter(!llvm.ptr)
// CHECK-DAG: llvm.func @symshape_rt_leave()
// CHECK-DAG: "{{.*}}insert-timers.mlir:8:1\0A{{.*}}other.mlir:9:2\00"

// CHECK-LABEL: func.func @copy(
func.func @copy(%from: memref<?xf32>, %to: memref<?xf32>) {
  // CHECK: llvm.mlir.addressof @[[$COPY]]
  // CHECK: llvm.call @symshape_rt_enter
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: llvm.call @symshape_rt_leave()
  memref.copy %from, %to : memref<?xf32> to memref<?xf32>
  return
}

// All places of an op that is made of several: its own first.
// CHECK-LABEL: func.func @fused(
func.func @fused(%to: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  // CHECK: llvm.call @symshape_rt_enter
  // CHECK-NEXT: linalg.fill
  linalg.fill ins(%one : f32) outs(%to : memref<?xf32>)
      loc(fused["insert-timers.mlir":8:1, "other.mlir":9:2])
  return
}

// A loop is timed as a whole, each branch by itself.
// CHECK-LABEL: func.func @loop(
func.func @loop(%to: memref<?xf32>, %n: index, %c: i1) {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK: scf.if
  scf.if %c {
    // CHECK: llvm.call @symshape_rt_enter
    // CHECK-NEXT: scf.for
    // CHECK-NOT: llvm.call
    // CHECK: memref.store
    // CHECK-NOT: llvm.call
    // CHECK: linalg.fill
    // CHECK-NEXT: }
    // CHECK-NEXT: llvm.call @symshape_rt_leave()
    scf.for %i = %zero to %n step %step {
      memref.store %one, %to[%i] : memref<?xf32>
      linalg.fill ins(%one : f32) outs(%to : memref<?xf32>)
    }
  }
  return
}

// Must not fire: what computes no buffer, a single element, and a call.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: llvm.call
// CHECK: return
func.func @small(%to: memref<?xf32>, %from: memref<?xf32>) -> memref<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %to, %zero : memref<?xf32>
  memref.store %one, %to[%zero] : memref<?xf32>
  %c = arith.cmpi ne, %n, %zero : index
  cf.assert %c, "expected elements"
  %new = memref.alloc(%n) : memref<?xf32>
  call @copy(%from, %to) : (memref<?xf32>, memref<?xf32>) -> ()
  return %new : memref<?xf32>
}
