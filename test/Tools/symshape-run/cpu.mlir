// The CPU that code is generated for. Whether a machine can run it is in
// CPUTargetTest.cpp.

// RUN: symshape-run %s --cpu=native --input=2x3xf32=iota | FileCheck %s --check-prefix=NATIVE
// NATIVE: 2x3xf32: {{\[\[}}0, 2, 4], [6, 8, 10]]
// RUN: sh -c "symshape-run %s --cpu=fast --input=2x3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expected the CPU to be native, generic, {{.*}}, but got 'fast'
// UNKNOWN-NEXT: exit 2
// RUN: sh -c "symshape-run %s --mtriple=aarch64-linux-gnu --input=2x3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: error: expected --object or --assembly with --mtriple, but got neither
// TRIPLE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --mtriple=sparc-linux-gnu --assembly=%t.s; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SPARC
// SPARC: error: expected a triple of x86_64 or aarch64, but got 'sparc-unknown-linux-gnu'
// SPARC-NEXT: exit 2
// RUN: not symshape-opt %s --symshape-cpu=cpu=fast 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: symshape-cpu: expected the CPU to be {{.*}}, but got 'fast'

// Each instruction set as far as the CPU has it.
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=x86-64-v2 --assembly=%t.v2.s
// RUN: FileCheck %s --check-prefix=SSE --implicit-check-not={{[yz]mm}} --implicit-check-not={{[[:space:]]v[a-z]+ps}} < %t.v2.s
// SSE: addps {{.*}}%xmm
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=haswell --assembly=%t.v3.s
// RUN: FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm < %t.v3.s
// AVX2: vaddps {{.*}}%ymm
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=skylake-avx512 --assembly=%t.v4.s
// RUN: FileCheck %s --check-prefix=AVX512 < %t.v4.s
// AVX512: vaddps {{.*}}%zmm
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
