// The machine code as an object file.
// RUN: symshape-run %s --object=%t.o --input=i64=3 | FileCheck %s --check-prefix=RESULT
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: not symshape-run %s --object=%t.missing/m.o --input=i64=3 2>&1 | FileCheck %s --check-prefix=ERROR

// RESULT: i64: 6
// SYMBOLS: T {{.*}}main
// ERROR: error: cannot write '{{.*}}.missing/m.o'
func.func @main(%a: i64) -> i64 {
  %0 = arith.addi %a, %a : i64
  return %0 : i64
}
