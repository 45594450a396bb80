// RUN: not symshape-run %s --input=f32=1 2>&1 | FileCheck %s
// RUN: not symshape-run %s --input=f32=1 --compile=quick 2>&1 | FileCheck %s
// RUN: symshape-run %s --entry=known --input=f32=0 | FileCheck %s --check-prefix=KNOWN

// CHECK: error: expected a body of function 'other', which the program calls and only declares
// CHECK-NOT: JIT
func.func private @other(f32) -> f32
func.func @main(%x: f32) -> f32 {
  %r = call @other(%x) : (f32) -> f32
  return %r : f32
}

// Must not fire: a function of the process.
// KNOWN: f32: 1
func.func private @cosf(f32) -> f32
func.func @known(%x: f32) -> f32 {
  %r = call @cosf(%x) : (f32) -> f32
  return %r : f32
}
