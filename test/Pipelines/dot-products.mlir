// Products of bytes use the instruction that adds four of them, if the CPU has
// it: in vectors of 512 bits with AVX512-VNNI, of 256 with AVX-VNNI. Their loops
// keep sums in registers (%rbp may be a pointer to operands).

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=cascadelake --assembly=%t.512.s
// RUN: FileCheck %s --check-prefix=VNNI512 --implicit-check-not=vpmulld < %t.512.s
// RUN: %python %S/Inputs/inner_loops.py vpdpbusd < %t.512.s | FileCheck %s --check-prefix=LOOPS512
// VNNI512: vpdpbusd {{.*}}%zmm
// LOOPS512-NOT: {{[1-9][0-9]* (masked|calls)|([5-9]|[1-9][0-9]) stack}}
// LOOPS512:     {{^}}28 vpdpbusd, 0 stack, 0 masked, 0 calls
// LOOPS512-NOT: {{[1-9][0-9]* (masked|calls)|([5-9]|[1-9][0-9]) stack}}

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=alderlake --assembly=%t.256.s
// RUN: FileCheck %s --check-prefix=VNNI256 --implicit-check-not=zmm < %t.256.s
// VNNI256: {vex} vpdpbusd {{.*}}%ymm

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=skylake-avx512 --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vpdpbusd < %t.none.s
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=haswell --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vpdpbusd < %t.none.s
// RUN: symshape-run %s --mtriple=aarch64-linux-gnu --assembly=%t.arm.s
// RUN: FileCheck %s --check-prefix=ARM < %t.arm.s
// NONE: {{vpmulld|vpmaddwd}}
// ARM: mlal
func.func @main(%a: tensor<?x?x?xi8>, %b: tensor<?x?x?xi8>, %x: tensor<?x?x?x8xi8>, %w: tensor<16x3x3x8xi8> {symshape.weight = "w"})
    -> (tensor<?x?x?xi32>, tensor<?x?x?x16xi32>) {
  %three = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %bias = "tosa.const"() <{values = dense<1> : tensor<16xi32>}> : () -> tensor<16xi32>
  %r = tosa.matmul %a, %b, %three, %zero : (tensor<?x?x?xi8>, tensor<?x?x?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?x?xi32>
  %s = tosa.conv2d %x, %w, %bias, %three, %zero {acc_type = i32, dilation = array<i64: 1, 1>,
         pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
       : (tensor<?x?x?x8xi8>, tensor<16x3x3x8xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?x?x16xi32>
  return %r, %s : tensor<?x?x?xi32>, tensor<?x?x?x16xi32>
}
