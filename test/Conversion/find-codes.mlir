// RUN: symshape-opt %s --symshape-find-codes --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Positive: bytes with a sign, columns last, a zero and a scale for each column. Two
// weights of one kind share a function.
// CHECK-LABEL: func.func private @symshape.find_codes(
// CHECK-SAME: %[[Q:.*]]: tensor<8x4xi8>, %[[Z:.*]]: tensor<4xi8>, %[[S:.*]]: tensor<4xf32>) -> (tensor<4x8xi8>, tensor<4x1xf32>, tensor<4x1xf32>) attributes {no_inline}
// CHECK: linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: arith.xori
// CHECK: linalg.generic {{.*}} ins(%[[Z]], %[[S]] :
// CHECK: linalg.generic {{.*}} ins(%[[Z]], %[[S]] :
// CHECK: arith.extsi
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @columns_last(
// CHECK-SAME: %{{.*}}, %[[A:.*]]: tensor<8x4xi8> {{.*}}, %[[B:.*]]: tensor<8x4xi8> {{.*}}, %[[ZS:.*]]: tensor<4xi8> {{.*}}, %[[SS:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]]:3 = call @symshape.find_codes(%[[A]], %[[ZS]], %[[SS]])
// CHECK: %[[N:.*]] = symshape.dequantize %[[C]]#0 scales %[[C]]#1 zeros %[[C]]#2 bits 8 block 16
// CHECK-SAME: to tensor<4x8xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[N]]
// CHECK: call @symshape.find_codes(%[[B]], %[[ZS]], %[[SS]])
// CHECK: linalg.matmul ins(%{{.*}}, %[[T]]
func.func @columns_last(%x: tensor<?x8xf32>, %a: tensor<8x4xi8> {symshape.weight = "a"}, %b: tensor<8x4xi8> {symshape.weight = "b"}, %z: tensor<4xi8> {symshape.weight = "z"}, %s: tensor<4xf32> {symshape.weight = "s"}, %init: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %v = linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %z, %s : tensor<8x4xi8>, tensor<4xi8>, tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %zero: i8, %scale: f32, %out: f32):
    %0 = arith.extsi %q : i8 to i32
    %1 = arith.extsi %zero : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    linalg.yield %4 : f32
  } -> tensor<8x4xf32>
  %w = linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %z, %s : tensor<8x4xi8>, tensor<4xi8>, tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %zero: i8, %scale: f32, %out: f32):
    %0 = arith.extsi %q : i8 to i32
    %1 = arith.extsi %zero : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    linalg.yield %4 : f32
  } -> tensor<8x4xf32>
  %r = linalg.matmul ins(%x, %v : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %t = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r, %t : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Positive: bytes without a sign, an open number of columns, which are first, and one
// scale, a scalar; the zero is 0.
// CHECK-LABEL: func.func private @symshape.find_codes(
// CHECK-SAME: tensor<?x20xi8>, %{{.*}}: f32) -> (tensor<?x20xi8>, tensor<?x1xf32>, tensor<?x1xf32>)
// CHECK-NOT: arith.xori
// CHECK-LABEL: func.func @one_scale(
// CHECK: symshape.dequantize {{.*}} bits 8 block 32 : tensor<?x20xi8>, tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x20xf32>
func.func @one_scale(%x: tensor<?x20xf32>, %q: tensor<?x20xi8> {symshape.weight = "q"}, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.5 : f32
  %n = tensor.dim %q, %c0 : tensor<?x20xi8>
  %e = tensor.empty(%n) : tensor<?x20xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x20xi8>) outs(%e : tensor<?x20xf32>) {
  ^bb0(%code: i8, %out: f32):
    %0 = arith.uitofp %code : i8 to f32
    %1 = arith.mulf %scale, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x20xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : tensor<?x20xf32>, tensor<?x20xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Must not fire: a scale for each term; bytes that come with the call; a zero to which
// 128 cannot be added exactly; a difference that wraps.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: dequantize
// CHECK-NOT: call
// CHECK: return
func.func @stays(%x: tensor<?x8xf32>, %a: tensor<8x4xi8> {symshape.weight = "a"}, %s: tensor<8xf32> {symshape.weight = "s"}, %b: tensor<8x4xi8>, %init: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %w0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<8x4xi8>, tensor<8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  %w1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %out: f32):
    %0 = arith.sitofp %q : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %w2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %out: f32):
    %zero = arith.constant 0.1 : f32
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.subf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  %w3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%q: i8, %out: f32):
    %zero = arith.constant 3 : i8
    %0 = arith.subi %q, %zero : i8
    %1 = arith.sitofp %0 : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  %r0 = linalg.matmul ins(%x, %w0 : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r1 = linalg.matmul ins(%x, %w1 : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r2 = linalg.matmul ins(%x, %w2 : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r3 = linalg.matmul ins(%x, %w3 : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r0, %r1, %r2, %r3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
