// RUN: symshape-opt %s --symshape-verify-lowered --verify-diagnostics

llvm.func @lowered() {
  llvm.return
}

llvm.func @left(%x: f32) {
  // expected-error @below {{expected an op that symshape can lower, but got 'math.sin'}}
  %0 = math.sin %x : f32
  llvm.return
}
