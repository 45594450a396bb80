// RUN: symshape-opt %s --symshape-lower-tm-tensor --split-input-file | FileCheck %s
// RUN: symshape-opt %s --split-input-file | symshape-opt --split-input-file | FileCheck %s --check-prefix=TEXT

// Positive: sums so far; the accumulator is not used.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[O:.*]]: tensor<?x4xf32>
// CHECK:         symshape.assert "a == b"
// CHECK-SAME:      "extents of the input and the output must be equal"
// CHECK-NOT:     symshape.assert "a == b"
// CHECK:         %[[R:.*]] = symshape.cumsum %[[X]] axis 0 : tensor<?x4xf32>
// CHECK:         return %[[R]]
// TEXT-LABEL:  func.func @sums(
// TEXT:          tm_tensor.scan dimension(0) inclusive(true) ins(%{{.*}} : tensor<?x4xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<4xf32>) {
func.func @sums(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>, %a: tensor<4xf32>) -> tensor<?x4xf32> {
  %r:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : tensor<?x4xf32>) outs(%o, %a : tensor<?x4xf32>, tensor<4xf32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.addf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x4xf32>, tensor<4xf32>
  return %r#0 : tensor<?x4xf32>
}

// -----

// Positive: the greatest so far is a loop, which begins with the least number.
// CHECK-LABEL: func.func @greatest(
// CHECK:         %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK:         linalg.fill ins(%[[LEAST]] : i32)
// CHECK:         scf.for
// CHECK:           arith.maxsi
func.func @greatest(%x: tensor<?xi32>, %o: tensor<?xi32>, %a: tensor<i32>) -> (tensor<?xi32>, tensor<i32>) {
  %r:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : tensor<?xi32>) outs(%o, %a : tensor<?xi32>, tensor<i32>) {
  ^bb0(%last: i32, %element: i32):
    %s = arith.maxsi %element, %last : i32
    tm_tensor.yield %s : i32
  } -> tensor<?xi32>, tensor<i32>
  return %r#0, %r#1 : tensor<?xi32>, tensor<i32>
}

// -----

// Positive: windows along the last axis; no branch, as there are places.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:    %[[X:.*]]: tensor<8x?xf32>, %[[I:.*]]: tensor<?x1xi32>, %[[U:.*]]: tensor<?x?xf32>)
// CHECK-NOT:     scf.if
// CHECK:         symshape.scatter update promise_in_bounds %[[U]] into %[[X]][%[[I]]]
// CHECK-SAME:      inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, unique_indices, update_window_dims = array<i64: 1>
// TEXT-LABEL:  func.func @windows(
// TEXT:          tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(
func.func @windows(%x: tensor<8x?xf32>, %i: tensor<?x1xi32>, %u: tensor<?x?xf32>) -> tensor<8x?xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %i : tensor<?x?xf32>, tensor<?x1xi32>) outs(%x : tensor<8x?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %update : f32
  } -> tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// -----

// Positive: a number for each update, as a mean counts them.
// CHECK-LABEL: func.func @counts(
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[ONES:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK:         symshape.scatter add promise_in_bounds %[[ONES]] into
func.func @counts(%x: tensor<8xf32>, %i: tensor<?x1xi32>, %u: tensor<?xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%u, %i : tensor<?xf32>, tensor<?x1xi32>) outs(%x : tensor<8xf32>) {
  ^bb0(%update: f32, %element: f32):
    %s = arith.addf %element, %one : f32
    tm_tensor.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Positive: from the greatest, by the second output.
// CHECK-LABEL: func.func @descending(
// CHECK-SAME:    %[[V:.*]]: tensor<?xi64>, %[[K:.*]]: tensor<?xf32>)
// CHECK:         %[[S:.*]], %[[P:.*]] = symshape.top_k %[[K]], %{{.*}} axis 0
// CHECK:         %[[W:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<?xi64>)
// CHECK:         return %[[W]], %[[S]]
// TEXT-LABEL:  func.func @descending(
// TEXT:          tm_tensor.sort dimension(0) outs(%
func.func @descending(%v: tensor<?xi64>, %k: tensor<?xf32>) -> (tensor<?xi64>, tensor<?xf32>) {
  %r:2 = tm_tensor.sort dimension(0) outs(%v, %k : tensor<?xi64>, tensor<?xf32>) {
  ^bb0(%a: i64, %b: i64, %c: f32, %d: f32):
    %g = arith.cmpf ole, %d, %c : f32
    tm_tensor.yield %g : i1
  } -> tensor<?xi64>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xf32>
}

// -----

// Positive: the greatest three, and their places.
// CHECK-LABEL: func.func @top(
// CHECK:         symshape.top_k %{{.*}}, %{{.*}} axis 1 : tensor<?x?xf32> to tensor<?x3xf32>, tensor<?x3xi64>
// TEXT-LABEL:  func.func @top(
// TEXT:          tm_tensor.topk dimension(1) ins(%{{.*}} : tensor<?x?xf32>) outs(
func.func @top(%x: tensor<?x?xf32>, %e: tensor<?x3xf32>, %p: tensor<?x3xi64>) -> (tensor<?x3xf32>, tensor<?x3xi64>) {
  %least = arith.constant 0xFF800000 : f32
  %v = linalg.fill ins(%least : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<?x?xf32>)
      outs(%v, %p : tensor<?x3xf32>, tensor<?x3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?x3xf32>, tensor<?x3xi64>
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<?x3xi64>
}

// -----

// Unsigned integers are signed ones with the other sign bit.
// CHECK-LABEL: func.func @descending_unsigned(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi32>)
func.func @descending_unsigned(%x: tensor<?xi32>) -> tensor<?xi32> {
  // CHECK:      %[[IN:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?xi32>)
  // CHECK:        arith.xori %{{.*}}, %c-2147483648_i32
  // CHECK:      %[[SORTED:.*]], %{{.*}} = symshape.top_k %[[IN]]
  // CHECK:      %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[SORTED]] : tensor<?xi32>)
  // CHECK:        arith.xori
  // CHECK:      return %[[OUT]]
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi uge, %a, %b : i32
    tm_tensor.yield %c : i1
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
