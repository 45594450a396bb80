// RUN: symshape-opt %s --symshape-verify-lowered --verify-diagnostics

llvm.func @lowered() {
  llvm.return
}

llvm.func @left(%x: f32) {
  // expected-error @below {{expected an op that symshape can lower, but got 'math.sin'}}
  %0 = math.sin %x : f32
  llvm.return
}

// The name of the op alone would not say what is wrong.
llvm.func @small_floats(%x: f32) {
  // expected-error @below {{expected an op that symshape can lower, but got 'arith.truncf' of 'f8E4M3FN'}}
  %0 = arith.truncf %x : f32 to f8E4M3FN
  llvm.return
}
