// What symshape-bundle-run is told, and its exit statuses.

// RUN: rm -rf %t && symshape-run %s --save-bundle=%t --guards=off --threads=1
// RUN: symshape-bundle-run --help | FileCheck %s --check-prefix=HELP
// HELP: OVERVIEW: Runs a bundle
// HELP: exit status: 0 ran; 1 no GPU
// HELP: --input=<spec>

// RUN: sh -c 'symshape-bundle-run; echo exit $?' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: symshape-bundle-run: Expected the folder of a bundle.  Try: 'symshape-bundle-run --help'
// NONE-NEXT: exit 2
// RUN: sh -c 'symshape-bundle-run %t %t; echo exit $?' 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: symshape-bundle-run: Too many positional arguments, such as '{{.*}}'.
// TWO-NEXT: exit 2
// RUN: sh -c 'symshape-bundle-run %t --guards=off; echo exit $?' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: symshape-bundle-run: Unknown command line argument '--guards=off'.
// UNKNOWN-NEXT: exit 2
// RUN: sh -c 'symshape-bundle-run %t --input; echo exit $?' 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: symshape-bundle-run: Expected a value of '--input'.
// VALUE-NEXT: exit 2

// All that is wrong with the options is told at once.
// RUN: sh -c 'symshape-bundle-run %t --input=i64=1 --calls=- --device=0 --counts --kernel-time --poison --threads=2 --repeat=0 < /dev/null; echo exit $?' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTIONS
// OPTIONS:      error: expected either --calls or --input, but got both
// OPTIONS-NEXT: error: expected a bundle for a GPU with --device
// OPTIONS-NEXT: error: expected a bundle for a GPU with --counts
// OPTIONS-NEXT: error: expected a bundle for a GPU with --kernel-time
// OPTIONS-NEXT: error: expected a bundle for a GPU with --poison
// OPTIONS-NEXT: error: expected a bundle that was saved with --threads with --threads
// OPTIONS-NEXT: exit 2
// RUN: sh -c 'symshape-bundle-run %t --input=4xf32=iota --input=index=1 --repeat=0; echo exit $?' 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: expected --repeat to be a number from 1 to 2147483647, but got '0'
// REPEAT-NEXT: exit 2

// Values may follow their options as words of their own.
// RUN: symshape-bundle-run %t --input 4xf32=iota -input index=3 --repeat 3 --time | FileCheck %s --check-prefix=WORDS
// WORDS:      {{^}}f32: 3
// WORDS-NEXT: time: median {{[0-9.]+}} ms, minimum {{[0-9.]+}} ms

// RUN: printf '4xf32=iota index=2\n4xf32=iota index=1\n' | symshape-bundle-run %t --calls=- | FileCheck %s --check-prefix=CALLS
// CALLS:      {{^}}f32: 2
// CALLS-NEXT: {{^}}f32: 1

// Without guards, code may do what ends processes; here as in symshape-run, it ends a call.
// RUN: sh -c 'symshape-run %s --guards=off --input=4xf32=iota --input=index=1152921504606846976; echo exit $?' > %t.wanted 2>&1
// RUN: sh -c 'symshape-bundle-run %t --input=4xf32=iota --input=index=1152921504606846976; echo exit $?' 2>&1 | tee %t.got | FileCheck %s --check-prefix=TRAP
// RUN: diff %t.wanted %t.got
// TRAP: error: internal error: compiled code accessed memory out of bounds, or trapped
// TRAP-NEXT: exit 70

// RUN: sh -c 'symshape-bundle-run %t --input=4xf32=iota --input=index=2 > /dev/full; echo exit $?' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write to standard output: No space left on device
// FULL-NEXT: exit 2

func.func @main(%a: tensor<?xf32>, %i: index) -> f32 {
  %r = tensor.extract %a[%i] : tensor<?xf32>
  return %r : f32
}
