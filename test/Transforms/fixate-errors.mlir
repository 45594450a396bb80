// RUN: symshape-opt %s --symshape-fixate="function=f bind='B = 100, S = 128'" --split-input-file --verify-diagnostics
// RUN: echo 'func.func @f() { return }' | not symshape-opt --symshape-fixate="function=f bind='B = many'" 2>&1 | FileCheck %s
// CHECK: error: bind: expected 'symbol = integer', but got 'B = many'
// RUN: echo 'func.func @f() { return }' | not symshape-opt --symshape-fixate="function=f bind='B = 4'" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: expected a symbol of the dims of arguments, or a scalar argument, but got 'B'

// A value outside of the declared range, and what follows from two facts: all are
// listed.
// expected-error@+4 {{'B' cannot be 100}}
// expected-note@+3 {{hence not: B == 100 (ranges)}}
// expected-error@+2 {{'S' cannot be 128}}
// expected-note@+1 {{hence not: S == 128 (residues)}}
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>})
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [1, 64]>, #symshape.symbol<"S", multiple_of = 3>]} {
  return
}

// -----

// What the body requires.
// expected-note@+1 {{S (argument #0 dim 1) is 128}}
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}, %y: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c = tensor.extract_slice %x[0, 0] [1, 64] [1, 1] : tensor<?x?xf32> to tensor<64xf32>
  // expected-error@+4 {{cannot hold at B = 100, S = 128: }}
  // expected-note@+3 {{needed by tensor.extract_slice}}
  // expected-note@+2 {{assumed: S == 128}}
  // expected-note@+1 {{hence not: 164 <= S (ranges)}}
  %d = tensor.extract_slice %x[0, 100] [1, 64] [1, 1] : tensor<?x?xf32> to tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

// expected-error-re@+1 {{expected a symbol of the dims of arguments{{.*}}, or a scalar argument, but got 'S'}}
func.func @f(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}) {
  return
}

// -----

// expected-error@+1 {{expected a function of this module, but got 'f'}}
module {
}

// -----

// expected-error@+1 {{expected a function with a body}}
func.func private @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>})

// -----

// expected-error@+1 {{expected a function that is only called}}
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>}) {
  return
}
func.func @other() -> ((tensor<?x?xf32>) -> ()) {
  %f = func.constant @f : (tensor<?x?xf32>) -> ()
  return %f : (tensor<?x?xf32>) -> ()
}
