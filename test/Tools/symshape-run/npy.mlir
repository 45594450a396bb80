// Arrays of NumPy in and out: every type, byte order and memory order.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/make_arrays.py %t
// RUN: symshape-run %s --entry=f32 --calls=%t/f32.calls --output=%t/f32_{call}.out.npy
// RUN: symshape-run %s --entry=i64 --calls=%t/i64.calls --output=%t/i64_{call}.out.npy
// RUN: symshape-run %s --entry=i16 --calls=%t/i16.calls --output=%t/i16_{call}.out.npy
// RUN: symshape-run %s --entry=i1 --calls=%t/i1.calls --output=%t/i1_{call}.out.npy
// RUN: symshape-run %s --entry=f16 --calls=%t/f16.calls --output=%t/f16_{call}.out.npy
// RUN: symshape-run %s --entry=f64 --calls=%t/f64.calls --output=%t/f64_{call}.out.npy
// RUN: symshape-run %s --entry=bf16 --calls=%t/bf16.calls --output=%t/bf16_{call}.out.npy
// RUN: symshape-run %s --entry=index --calls=%t/i64.calls --output=%t/index_{call}.out.npy
// RUN: %python %S/Inputs/compare_arrays.py %t

// What is computed of bits in a file: the least number, one, -pi and infinity.
// RUN: %python -c "import numpy as n; n.save('%t/halves', n.array([1, 0x3f80, 0xc049, 0x7f80], '<u2').view('V2'))"
// RUN: symshape-run %s --entry=twice --input=@%t/halves.npy | FileCheck %s
// CHECK: 4xbf16: [1.837e-40, 2, -6.281, inf]
func.func @twice(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = arith.addf %x, %x : tensor<4xbf16>
  return %r : tensor<4xbf16>
}

func.func @f32(%x: tensor<?x?xf32>) -> tensor<?x?xf32> { return %x : tensor<?x?xf32> }
func.func @f64(%x: tensor<?x?xf64>) -> tensor<?x?xf64> { return %x : tensor<?x?xf64> }
func.func @f16(%x: tensor<?x?xf16>) -> tensor<?x?xf16> { return %x : tensor<?x?xf16> }
func.func @bf16(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> { return %x : tensor<?x?xbf16> }
func.func @i64(%x: tensor<?x?xi64>) -> tensor<?x?xi64> { return %x : tensor<?x?xi64> }
func.func @i16(%x: tensor<?x?xi16>) -> tensor<?x?xi16> { return %x : tensor<?x?xi16> }
func.func @i1(%x: tensor<?x?xi1>) -> tensor<?x?xi1> { return %x : tensor<?x?xi1> }
func.func @index(%x: tensor<?x?xindex>) -> tensor<?x?xindex> { return %x : tensor<?x?xindex> }
