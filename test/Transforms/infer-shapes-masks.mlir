// What is masked gets no cast beside it, for which a mask has no room; what the mask returns does.

// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s
// RUN: symshape-run %s --entry=run --input=2x4xi64=iota | FileCheck %s --check-prefix=CALL

// CHECK-LABEL: @write
// CHECK: vector.mask %{{.*}} { vector.transfer_write %{{.*}} : vector<4x4xf32>, tensor<{{.*}}> }
// CHECK-NOT: symshape.assert
// CHECK: return
func.func @write(%v: vector<4x4xf32>, %m: vector<4x4xi1>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %t = tensor.empty(%c8, %c4) : tensor<?x?xf32>
  %r = vector.mask %m { vector.transfer_write %v, %t[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, tensor<?x?xf32> } : vector<4x4xi1> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CALL: 2x4xi64: {{\[}}[0, 10, 20, 3], [40, 50, 60, 7]]
func.func @run(%x: tensor<2x4xi64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %ten = arith.constant dense<10> : vector<2x4xi64>
  %t = tensor.cast %x : tensor<2x4xi64> to tensor<?x?xi64>
  %m = vector.create_mask %c2, %c3 : vector<2x4xi1>
  %v = vector.mask %m { vector.transfer_read %t[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<?x?xi64>, vector<2x4xi64> } : vector<2x4xi1> -> vector<2x4xi64>
  %w = arith.muli %v, %ten : vector<2x4xi64>
  %r = vector.mask %m { vector.transfer_write %w, %t[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi64>, tensor<?x?xi64> } : vector<2x4xi1> -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}
