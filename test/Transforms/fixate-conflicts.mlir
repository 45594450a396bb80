// RUN: symshape-opt %s --symshape-fixate="function=f shapes='2x3, 4'" --split-input-file --verify-diagnostics
// RUN: not symshape-opt %s --symshape-fixate="function=ones shapes='1, 2'" --split-input-file 2>&1 | FileCheck %s --check-prefix=ONES
// RUN: not symshape-opt %s --symshape-fixate="function=three shapes='?, 1, 3'" --split-input-file 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: echo 'func.func @f(%x: tensor<2xf32>) { return }' > %t.mlir
// RUN: not symshape-opt %t.mlir --symshape-fixate="function=f shapes='2, 3'" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not symshape-opt %t.mlir --symshape-fixate="function=f shapes='2x3'" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not symshape-opt %t.mlir --symshape-fixate="function=f shapes='3'" 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: echo 'func.func @f(%x: tensor<?xf32>) { return }' > %t.open.mlir
// RUN: not symshape-opt %t.open.mlir --symshape-fixate="function=f bind='s0 = 2, s0 = 3'" 2>&1 | FileCheck %s --check-prefix=TWICE
// NUMBER: error: shapes: expected 1 shapes, one per argument, but got 2
// SHAPE:  error: shapes: expected a shape like '2x?', or '-', for argument #0, but got '2x3'
// STATIC: error: argument #0 dim 0 cannot be 3
// TWICE:  error: 's0' cannot be 3
// TWICE:  note: s0 (argument #0 dim 0) is 2

// One name for dims of two arguments.
// expected-note@+1 {{argument #0 dim 1 (M) is 3}}
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>},
             // expected-error@+3 {{argument #1 dim 0 cannot be 4}}
             // expected-note@+2 {{assumed: M == 3}}
             // expected-note@+1 {{hence not: M == 4 (ranges)}}
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) {
  return
}

// -----

// What an op requires of two arguments.
// expected-note@+1 {{argument #0 dim 1 (s1) is 3}}
func.func @f(%x: tensor<?x?xf32>,
             // expected-note@+1 {{argument #1 dim 0 (s2) is 4}}
             %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %n = tosa.const_shape {values = dense<[1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.reshape %y, %n : (tensor<?xf32>, !tosa.shape<2>) -> tensor<1x?xf32>
  // expected-error@+5 {{cannot hold at argument #0 dim 0 = 2, argument #0 dim 1 = 3, argument #1 dim 0 = 4: extent of argument #1 dim 0 (s2) must equal extent of argument #0 dim 1 (s1)}}
  // expected-note@+4 {{needed by tosa.add}}
  // expected-note@+3 {{assumed: s1 == 3}}
  // expected-note@+2 {{assumed: s2 == 4}}
  // expected-note@+1 {{hence not: s2 == s1 (ranges)}}
  %r = tosa.add %x, %a : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Only a 1 of the type expands: none that the values give.
// ONES: error: cannot hold at argument #0 dim 0 = 1, argument #1 dim 0 = 2: extent of argument #1 dim 0 (s1) must equal extent of argument #0 dim 0 (s0)
// ONES: note: needed by tosa.add
// ONES: note: argument #0 dim 0 (s0) is 1
// ONES: note: argument #1 dim 0 (s1) is 2
func.func @ones(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  %r = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Nor what follows from these: %x has to have extent 1 beside %y, and 3 beside %z.
// THREE: error: cannot hold at argument #1 dim 0 = 1, argument #2 dim 0 = 3: extent of argument #2 dim 0 (s2) must equal extent of argument #0 dim 0 (s0)
func.func @three(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %a = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  %b = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = tosa.add %b, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
