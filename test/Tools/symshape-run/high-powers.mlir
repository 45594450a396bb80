// A guard of a high power is decided although no integer that it is computed with is
// as wide as the power: clamped, where what counts is that it is too large.

// RUN: symshape-run %s --entry=power32 --input=3x1xi8=zeros | FileCheck %s --check-prefix=FITS
// RUN: symshape-run %s --entry=power32 --input=0x9xi8=zeros | FileCheck %s --check-prefix=ZERO
// RUN: symshape-run %s --entry=power32 --input=1x1xi8=zeros | FileCheck %s --check-prefix=ONE
// RUN: sh -c "symshape-run %s --entry=power32 --input=4x1xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=LARGE
// FITS: index: 1853020188851841
// ZERO: index: 0
// ONE:  index: 1
// LARGE: @power32: guard failed
// LARGE: exit 3

// RUN: symshape-run %s --entry=power512 --input=1x1xi8=zeros | FileCheck %s --check-prefix=ONE
// RUN: symshape-run %s --entry=power512 --input=7x0xi8=zeros | FileCheck %s --check-prefix=ZERO
// RUN: sh -c "symshape-run %s --entry=power512 --input=1x2xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: @power512: guard failed
// WIDE: observed = ... > 9223372036854775807
// WIDE: exit 3

func.func @power32(%x0: tensor<?x?xi8>) -> index {
  %c0 = arith.constant 0 : index
  %k0 = tensor.collapse_shape %x0 [[0, 1]] : tensor<?x?xi8> into tensor<?xi8>
  %n0 = tensor.dim %k0, %c0 : tensor<?xi8>
  %r = func.call @square5(%n0) : (index) -> index
  return %r : index
}
func.func @power512(%x0: tensor<?x?xi8>) -> index {
  %c0 = arith.constant 0 : index
  %k0 = tensor.collapse_shape %x0 [[0, 1]] : tensor<?x?xi8> into tensor<?xi8>
  %n0 = tensor.dim %k0, %c0 : tensor<?xi8>
  %n1 = func.call @square5(%n0) : (index) -> index
  %n2 = func.call @square(%n1) : (index) -> index
  %n3 = func.call @square(%n2) : (index) -> index
  %n4 = func.call @square(%n3) : (index) -> index
  %r = func.call @square(%n4) : (index) -> index
  return %r : index
}
func.func private @square5(%n0: index) -> index {
  %n1 = func.call @square(%n0) : (index) -> index
  %n2 = func.call @square(%n1) : (index) -> index
  %n3 = func.call @square(%n2) : (index) -> index
  %n4 = func.call @square(%n3) : (index) -> index
  %r = func.call @square(%n4) : (index) -> index
  return %r : index
}
func.func private @square(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n, %n) : tensor<?x?xi8>
  %k = tensor.collapse_shape %e [[0, 1]] : tensor<?x?xi8> into tensor<?xi8>
  %r = tensor.dim %k, %c0 : tensor<?xi8>
  return %r : index
}
