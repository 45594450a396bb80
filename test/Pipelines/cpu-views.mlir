// RUN: symshape-opt %s --symshape-cpu='guards=false' --mlir-print-ir-after=symshape-results-to-arguments -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=memref.copy

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

// Two tensors of one shape with equal borders, and two sums that start from
// one filled tensor: a buffer for each.

// CHECK-LABEL: func.func @equal_borders(
// CHECK-COUNT-4: = memref.alloc(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @equal_borders(%a: tensor<?x?xf32>, %w: tensor<3x3xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %x = linalg.exp ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.conv_2d ins(%p, %w : tensor<?x?xf32>, tensor<3x3xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.negf ins(%c : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = tensor.pad %y low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %r = linalg.conv_2d ins(%q, %w : tensor<?x?xf32>, tensor<3x3xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
