// Products of bytes use the instruction that adds four of them, if the CPU has
// it: in vectors of 512 bits with AVX512-VNNI, of 256 with AVX-VNNI.

// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=cascadelake --assembly=%t.512.s
// RUN: FileCheck %s --check-prefix=VNNI512 --implicit-check-not=vpmulld < %t.512.s
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=alderlake --assembly=%t.256.s
// RUN: FileCheck %s --check-prefix=VNNI256 --implicit-check-not=zmm < %t.256.s
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=skylake-avx512 --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vpdpbusd < %t.none.s
// RUN: symshape-run %s --mtriple=x86_64-linux-gnu --cpu=haswell --assembly=%t.none.s
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=vpdpbusd < %t.none.s
// RUN: symshape-run %s --mtriple=aarch64-linux-gnu --assembly=%t.arm.s
// RUN: FileCheck %s --check-prefix=ARM < %t.arm.s

// VNNI512-LABEL: symshape.tile.i8.i8.i32.14x32.us4:
// VNNI512: vpdpbusd {{.*}}%zmm
// VNNI256-LABEL: symshape.tile.i8.i8.i32.6x16.us4:
// VNNI256: {vex} vpdpbusd {{.*}}%ymm
// NONE: vpmulld
// ARM: mla
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
