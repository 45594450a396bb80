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
// RUN: symshape-run %s --entry=index --calls=%t/i64.calls --output=%t/index_{call}.out.npy
// RUN: %python %S/Inputs/compare_arrays.py %t

func.func @f32(%x: tensor<?x?xf32>) -> tensor<?x?xf32> { return %x : tensor<?x?xf32> }
func.func @f64(%x: tensor<?x?xf64>) -> tensor<?x?xf64> { return %x : tensor<?x?xf64> }
func.func @f16(%x: tensor<?x?xf16>) -> tensor<?x?xf16> { return %x : tensor<?x?xf16> }
func.func @i64(%x: tensor<?x?xi64>) -> tensor<?x?xi64> { return %x : tensor<?x?xi64> }
func.func @i16(%x: tensor<?x?xi16>) -> tensor<?x?xi16> { return %x : tensor<?x?xi16> }
func.func @i1(%x: tensor<?x?xi1>) -> tensor<?x?xi1> { return %x : tensor<?x?xi1> }
func.func @index(%x: tensor<?x?xindex>) -> tensor<?x?xindex> { return %x : tensor<?x?xindex> }
