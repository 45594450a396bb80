// The rule of broadcasting from outside of the file, for all tools.

// RUN: not symshape-run %s --input=2x3xf32=iota --input=1x3xf32=iota 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: symshape-run %s --input=2x3xf32=iota --input=1x3xf32=iota --symshape-tosa-broadcast=numpy | FileCheck %s --check-prefix=RUNS
// RUN: not symshape-run %s --input=2x3xf32=iota --input=3x3xf32=iota --symshape-tosa-broadcast=numpy 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// STRICT:  guard failed: extent of %y dim 0 (s1 = 1) must equal extent of %x dim 0 (s0 = 2)
// RUNS:    2x3xf32: {{\[\[}}0, 2, 4], [3, 5, 7]]
// UNEQUAL: guard failed:
// UNEQUAL: needed by tosa.add

// The option wins over what the file says, and only then.
// RUN: sed 's/^func/module attributes {symshape.tosa_numpy_broadcast} {\nfunc/;s/^}$/}\n}/' %s > %t.mlir
// RUN: symshape-run %t.mlir --input=2x3xf32=iota --input=1x3xf32=iota | FileCheck %s --check-prefix=RUNS
// RUN: not symshape-run %t.mlir --input=2x3xf32=iota --input=1x3xf32=iota --symshape-tosa-broadcast=strict 2>&1 | FileCheck %s --check-prefix=STRICT

// A folder with code for one rule has none for the other.
// RUN: rm -rf %t.state
// RUN: symshape-run %s --state=%t.state --input=2x3xf32=iota --input=1x3xf32=iota --symshape-tosa-broadcast=numpy | FileCheck %s --check-prefix=RUNS
// RUN: not symshape-run %s --state=%t.state --input=2x3xf32=iota --input=1x3xf32=iota 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: symshape-run %s --state=%t.state --input=2x3xf32=iota --input=1x3xf32=iota --symshape-tosa-broadcast=numpy | FileCheck %s --check-prefix=RUNS

// RUN: symshape-report %s | FileCheck %s --check-prefix=REPORT
// RUN: symshape-report %s --symshape-tosa-broadcast=strict | FileCheck %s --check-prefix=REPORT
// RUN: symshape-report %s --symshape-tosa-broadcast=numpy | FileCheck %s --check-prefix=NUMPY --implicit-check-not="NumPy's broadcasting"
// REPORT: guard: extent of %y dim 0 (s1) must equal extent of %x dim 0 (s0)
// REPORT: NumPy's broadcasting would accept an extent of 1 as well
// NUMPY:  result #0: tensor<?x3xf32> [bc(s0, s1), 3]

// For symshape-opt the place of the option does not matter; in a pipeline it is a pass.
// RUN: symshape-opt %s --symshape-infer-shapes=annotate --symshape-tosa-broadcast=numpy | FileCheck %s --check-prefix=OPT
// RUN: symshape-opt %s --symshape-tosa-broadcast=strict --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=OPT-STRICT
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-tosa-broadcast{numpy},symshape-infer-shapes{annotate})' | FileCheck %s --check-prefix=OPT
// RUN: symshape-opt %s --symshape-tosa-broadcast=numpy --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-tosa-broadcast{rule=numpy})' | FileCheck %s --check-prefix=OPT-MODULE
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(symshape-tosa-broadcast{numpy})' | FileCheck %s --check-prefix=OPT-MODULE
// OPT:            module attributes {symshape.tosa_numpy_broadcast}
// OPT:            tosa.add {{.*}}#symshape.shape<[bc(s0, s1), 3]>
// OPT-MODULE:     module attributes {symshape.tosa_numpy_broadcast}
// OPT-STRICT-NOT: numpy
// OPT-STRICT:     tosa.add {{.*}}#symshape.shape<[s0, 3]>
// DUMP:           symshape-tosa-broadcast{rule=numpy}

// Negative: no such rule.
// RUN: not symshape-run %s --input=2x3xf32=iota --input=1x3xf32=iota --symshape-tosa-broadcast=numpi 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not symshape-report %s --symshape-tosa-broadcast=numpi 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not symshape-opt %s --symshape-tosa-broadcast=numpi 2>&1 | FileCheck %s --check-prefix=BAD-OPT
// RUN: not symshape-opt %s --symshape-tosa-broadcast 2>&1 | FileCheck %s --check-prefix=NONE
// BAD:     for the --symshape-tosa-broadcast option: expected one of strict, numpy, but got 'numpi'
// BAD-OPT: expected symshape-tosa-broadcast to be strict or numpy, but got 'numpi'
// NONE:    expected symshape-tosa-broadcast to be strict or numpy, but got ''

func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = tosa.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
