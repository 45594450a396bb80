// RUN: not symshape-run %s --entry=pad --input=3xf32=iota --input=index=9223372036854775807 --input=index=9223372036854775807 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not symshape-run %s --entry=collapse --input=1099511627776x1099511627776x0xf32=iota 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// RUN: symshape-run %s --entry=collapse --input=3x4x0xf32=iota | FileCheck %s --check-prefix=COLLAPSED
// RUN: not symshape-run %s --entry=concat --input=index=6148914691236517206 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: not symshape-run %s --entry=size --input=index=4294967296 --input=index=4294967296 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not symshape-run %s --entry=iota --input=index=-9223372036854775807 --input=index=9223372036854775807 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not symshape-run %s --entry=asserted --input=index=4294967296 --input=index=4294967296 2>&1 | FileCheck %s --check-prefix=ASSERTED
// RUN: not symshape-run %s --entry=asserted --input=index=9223372036854775807 --input=index=-9223372036854775808 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not symshape-run %s --entry=signed_pad --input=3xf32=iota --input=index=9223372036854775807 --input=index=9223372036854775807 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not symshape-run %s --entry=slice --input=3xf32=iota --input=index=9223372036854775807 --input=index=9223372036854775807 2>&1 | FileCheck %s --check-prefix=SLICE

// What an op adds or multiplies is computed in 64 bits. Where it does not fit, the
// call is refused, and told the number itself.

// PAD: error: symshape: @pad: %a + %b + s0 (18446744073709551617) must be at most 9223372036854775807
// PAD: symshape: {primitive = pad, field = padded dimension 0, observed = 18446744073709551617 > 9223372036854775807}
func.func @pad(%x: tensor<?xf32>, %a: index, %b: index) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.pad %x low[%a] high[%b] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// COLLAPSE:  error: symshape: @collapse: guard failed: s0*s1 (1208925819614629174706176) must be at most 9223372036854775807
// COLLAPSED: 12x0xf32: []
func.func @collapse(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CONCAT: error: symshape: @concat: 3*%a (18446744073709551618) must be at most 9223372036854775807
func.func @concat(%a: index) -> tensor<?x0xf32> {
  %p = tensor.empty(%a) : tensor<?x0xf32>
  %r = tensor.concat dim(0) %p, %p, %p : (tensor<?x0xf32>, tensor<?x0xf32>, tensor<?x0xf32>) -> tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}

// SIZE: error: symshape: @size: %a*%b (18446744073709551616) must be at most 9223372036854775807
func.func @size(%a: index, %b: index) -> index {
  %r = symshape.size "a*b" (a = %a, b = %b)
  return %r : index
}

// IOTA: error: symshape: @iota: max(0, -%a + %b) (18446744073709551614) must be at most 9223372036854775807
func.func @iota(%a: index, %b: index) -> tensor<?xi64> {
  %r = symshape.iota [%a, %b, 1] : tensor<?xi64>
  return %r : tensor<?xi64>
}

// ASSERTED: error: symshape: @asserted: assert failed: no: a*b*a == b + 7, but got 79228162514264337593543950336 and 4294967303
// NEGATIVE: but got -784637716923335095309332494440489070290330498878974984192 and -9223372036854775801
func.func @asserted(%a: index, %b: index) -> index {
  symshape.assert "a*b*a == b + 7" (a = %a, b = %b), "no"
  return %a : index
}

// SLICE: error: symshape: @slice: %a + %n (18446744073709551614) must be at most extent of %x dim 0 (s0 = 3)
func.func @slice(%x: tensor<?xf32>, %a: index, %n: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %x[%a] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// Paddings below zero cut off, and the sum alone must fit.
// BOTH: error: symshape: @signed_pad: %a + %b + s0 (18446744073709551617) must be at most 9223372036854775807
func.func @signed_pad(%x: tensor<?xf32>, %a: index, %b: index) -> tensor<?xf32> {
  %v = arith.constant 7.0 : f32
  %r = symshape.pad %x, %v low [%a] high [%b] interior [0] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: printf '3xf32=iota index=-9223372036854775808 index=9223372036854775807\n3xf32=iota index=9223372036854775807 index=-9223372036854775808\n3xf32=iota index=-9223372036854775807 index=9223372036854775806\n3xf32=iota index=-5 index=4\n3xf32=iota index=-1 index=1\n3xf32=iota index=1 index=-2\n0xf32=iota index=2 index=-1\n' > %t.calls
// RUN: symshape-run %s --entry=signed_pad --calls=%t.calls --guard-pages | FileCheck %s --check-prefix=CUT

// CUT:      2xf32: [7, 7]
// CUT:      2xf32: [7, 7]
// CUT:      2xf32: [7, 7]
// CUT:      2xf32: [7, 7]
// CUT:      3xf32: [1, 2, 7]
// CUT:      2xf32: [7, 0]
// CUT:      1xf32: [7]
