// One compilation, many calls; time and allocations.

// RUN: printf '2xf32=iota 2xf32=iota\n\n0xf32=iota 0xf32=iota\n  1xf32=iota\t1xf32=iota\n' > %t.calls
// RUN: symshape-run %s --calls=%t.calls --verbose --time --repeat=3 2> %t.err | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=ERR < %t.err

// OUT:      2xf32: [0, 2]
// OUT-NEXT: time: median {{[0-9.]+}} ms, minimum {{[0-9.]+}} ms
// OUT-NEXT: 0xf32: []
// OUT-NEXT: time:
// OUT-NEXT: 1xf32: [0]
// OUT-NEXT: time: median {{[0-9.]+}} ms, minimum {{[0-9.]+}} ms
// OUT-NOT: {{.}}

// ERR:      compile: parse {{[0-9.]+}} ms, passes {{[0-9.]+}} ms, code {{[0-9.]+}} ms, total {{[0-9.]+}} ms
// ERR-NEXT: weights: {{[0-9.]+}} ms
// ERR-NEXT: call 0: version default, compiled, checks {{[0-9.]+}} ns
// ERR-NEXT: call 1: version default, at hand, checks {{[0-9.]+}} ns
// ERR-NEXT: call 2: version default, at hand
// ERR-NEXT: allocations: live 0, total {{[0-9]+}}, peak {{[0-9]+}} KiB
// ERR-NEXT: compilations: 1
// ERR-NOT:  {{.}}

// An input that does not fit is found before any call; which call it is of is told.
// RUN: printf '2xf32=iota 2xf32=iota\n2xf32=iota 2xi64=iota\n2xf32=iota 2xf32=iota\n' > %t.type
// RUN: sh -c "symshape-run %s --calls=%t.type; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG:      error: @main: expected ?xf32 for %y, but got 2xi64, in call 1
// WRONG-NEXT: exit 2

// The first call that fails ends the run; its number is told.
// RUN: printf '2xf32=iota 2xf32=iota\n2xf32=iota 3xf32=iota\n2xf32=iota 2xf32=iota\n' > %t.bad
// RUN: sh -c "symshape-run %s --calls=%t.bad; echo exit $?" 2>&1 | FileCheck %s --check-prefix=BAD
// BAD:      2xf32: [0, 2]
// BAD-NEXT: note: in call 1
// BAD-NEXT: error: symshape: @main: guard failed:
// BAD:      exit 3

// A line that cannot be read is found before anything is compiled.
// RUN: printf '2xf32=iota 2xf32=iota\n2xf32=what 2xf32=iota\n' > %t.line
// RUN: sh -c "symshape-run %s --calls=%t.line; echo exit $?" 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: error: {{.*}}line:2: input '2xf32=what': expected random:SEED, zeros, iota or [VALUES] for a tensor, but got 'what'
// LINE-NEXT: exit 2

// RUN: sh -c "symshape-run %s --calls=%t.calls --input=i64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: expected either --calls or --input, but got both
// RUN: sh -c "symshape-run %s --calls=%t.calls --output=%t.npy; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected {call} in --output for several calls, but got '{{.*}}.npy'

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = arith.addf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
