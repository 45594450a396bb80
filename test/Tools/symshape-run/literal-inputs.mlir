// Values that stand in the option, so that a test needs no file.

// RUN: symshape-run %s --input='2x2xf32=[[1, 2], [3, 4.5]]' | FileCheck %s --check-prefix=TWO
// TWO: 2x2xf32: {{\[\[}}2, 4], [6, 9]]
// RUN: symshape-run %s --input=x=1x3xf32=[[-1,0,1e2]] | FileCheck %s --check-prefix=NAMED
// NAMED: 1x3xf32: {{\[\[}}-2, 0, 200]]
// RUN: symshape-run %s --input='0x3xf32=[]' | FileCheck %s --check-prefix=NONE
// NONE: 0x3xf32: []

// On a line of calls, blanks in brackets do not end an input.
// RUN: printf '2x1xf32=[[1], [2]]\n1x2xf32=[ [3,4] ]\n' > %t.calls
// RUN: symshape-run %s --calls=%t.calls | FileCheck %s --check-prefix=CALLS
// CALLS:      2x1xf32: {{\[\[}}2], [4]]
// CALLS-NEXT: 1x2xf32: {{\[\[}}6, 8]]

// RUN: rm -rf %t.bundle && symshape-run %s --save-bundle=%t.bundle
// RUN: symshape-bundle-run %t.bundle --input='2x2xf32=[[1, 2], [3, 4.5]]' | FileCheck %s --check-prefix=TWO
// RUN: symshape-bundle-run %t.bundle --calls=%t.calls | FileCheck %s --check-prefix=CALLS

// RUN: sh -c "symshape-run %s --input='2x2xf32=[[1, 2], [3]]'; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: sh -c "symshape-bundle-run %t.bundle --input='2x2xf32=[[1, 2], [3]]'; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: input '2x2xf32={{\[\[}}1, 2], [3]]': expected 2 entries along dimension 1, but got 1 in '{{\[\[}}1, 2], [3]]'
// SHORT: exit 2

func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
