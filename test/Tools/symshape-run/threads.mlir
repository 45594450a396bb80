// How many threads a call uses: as the option says, else as the environment does, else one.
// RUN: rm -rf %t && mkdir %t
// RUN: env -u SYMSHAPE_THREADS symshape-run %s --save-bundle=%t/one
// RUN: FileCheck %s --check-prefix=ONE < %t/one/manifest.json
// RUN: env SYMSHAPE_THREADS=2 symshape-run %s --save-bundle=%t/two
// RUN: FileCheck %s --check-prefix=TWO < %t/two/manifest.json
// RUN: env SYMSHAPE_THREADS=2 symshape-run %s --threads=1 --save-bundle=%t/said
// RUN: FileCheck %s --check-prefix=ONE < %t/said/manifest.json
// RUN: not env SYMSHAPE_THREADS=0 symshape-run %s --input=3xf32=iota 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not env SYMSHAPE_THREADS=two symshape-run %s --input=3xf32=iota 2>&1 | FileCheck %s --check-prefix=WORD

// ONE: "parallel": false
// TWO: "parallel": true
// NONE: error: expected SYMSHAPE_THREADS to be a number from 1 on, but got '0'
// WORD: error: expected SYMSHAPE_THREADS to be a number from 1 on, but got 'two'

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
