// What is wrong with inputs, weights and outputs is told at once, and before
// anything is compiled: @slow, which cannot be compiled, is never reached.

// RUN: rm -rf %t && mkdir -p %t/folder.npy
// RUN: sh -c "symshape-run %s --input=@%t/none.npy --input=2xf64=iota --input=3xf32=iota --weights=%t/none.safetensors --output=%t/folder.npy --output=%t/none/x.npy; echo exit $?" 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK:      error: cannot read '{{.*}}none.safetensors'
// CHECK-NEXT: error: cannot read '{{.*}}none.npy'
// CHECK-NEXT: error: @main: expected ?x4xf32 for %y, but got 2xf64
// CHECK-NEXT: error: symshape: @main: expected extent 4 of %z dim 0 (tensor<4xf32>), but got 3
// CHECK-NEXT: error: cannot write '{{.*}}folder.npy': {{[Ii]}}s a directory
// CHECK-NEXT: error: cannot write '{{.*}}none/x.npy': No such file or directory
// CHECK-NEXT: exit 2

// Extents alone are no wrong input: exit status 3.
// RUN: sh -c "symshape-run %s --entry=two --input=3xf32=iota --input=2x5x6xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=EXTENTS --implicit-check-not=error:
// EXTENTS:      error: symshape: @two: expected extent 4 of %x dim 0 (tensor<4xf32>), but got 3
// EXTENTS-NEXT: error: symshape: @two: expected extent 3 of %y dim 1 (tensor<?x3x4xf32>), but got 5
// EXTENTS-NEXT: error: symshape: @two: expected extent 4 of %y dim 2 (tensor<?x3x4xf32>), but got 6
// EXTENTS-NEXT: exit 3

// A wrong number of inputs, and weights that are not given at all.
// RUN: sh -c "symshape-run %s --input=4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NUMBER --implicit-check-not=error:
// NUMBER:      error: @main: %w is the weight 'w', but no weights are given (--weights)
// NUMBER-NEXT: error: @main: %v is the weight 'v', but no weights are given (--weights)
// NUMBER-NEXT: error: @main: expected 3 inputs, but got 1
// NUMBER-NEXT: exit 2

// Every input that cannot be understood; of a file, with its line.
// RUN: sh -c "symshape-run %s --input=4xf31=iota --input=4xf32=ioto --input=x.txt; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SPECS --implicit-check-not=error:
// SPECS:      error: input '4xf31=iota': expected an element type
// SPECS-NEXT: error: input '4xf32=ioto': expected random:SEED, zeros, iota or [VALUES]
// SPECS-NEXT: error: input 'x.txt': expected @FILE.npy, or a type and what it holds, such as 2x3xf32=iota
// SPECS-NEXT: exit 2
// RUN: printf '4xf32=ioto\n\n4xf32=iota f32\n' > %t/bad.calls
// RUN: sh -c "symshape-run %s --calls=%t/bad.calls; echo exit $?" 2>&1 | FileCheck %s --check-prefix=LINES --implicit-check-not=error:
// LINES:      error: {{.*}}bad.calls:1: input '4xf32=ioto'
// LINES-NEXT: error: {{.*}}bad.calls:3: input 'f32'
// LINES-NEXT: exit 2

// Of several calls, which one; no call runs. The file that the first call writes
// is there for the second.
// RUN: printf '4xf32=iota 2x3x4xf32=iota\n@%t/out0.npy 2x3x5xf32=iota\n4xf64=iota 1x3x4xf32=iota\n' > %t/calls
// RUN: sh -c "symshape-run %s --entry=two --calls=%t/calls --output=%t/out{call}.npy; echo exit $?; ls %t" 2>&1 | FileCheck %s --check-prefix=CALLS --implicit-check-not=error:
// CALLS:      error: symshape: @two: expected extent 4 of %y dim 2 (tensor<?x3x4xf32>), but got 5, in call 1
// CALLS-NEXT: error: @two: expected 4xf32 for %x, but got 4xf64, in call 2
// CALLS-NEXT: exit 2
// CALLS-NOT:  out0.npy
// RUN: printf '4xf32=iota 2x3x4xf32=iota\n@%t/out0.npy 2x3x4xf32=iota\n' > %t/calls
// RUN: symshape-run %s --entry=fast --calls=%t/calls --output=%t/out{call}.npy
// RUN: ls %t | FileCheck %s --check-prefix=CHAIN
// CHAIN:      out0.npy
// CHAIN-NEXT: out1.npy

// Many errors: the first ones, and how many there are.
// RUN: sh -c "for i in $(seq 30); do echo 4xf64=iota 2x3x4xf32=iota; done" > %t/calls
// RUN: sh -c "symshape-run %s --entry=two --calls=%t/calls; echo exit $?" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY-COUNT-20: error: @two
// MANY-NEXT:     note: and 10 more errors
// MANY-NEXT:     exit 2

// What is written to and is full is an error after the results, no abort.
// RUN: sh -c "symshape-run %s --entry=fast --input=4xf32=iota --input=0x3x4xf32=iota --log-file=/dev/full; echo exit $?" 2>&1 | FileCheck %s --check-prefix=FULL
// FULL:      4xf32: [0, 1, 2, 3]
// FULL-NEXT: error: cannot write '/dev/full': No space left on device
// FULL-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=fast --input=4xf32=iota --input=0x3x4xf32=iota > /dev/full; echo exit $?" 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT:      error: cannot write to standard output: No space left on device
// STDOUT-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=fast --object=/dev/full; echo exit $?" 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT:      error: cannot write '/dev/full': No space left on device
// OBJECT-NEXT: exit 2
// RUN: sh -c "symshape-run %s --object=%t/none/x.o; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NOWHERE --implicit-check-not=error:
// NOWHERE:      error: cannot write '{{.*}}none/x.o': No such file or directory
// NOWHERE-NEXT: exit 2

func.func @main(%x: tensor<?xf32>, %y: tensor<?x4xf32>, %z: tensor<4xf32>, %w: tensor<?xf32> {symshape.weight = "w"}, %v: tensor<2xf32> {symshape.weight = "v"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = call @elsewhere(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r, %w : tensor<?xf32>, tensor<?xf32>
}
func.func @two(%x: tensor<4xf32>, %y: tensor<?x3x4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @fast(%x: tensor<4xf32>, %y: tensor<?x3x4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @elsewhere(tensor<?xf32>) -> tensor<?xf32>
