// The machine code as an object file and as assembly; nothing runs.
// RUN: symshape-run %s --object=%t.o | count 0
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: symshape-run %s --assembly=%t.s && FileCheck %s --check-prefix=ASSEMBLY < %t.s
// RUN: sh -c "symshape-run %s --object=%t.missing/m.o; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: sh -c "symshape-run %s --entry=f --object=%t.o; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: sh -c "symshape-run %s --object=%t.o --assembly=%t.s; echo exit $?" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sh -c "symshape-run %s --object=%t.o --input=i64=3; echo exit $?" 2>&1 | FileCheck %s --check-prefix=INPUT

// SYMBOLS: T _mlir_ciface_main
// ASSEMBLY: _mlir_ciface_main:
// WRITE: error: cannot write '{{.*}}.missing/m.o': No such file or directory
// WRITE-NEXT: exit 2
// ENTRY: error: expected a function @f with a body, but there is none
// ENTRY-NEXT: exit 1
// BOTH: error: expected either --object or --assembly, but got both
// BOTH-NEXT: exit 2
// INPUT: error: expected no --input, --calls, --output or --weights with --object or --assembly, which run nothing
// INPUT-NEXT: exit 2
func.func @main(%a: i64) -> i64 {
  %0 = arith.addi %a, %a : i64
  return %0 : i64
}
