// RUN: symshape-opt %s --pass-pipeline="builtin.module(gpu.module(symshape-expand-kernel-math,symshape-lower-kernel-checks))" \
// RUN:   --verify-diagnostics

gpu.module @kernels {
  gpu.func @known(%x: f32, %p: !llvm.ptr<1>) kernel {
    %s = math.sin %x : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @unknown(%x: f32, %i: i32, %p: !llvm.ptr<1>) kernel {
    // expected-error@+1 {{'math.fpowi' op is not supported in a kernel}}
    %s = math.fpowi %x, %i : f32, i32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
