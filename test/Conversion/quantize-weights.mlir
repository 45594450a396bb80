// RUN: symshape-opt %s --symshape-quantize-weights --split-input-file --verify-diagnostics | FileCheck %s
// RUN: symshape-opt %s --symshape-quantize-weights --symshape-quantize-weights --split-input-file | FileCheck %s

module attributes {symshape.precision = "int4,-tail"} {

// Positive: columns are last in memory, so codes are made of a transposed copy. The
// function makes one block of 32 terms and one of 8; two codes are in a byte.
// CHECK-LABEL: func.func private @symshape.quantize(
// CHECK-SAME: tensor<40x24xf32>) -> (tensor<24x32xi8>, tensor<24x2xf32>) attributes {no_inline}
// CHECK: linalg.transpose
// CHECK: tensor.pad {{.*}} low[0, 0] high[0, 24]
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.mulf %{{.*}}, %[[STEP:.*]] : f32
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.fptoui
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<?x40xf32>, %[[W:.*]]: tensor<40x24xf32>
// CHECK: %[[C:.*]]:2 = call @symshape.quantize(%[[W]])
// CHECK: %[[N:.*]] = symshape.dequantize %[[C]]#0 scales %[[C]]#1 bits 4 block 32 : tensor<24x32xi8>, tensor<24x2xf32> to tensor<24x40xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[N]]
// CHECK: linalg.matmul ins(%[[X]], %[[T]] :
func.func @product(%x: tensor<?x40xf32>, %w: tensor<40x24xf32> {symshape.weight = "w"}, %init: tensor<?x24xf32>) -> tensor<?x24xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %r : tensor<?x24xf32>
}

// Positive: two products share codes, also in a loop; another weight of the type
// shares the function.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %{{.*}}: tensor<?x40xf32>, %[[W:.*]]: tensor<40x24xf32> {symshape.weight = "w"}, %[[V:.*]]: tensor<40x24xf32>
// CHECK-DAG: call @symshape.quantize(%[[W]])
// CHECK-DAG: call @symshape.quantize(%[[V]])
// CHECK-NOT: call
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: return
func.func @shared(%x: tensor<?x40xf32>, %w: tensor<40x24xf32> {symshape.weight = "w"}, %v: tensor<40x24xf32> {symshape.weight = "v"}, %init: tensor<?x24xf32>, %n: index) -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %s = linalg.matmul ins(%x, %v : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<?x24xf32> {
    %u = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x24xf32>) outs(%sum : tensor<?x24xf32>) -> tensor<?x24xf32>
    scf.yield %u : tensor<?x24xf32>
  }
  return %r, %s, %t : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>
}

// Must not fire: layers that are named, a right operand that comes with the call, a
// dynamic number of terms, weights of batches, and numbers that codes stand for.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: call
// CHECK-COUNT-1: symshape.dequantize
// CHECK-NOT: symshape.dequantize
// CHECK: return
func.func @stays(%x: tensor<?x40xf32>, %w: tensor<40x24xf32> {symshape.weight = "w"}, %y: tensor<40x24xf32>, %d: tensor<?x24xf32> {symshape.weight = "d"}, %b: tensor<2x40x24xf32> {symshape.weight = "b"}, %xs: tensor<2x?x40xf32>, %inits: tensor<2x?x24xf32>, %q: tensor<24x20xi8> {symshape.weight = "q"}, %s: tensor<24x2xf32> {symshape.weight = "s"}, %init: tensor<?x24xf32>) -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>, tensor<2x?x24xf32>, tensor<?x24xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32> loc("tail/0")
  %1 = linalg.matmul ins(%x, %y : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %c = tensor.cast %x : tensor<?x40xf32> to tensor<?x?xf32>
  %2 = linalg.matmul ins(%c, %d : tensor<?x?xf32>, tensor<?x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %3 = linalg.batch_matmul ins(%xs, %b : tensor<2x?x40xf32>, tensor<2x40x24xf32>) outs(%inits : tensor<2x?x24xf32>) -> tensor<2x?x24xf32>
  %n = symshape.dequantize %q scales %s bits 4 block 32 : tensor<24x20xi8>, tensor<24x2xf32> to tensor<24x40xf32>
  %e = tensor.empty() : tensor<40x24xf32>
  %t = linalg.transpose ins(%n : tensor<24x40xf32>) outs(%e : tensor<40x24xf32>) permutation = [1, 0]
  %4 = linalg.matmul ins(%x, %t : tensor<?x40xf32>, tensor<40x24xf32>) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %0, %1, %2, %3, %4 : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>, tensor<2x?x24xf32>, tensor<?x24xf32>
}

// Positive: 8 bits in a module of its own, a constant as weight, open columns.
module attributes {symshape.precision = "int8"} {
// CHECK-DAG: func.func private @symshape.quantize(%{{.*}}: tensor<?x32xf32>) -> (tensor<?x32xi8>, tensor<?x1xf32>)
// CHECK-DAG: func.func private @symshape.quantize_0(%{{.*}}: tensor<2x4xf32>) -> (tensor<2x32xi8>, tensor<2x1xf32>)
// CHECK: func.func @bytes(
// CHECK-DAG: symshape.dequantize {{.*}} bits 8 block 32 : tensor<?x32xi8>, tensor<?x1xf32> to tensor<?x32xf32>
// CHECK-DAG: symshape.dequantize {{.*}} bits 8 block 32 : tensor<2x32xi8>, tensor<2x1xf32> to tensor<2x4xf32>
func.func @bytes(%x: tensor<?x32xf32>, %w: tensor<?x32xf32> {symshape.weight = "w"}, %init: tensor<?x?xf32>, %y: tensor<?x4xf32>, %inits: tensor<?x2xf32>) -> (tensor<?x?xf32>, tensor<?x2xf32>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.5, 0.0, 1.0, 2.0]]> : tensor<2x4xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : tensor<?x32xf32>, tensor<?x32xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%y, %c : tensor<?x4xf32>, tensor<2x4xf32>) outs(%inits : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x2xf32>
}
}
}

// -----

// expected-warning@+1 {{expected a product in a layer 'head', which is to stay in f32, but got none}}
module attributes {symshape.precision = "int8,-head"} {
}
