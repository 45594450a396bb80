// Inputs by the names of arguments, in any order, beside others in order; a
// weight is none. In a file of calls, and of a bundle, as well.

// RUN: symshape-run %s --input=n=i64=3 --input=q=2xf32=iota --input=k=1xf32=iota > %t.named
// RUN: symshape-run %s --input=2xf32=iota --input=1xf32=iota --input=i64=3 | cmp - %t.named
// RUN: symshape-run %s --input=k=1xf32=iota --input=2xf32=iota --input=i64=3 | cmp - %t.named
// RUN: FileCheck %s < %t.named
// CHECK:      2xf32: [0, 1]
// CHECK-NEXT: 1xf32: [0]
// CHECK-NEXT: i64: 3

// RUN: echo 'n=i64=3 k=1xf32=iota q=2xf32=iota' > %t.calls
// RUN: symshape-run %s --calls=%t.calls | cmp - %t.named

// RUN: rm -rf %t.bundle && symshape-run %s --save-bundle=%t.bundle
// RUN: symshape-bundle-run %t.bundle --input=n=i64=3 --input=q=2xf32=iota --input=k=1xf32=iota | cmp - %t.named

// RUN: not symshape-run %s --input=n=i64=3 --input=n=i64=4 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: expected each input once, but got 'n' twice
// RUN: not symshape-run %s --input=n=i64=3 --input=2xf32=iota 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected an input for 'k'
// RUN: not symshape-run %s --input=%%q=2xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected the name of an input (q, k, n), but got '%q'
func.func @main(%q: tensor<?xf32>, %k: tensor<?xf32>, %n: i64) -> (tensor<?xf32>, tensor<?xf32>, i64) {
  return %q, %k, %n : tensor<?xf32>, tensor<?xf32>, i64
}
