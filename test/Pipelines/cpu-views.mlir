// RUN: symshape-opt %s --symshape-cpu='guards=false' --mlir-print-ir-after=symshape-results-to-arguments -o /dev/null 2>&1 | FileCheck %s

// Concatenation and padding of computed values copy nothing: each part is
// computed where it belongs in the result.

// CHECK-LABEL: func.func @concat(
// CHECK:         %[[R:.*]] = memref.alloc(
// CHECK:         %[[FIRST:.*]] = memref.subview %[[R]][0, 0]
// CHECK:         linalg.generic {{.*}} outs(%[[FIRST]]
// CHECK:           math.exp
// CHECK:         %[[SECOND:.*]] = memref.subview %[[R]][%{{.*}}, 0]
// CHECK:         linalg.generic {{.*}} outs(%[[SECOND]]
// CHECK:           arith.negf
// CHECK-NOT:     {{alloc|copy|linalg\.[^y]}}
// CHECK:         return %[[R]]
func.func @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %n = tensor.dim %b, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %f = tensor.empty(%n) : tensor<?x8xf32>
  %x = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.negf ins(%b : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = tensor.concat dim(0) %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK:         %[[R:.*]] = memref.alloc(
// CHECK-COUNT-2: linalg.fill
// CHECK:         %[[MIDDLE:.*]] = memref.subview %[[R]][1, 0]
// CHECK:         linalg.generic {{.*}} outs(%[[MIDDLE]]
// CHECK-NOT:     {{alloc|copy|linalg\.[^y]}}
// CHECK:         return %[[R]]
func.func @pad(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %x = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x8xf32> to tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
