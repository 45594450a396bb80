// RUN: symshape-opt %s --symshape-lower-tm-tensor --split-input-file --verify-diagnostics
// RUN: symshape-opt %s --symshape-cpu --split-input-file --verify-diagnostics

// Negative: differences.
func.func @scan_subtracts(%x: tensor<?xf32>, %o: tensor<?xf32>, %a: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a region that adds, multiplies, or takes the greatest or least of its arguments}}
  %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?xf32>) outs(%o, %a : tensor<?xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.subf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>, tensor<f32>
  return %r#0 : tensor<?xf32>
}

// -----

// Negative: a greatest that ignores NaN.
func.func @scan_ignores_nan(%x: tensor<?xf32>, %o: tensor<?xf32>, %a: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a region that adds, multiplies, or takes the greatest or least of its arguments}}
  %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?xf32>) outs(%o, %a : tensor<?xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.maxnumf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>, tensor<f32>
  return %r#0 : tensor<?xf32>
}

// -----

// Negative: a scan that does not combine.
func.func @scan_keeps_last(%x: tensor<?xf32>, %o: tensor<?xf32>, %a: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a region that adds, multiplies, or takes the greatest or least of its arguments}}
  %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?xf32>) outs(%o, %a : tensor<?xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    tm_tensor.yield %element : f32
  } -> tensor<?xf32>, tensor<f32>
  return %r#0 : tensor<?xf32>
}

// -----

// Negative: of one argument twice.
func.func @scan_squares(%x: tensor<?xf32>, %o: tensor<?xf32>, %a: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a region that adds, multiplies, or takes the greatest or least of its arguments}}
  %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?xf32>) outs(%o, %a : tensor<?xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.mulf %last, %last : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>, tensor<f32>
  return %r#0 : tensor<?xf32>
}

// -----

// Negative: extents that types tell apart.
func.func @scan_extents(%x: tensor<3xf32>, %o: tensor<4xf32>, %a: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected equal extents of the input and the output, but got 3 and 4}}
  %r:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<3xf32>) outs(%o, %a : tensor<4xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.addf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<4xf32>, tensor<f32>
  return %r#0 : tensor<4xf32>
}

// -----

// Negative: an axis that is not there.
func.func @scan_of_no_axis(%x: tensor<?xf32>, %o: tensor<?xf32>, %a: tensor<f32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected 'dimension' to be at least 0 and less than 1, but got 1}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<?xf32>) outs(%o, %a : tensor<?xf32>, tensor<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.addf %last, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>, tensor<f32>
  return %r#0 : tensor<?xf32>
}

// -----

// Negative: buffers.
func.func @scan_of_buffers(%x: memref<?xf32>, %o: memref<?xf32>, %a: memref<f32>) {
  // expected-error@+1 {{'tm_tensor.scan' op operand #0 must be variadic of ranked tensor}}
  tm_tensor.scan dimension(0) inclusive(true) ins(%x : memref<?xf32>) outs(%o, %a : memref<?xf32>, memref<f32>) {
  ^bb0(%last: f32, %element: f32):
    %s = arith.addf %last, %element : f32
    tm_tensor.yield %s : f32
  }
  return
}

// -----

// Negative: quotients.
func.func @scatter_divides(%x: tensor<?xf32>, %i: tensor<?x1xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected a region that adds, multiplies, takes the greatest or least of its arguments, or replaces}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    %s = arith.divf %element, %update : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: what changes nothing.
func.func @scatter_keeps(%x: tensor<?xf32>, %i: tensor<?x1xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected a region that adds}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %element : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: two ops.
func.func @scatter_two_ops(%x: tensor<?xf32>, %i: tensor<?x1xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected a region that adds}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    %t = arith.mulf %update, %update : f32
    %s = arith.addf %element, %t : f32
    tm_tensor.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: rows of another length than the map.
func.func @scatter_by_longer_rows(%x: tensor<?xf32>, %i: tensor<?x2xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected rows of 1 integers of 32 or 64 bits, but got 'tensor<?x2xi64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?xf32>, tensor<?x2xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %update : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: rows of a length that is not known.
func.func @scatter_by_rows_of_any_length(%x: tensor<?xf32>, %i: tensor<?x?xi64>, %u: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected rows of 1 integers of 32 or 64 bits, but got 'tensor<?x?xi64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?xf32>, tensor<?x?xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %update : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: an axis that nothing says.
func.func @scatter_without_an_axis(%x: tensor<?x?xf32>, %i: tensor<?x1xi64>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected 'dimension_map' to have axis 0, along which windows do not extend}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(false) ins(%u, %i : tensor<?x?xf32>, tensor<?x1xi64>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %update : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Negative: updates of too many axes.
func.func @scatter_of_too_many_axes(%x: tensor<?xf32>, %i: tensor<?x1xi64>, %u: tensor<?x?x?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.scatter' op expected updates of rank 1 to 2, but got 3}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<?x?x?xf32>, tensor<?x1xi64>) outs(%x : tensor<?xf32>) {
  ^bb0(%update: f32, %element: f32):
    tm_tensor.yield %update : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: no order.
func.func @sort_equal(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.sort' op expected a region that compares the elements of one output, as floats or integers}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oeq, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: an element beside itself.
func.func @sort_itself(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.sort' op expected a region that compares the elements of one output, as floats or integers}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %a : f32
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: no comparison.
func.func @sort_constant(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tm_tensor.sort' op expected a region that compares the elements of one output, as floats or integers}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant true
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: bits.
func.func @sort_bits(%x: tensor<?xi1>) -> tensor<?xi1> {
  // expected-error@+1 {{'tm_tensor.sort' op expected floats, or integers of more than one bit, but got 'i1'}}
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?xi1>) {
  ^bb0(%a: i1, %b: i1):
    %c = arith.cmpi sle, %a, %b : i1
    tm_tensor.yield %c : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}

// -----

// Negative: values that take part.
func.func @topk_begins_with_zeros(%x: tensor<?xf32>, %e: tensor<3xf32>, %p: tensor<3xi64>) -> tensor<3xf32> {
  %f = arith.constant 0.0 : f32
  %v = linalg.fill ins(%f : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  // expected-error@+1 {{'tm_tensor.topk' op expected an output of values that is filled with the last value of the order}}
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<?xf32>) outs(%v, %p : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi64>
  return %r#0 : tensor<3xf32>
}

// -----

// Negative: the first value of the order.
func.func @topk_begins_at_the_other_end(%x: tensor<?xf32>, %e: tensor<3xf32>, %p: tensor<3xi64>) -> tensor<3xf32> {
  %f = arith.constant 0x7F800000 : f32
  %v = linalg.fill ins(%f : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  // expected-error@+1 {{'tm_tensor.topk' op expected an output of values that is filled with the last value of the order}}
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<?xf32>) outs(%v, %p : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi64>
  return %r#0 : tensor<3xf32>
}

// -----

// Negative: equal elements that change places.
func.func @topk_not_strict(%x: tensor<?xf32>, %e: tensor<3xf32>, %p: tensor<3xi64>) -> tensor<3xf32> {
  %f = arith.constant 0xFF800000 : f32
  %v = linalg.fill ins(%f : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  // expected-error@+1 {{'tm_tensor.topk' op expected a region that says whether one element is greater, or less}}
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<?xf32>) outs(%v, %p : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi64>
  return %r#0 : tensor<3xf32>
}

// -----

// Negative: integers.
func.func @attention_of_integers(%q: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
  // expected-error@+1 {{'tm_tensor.attention' op expected floats, but got 'i32'}}
  %r = tm_tensor.attention ins(%q, %q, %q : tensor<2x3x4xi32>, tensor<2x3x4xi32>, tensor<2x3x4xi32>) outs(%q : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  return %r : tensor<2x3x4xi32>
}
