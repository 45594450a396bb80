// Products of bf16 use the instruction that adds two of them, if the CPU has it;
// conversions to bf16 do not use theirs, which takes denormals as zero. Loops keep
// sums in registers (%rbp may be a pointer to operands).

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=cooperlake --assembly=%t.512.s
// RUN: FileCheck %s --check-prefix=BF16 --implicit-check-not=vcvtne < %t.512.s
// RUN: %python %S/Inputs/inner_loops.py vdpbf16ps < %t.512.s | FileCheck %s --check-prefix=LOOPS
// BF16: vdpbf16ps {{.*}}%zmm
// LOOPS-NOT: {{[1-9][0-9]* (masked|calls)|([5-9]|[1-9][0-9]) stack}}
// LOOPS:     {{^}}28 vdpbf16ps, 0 stack, 0 masked, 0 calls
// LOOPS-NOT: {{[1-9][0-9]* (masked|calls)|([5-9]|[1-9][0-9]) stack}}

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=znver4 --assembly=%t.znver4.s
// RUN: FileCheck %s --check-prefix=BF16 --implicit-check-not=vcvtne < %t.znver4.s

// Others widen what a tile loads. Rows are widened before, in vectors: loops over
// terms multiply by elements in memory.
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=skylake-avx512 --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vdpbf16ps < %t.none.s
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=haswell --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vdpbf16ps < %t.none.s
// RUN: symshape-run %s --mtriple=aarch64-linux-gnu --assembly=%t.arm.s
// RUN: FileCheck %s --check-prefix=ARM < %t.arm.s
// NONE: vfmadd
// ARM: fmla
func.func @main(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %x: tensor<?x?x?x8xbf16>, %w: tensor<16x3x3x8xbf16> {symshape.weight = "w"})
    -> (tensor<?x?x?xf32>, tensor<?x?x?x16xbf16>) {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  %bias = "tosa.const"() <{values = dense<1.0> : tensor<16xbf16>}> : () -> tensor<16xbf16>
  %r = tosa.matmul %a, %b, %zero, %zero : (tensor<?x?x?xbf16>, tensor<?x?x?xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<?x?x?xf32>
  %s = tosa.conv2d %x, %w, %bias, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>,
         pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
       : (tensor<?x?x?x8xbf16>, tensor<16x3x3x8xbf16>, tensor<16xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<?x?x?x16xbf16>
  return %r, %s : tensor<?x?x?xf32>, tensor<?x?x?x16xbf16>
}
