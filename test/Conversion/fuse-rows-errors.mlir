// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-fuse-rows{block-rows=0}))' --verify-diagnostics

// expected-error @below {{expected block-rows of at least 1, but got 0}}
func.func @f() {
  return
}
