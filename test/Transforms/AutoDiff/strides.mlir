// The transpose of a slice writes each element once. With a stride of 0, several are
// one: such a slice is refused, where it cannot be told at run time.
//
// RUN: symshape-opt %s --symshape-vjp="function=both wrt=0" --symshape-vjp="function=put wrt=0,1" --symshape-vjp="function=one wrt=0" --symshape-vjp="function=known wrt=0" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: not symshape-opt %s --symshape-vjp="function=zero wrt=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: symshape-run %t.mlir --entry=both.vjp --input=4xf64=iota --input=index=3 --input=index=2 --input=index=-1 --input=2xf64=iota | FileCheck %s --check-prefix=BACK
// RUN: symshape-run %t.mlir --entry=both.vjp --input=4xf64=iota --input=index=3 --input=index=1 --input=index=0 --input=1xf64=zeros | FileCheck %s --check-prefix=ONE
// RUN: sh -c "symshape-run %t.mlir --entry=both.vjp --input=4xf64=iota --input=index=3 --input=index=2 --input=index=0 --input=2xf64=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SEVERAL

// Backwards: elements 3 and 2 get the cotangents 0 and 1.
// BACK: 4xf64: [0, 0, 1, 0]
// One element may have any stride.
// ONE: 4xf64: [0, 0, 0, 0]
// SEVERAL: error: symshape: @both.vjp: %arg2 (2) must be at most 1, or %arg3 (0) must not be 0
// SEVERAL: symshape: {primitive = slice, field = operand[3], observed = 0}
// SEVERAL-NEXT: exit 3

// CHECK: func.func private @both.transpose(
// CHECK: symshape.assert "1 <= max(s, max(-1*s, 2 - n))" (s = %{{.*}}, n = %{{.*}}), {{.*}} {symshape.triple = "{primitive = slice, field = strides[0], observed = 0}"}
func.func @both(%x: tensor<?xf64>, %o: index, %n: index, %s: index) -> tensor<?xf64> {
  %r = tensor.extract_slice %x[%o] [%n] [%s] : tensor<?xf64> to tensor<?xf64>
  return %r : tensor<?xf64>
}

// CHECK: func.func private @put.transpose(
// CHECK: symshape.assert "s != 0" (s = %{{.*}}), {{.*}} {symshape.triple = "{primitive = tensor.insert_slice, field = strides[0], observed = 0}"}
func.func @put(%x: tensor<?xf64>, %y: tensor<3xf64>, %s: index) -> tensor<?xf64> {
  %r = tensor.insert_slice %y into %x[0] [3] [%s] : tensor<3xf64> into tensor<?xf64>
  return %r : tensor<?xf64>
}

// Must not fire: at most one element, or a stride that is known.
// CHECK: func.func private @one.transpose(
// CHECK-NOT: symshape.triple
func.func @one(%x: tensor<?xf64>, %s: index) -> tensor<1xf64> {
  %r = tensor.extract_slice %x[2] [1] [%s] : tensor<?xf64> to tensor<1xf64>
  return %r : tensor<1xf64>
}

func.func @known(%x: tensor<?xf64>) -> tensor<3xf64> {
  %r = tensor.extract_slice %x[0] [3] [2] : tensor<?xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}

// ZERO: error: 'tensor.extract_slice' op expected field 'strides[0]' to be other than 0 for its derivative, but got 0
// ZERO: note: {primitive = slice, field = strides[0], observed = 0}
func.func @zero(%x: tensor<?xf64>) -> tensor<3xf64> {
  %r = tensor.extract_slice %x[3] [3] [0] : tensor<?xf64> to tensor<3xf64>
  return %r : tensor<3xf64>
}
