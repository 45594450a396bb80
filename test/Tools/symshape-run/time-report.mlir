// What a compilation takes, by stage and pass, and which ops its code comes from.

// RUN: symshape-run %s --input=2x3xf32=iota --time-report --output=%t.npy 2>&1 | FileCheck %s
// CHECK:      compiling @main took {{[0-9.]+}} s
// CHECK-NEXT: stages
// CHECK-NEXT: {{[0-9.]+}} s ({{ *}}{{[0-9.]+}}%)  parse
// CHECK-NEXT: s {{.*}}  passes
// CHECK:      s {{.*}}  LLVM's code generation
// CHECK-NEXT: passes, the longest first
// CHECK:      s {{.*}}  InsertGuardsPass
// CHECK:      questions to the fact engine: [[#]], of which [[#]] decided anew, in {{[0-9.]+}} s of the processor; the costliest
// CHECK-NEXT: {{[0-9.]+}} s, [[#]] steps, asked [[#]] times: {{.+}}
// CHECK:      at {{.*}}time-report.mlir:{{[0-9]+}}:
// CHECK:      rewrite patterns looked at ops {{[1-9][0-9]+}} times
// CHECK-NEXT: instructions before optimization: [[#]], most of
// CHECK:      [[#]] ({{.*}}%) {{.*}}time-report.mlir:[[#@LINE+18]]:8

// Quick code, for its own stages.
// RUN: symshape-run %s --input=2x3xf32=iota --compile=quick --time-report 2>&1 | FileCheck %s --check-prefix=QUICK
// QUICK: parse
// QUICK: instructions before optimization
// QUICK: 2x3xf32

// Code that was kept took nothing.
// RUN: rm -rf %t.state
// RUN: symshape-run %s --input=2x3xf32=iota --state=%t.state 2>&1
// RUN: symshape-run %s --input=2x3xf32=iota --state=%t.state --time-report 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: note: no time report of code that was kept; SYMSHAPE_CACHE=off compiles anew

// RUN: sh -c "symshape-run %s --object=%t.o --time-report; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG:      error: expected no --time-report with --object or --assembly, which run nothing
// WRONG-NEXT: exit 2
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = math.exp %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
