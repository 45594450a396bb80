// Checks of data, before the loops whose ops need them: a call is refused exactly if
// such an op would be reached and could not run.

// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s --check-prefix=CODE

// Positive: what the turns have in common is checked once, before the loop, and
// together: the second slice implies the first.
// CODE-LABEL: func.func @main(
// CODE:         symshape.fail{{.*}}must be at least 0{{.*}}needed by tensor.extract_slice{{.*}}needed by tensor.extract_slice
// CODE:         symshape.fail{{.*}}must be at most
// CODE:         scf.for
// CODE-NOT:     symshape.fail
// CODE:         return

// RUN: printf '8xf32=iota i64=4 index=0\n8xf32=iota i64=4 index=1\n8xf32=iota i64=4 index=3\n8xf32=iota i64=9 index=0\n0xf32=iota i64=0 index=0\n' > %t.calls
// RUN: symshape-run %s --calls=%t.calls | FileCheck %s --check-prefix=RUNS
// RUNS-COUNT-5: f32: 0

// RUN: not symshape-run %s --input=8xf32=iota --input=i64=5 --input=index=1 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: symshape: @main: {{.*}}must be at most
// LONG: needed by tensor.extract_slice at {{.*}}deferred.mlir
// RUN: not symshape-run %s --input=8xf32=iota --input=i64=-1 --input=index=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: symshape: @main: {{.*}}must be at least 0
// RUN: symshape-run %s --input=8xf32=iota --input=i64=-1 --input=index=0 | FileCheck %s --check-prefix=NONE
// NONE: f32: 0

func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %d: i64, %turns: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %cell = tensor.from_elements %d : tensor<1xi64>
  %e = tensor.extract %cell[%c0] : tensor<1xi64>
  %n = arith.index_cast %e : i64 to index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%acc = %zero) -> f32 {
    %a = tensor.extract_slice %x[2] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %b = tensor.extract_slice %x[4] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    %m = tensor.dim %a, %c0 : tensor<?xf32>
    %k = tensor.dim %b, %c0 : tensor<?xf32>
    %same = arith.cmpi eq, %m, %k : index
    %next = arith.select %same, %acc, %zero : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// The check of an inner loop, in the outer one, is about the iteration at hand, not about all: that the
// inner loop runs is known for this one alone.
// RUN: symshape-run %s --entry=nested --input=index=3 --input=index=0 | FileCheck %s --check-prefix=NESTED
// NESTED: index: 0
// RUN: not symshape-run %s --entry=nested --input=index=3 --input=index=1 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: assert failed: only in the first iteration: {{.*}} (1) must be

func.func @nested(%n: index, %least: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%left = %n) -> index {
    scf.for %j = %c0 to %left step %c1 {
      %first = arith.cmpi slt, %i, %c1 : index
      cf.assert %first, "only in the first iteration"
    }
    %next = arith.minsi %least, %left : index
    scf.yield %next : index
  }
  return %r : index
}
