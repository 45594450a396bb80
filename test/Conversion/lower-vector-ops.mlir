// Transfers that are no contiguous row become loops over rows; a program without them stays as it is.

// RUN: symshape-opt %s --symshape-lower-vector-ops | FileCheck %s
// RUN: symshape-run %s --entry=run --input=3x5xi64=iota | FileCheck %s --check-prefix=CALL
// RUN: symshape-run %s --entry=run --input=3x5xi64=iota --compile=quick | FileCheck %s --check-prefix=CALL
// RUN: symshape-run %s --entry=run --input=0x1xi64=iota --guard-pages | FileCheck %s --check-prefix=EMPTY

// CHECK-LABEL: @transposed
// CHECK-NOT: permutation_map
// CHECK: scf.for
// CHECK: vector.transpose
func.func @transposed(%m: memref<?x?xi64>, %i: index) -> vector<2x4xi64> {
  %pad = arith.constant -1 : i64
  %v = vector.transfer_read %m[%i, %i], %pad {permutation_map = affine_map<(r, c) -> (c, r)>} : memref<?x?xi64>, vector<2x4xi64>
  return %v : vector<2x4xi64>
}

// CHECK-LABEL: @reductions
// CHECK-NOT: vector.multi_reduction
// CHECK-NOT: vector.scan
// CHECK: return
func.func @reductions(%v: vector<2x4xi64>, %acc: vector<2xi64>) -> (vector<2xi64>, vector<2x4xi64>) {
  %s = vector.multi_reduction <add>, %v, %acc [1] : vector<2x4xi64> to vector<2xi64>
  %all, %last = vector.scan <add>, %v, %acc {inclusive = true, reduction_dim = 1} : vector<2x4xi64>, vector<2xi64>
  return %s, %all : vector<2xi64>, vector<2x4xi64>
}

// CHECK-LABEL: @untouched
// CHECK-NEXT: arith.constant
// CHECK-NEXT: vector.load
// CHECK-NEXT: return
func.func @untouched(%m: memref<?xi64>) -> vector<4xi64> {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<?xi64>, vector<4xi64>
  return %v : vector<4xi64>
}

// What upstream's vectorisation of a transposition leaves, and a print.
// CALL: ( ( 0, 5, 10, -1 ), ( 1, 6, 11, -1 ), ( 2, 7, 12, -1 ), ( 3, 8, 13, -1 ) )
// CALL: 4x4xi64: {{\[}}[0, 5, 10, -1], [1, 6, 11, -1], [2, 7, 12, -1], [3, 8, 13, -1]]
// EMPTY: 4x4xi64: {{\[}}[-1, -1, -1, -1], [-1, -1, -1, -1], [-1, -1, -1, -1], [-1, -1, -1, -1]]
func.func @run(%x: tensor<?x?xi64>) -> tensor<4x4xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %e = tensor.empty() : tensor<4x4xi64>
  %v = vector.transfer_read %x[%c0, %c0], %pad {permutation_map = affine_map<(r, c) -> (c, r)>} : tensor<?x?xi64>, vector<4x4xi64>
  vector.print %v : vector<4x4xi64>
  %r = vector.transfer_write %v, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xi64>, tensor<4x4xi64>
  return %r : tensor<4x4xi64>
}
