// RUN: symshape-opt %s --symshape-vjp="function=padded wrt=0" | FileCheck %s
// RUN: symshape-opt %s --symshape-vjp="function=twice wrt=0" | FileCheck %s --check-prefix=TWICE

// The extents of what is padded are asked of the tensor before the cast: they
// are known from outside of the linear program, like those of its operands.

// CHECK: func.func private @padded.transpose(%[[N:[a-z0-9]+]]: index, %[[WIDTH:[a-z0-9]+]]: index, %[[COTANGENT:[a-z0-9]+]]: tensor<?x?xf64>) -> tensor<8x?xf64>
// CHECK-NOT: tensor.dim
// CHECK: tensor.extract_slice %[[COTANGENT]][%[[N]], 1] [%{{.*}}, %[[WIDTH]]] [1, 1]
func.func @padded(%x: tensor<8x?xf64>, %n: index) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %cast = tensor.cast %x : tensor<8x?xf64> to tensor<?x?xf64>
  %r = tensor.pad %cast low[%n, 1] high[%n, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// TWICE: func.func private @twice.transpose(
// TWICE-NOT: tensor.dim
// TWICE-COUNT-2: tensor.extract_slice
// TWICE: return
func.func @twice(%x: tensor<8x?xf64>, %n: index) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %cast = tensor.cast %x : tensor<8x?xf64> to tensor<?x?xf64>
  %p = tensor.pad %cast low[%n, 1] high[%n, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<?x?xf64> to tensor<?x?xf64>
  %again = tensor.cast %p : tensor<?x?xf64> to tensor<?x9xf64>
  %back = tensor.cast %again : tensor<?x9xf64> to tensor<?x?xf64>
  %r = tensor.pad %back low[0, 0] high[%n, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<?x?xf64> to tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
