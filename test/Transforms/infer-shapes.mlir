// RUN: symshape-opt %s --symshape-infer-shapes | FileCheck %s

// Positive: an extent that is a constant scalar; the cast moves through the
// user to the return.
// CHECK-LABEL: func.func @constant_size(
// CHECK:         tensor.empty(%{{.*}}) : tensor<4x?xf32>
// CHECK:         linalg.exp {{.*}} -> tensor<4x?xf32>
// CHECK:         %[[R:.*]] = tensor.cast %{{.*}} : tensor<4x?xf32> to tensor<?x?xf32>
// CHECK:         return %[[R]]
func.func @constant_size(%x: tensor<4x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%c4, %n) : tensor<?x?xf32>
  %r = linalg.exp ins(%x : tensor<4x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: an extent of zero.
// CHECK-LABEL: func.func @zero(
// CHECK:         tensor.empty() : tensor<0xf32>
func.func @zero() -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%c0) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// Positive: a range of one value.
// CHECK-LABEL: func.func @range_of_one(
// CHECK:         linalg.exp {{.*}} -> tensor<8xf32>
func.func @range_of_one(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [8, 8]>]} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Must not fire: upper bounds, of an extent and of a symbol, are no extents.
// CHECK-LABEL: func.func @upper_bounds(
// CHECK-NOT:     tensor<8xf32>
// CHECK:         return
func.func @upper_bounds(%x: tensor<?xf32> {symshape.shape = #symshape.shape<["<= 8"]>},
                        %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> (tensor<?xf32>, tensor<?xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 8]>]} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%y : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: a likely value is no extent.
// CHECK-LABEL: func.func @likely(
// CHECK-NOT:     tensor<8xf32>
// CHECK:         return
func.func @likely(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", likely = [8]>]} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Positive: inside of the branch the extent is known. Must not fire: in the
// other one, and of the result of both.
// CHECK-LABEL: func.func @branch(
// CHECK:         scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK:           linalg.exp {{.*}} -> tensor<8xf32>
// CHECK:         } else {
// CHECK:           linalg.log {{.*}} -> tensor<?xf32>
// CHECK:         }
// CHECK-NEXT:    linalg.abs {{.*}} -> tensor<?xf32>
func.func @branch(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %is = arith.cmpi eq, %n, %c8 : index
  %r = scf.if %is -> tensor<?xf32> {
    %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    %0 = linalg.log ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }
  %a = linalg.abs ins(%r : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Positive: the extents of both branches agree.
// CHECK-LABEL: func.func @join(
// CHECK:         linalg.abs {{.*}} -> tensor<4xf32>
func.func @join(%x: tensor<4xf32>, %flag: i1) -> tensor<?xf32> {
  %c4 = arith.constant 4 : index
  %r = scf.if %flag -> tensor<?xf32> {
    %0 = tensor.empty(%c4) : tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }
  %a = linalg.abs ins(%r : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Positive: behind an op that requires 4. Must not fire: before it.
// CHECK-LABEL: func.func @before_and_behind(
// CHECK:         linalg.exp {{.*}} -> tensor<?xf32>
// CHECK:         linalg.add
// CHECK:         linalg.log {{.*}} -> tensor<4xf32>
func.func @before_and_behind(%x: tensor<?xf32>, %w: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<4xf32>, tensor<?xf32>) {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%x, %w : tensor<?xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.log ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<4xf32>, tensor<?xf32>
}

// Must not fire: a size that is negative is no extent.
// CHECK-LABEL: func.func @negative(
// CHECK:         tensor.empty(%{{.*}}) : tensor<?xf32>
func.func @negative() -> tensor<?xf32> {
  %m = arith.constant -4 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// Positive: what a call returns.
// CHECK-LABEL: func.func @caller(
// CHECK:         linalg.abs {{.*}} -> tensor<8xf32>
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r = call @twice(%c) : (tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.abs ins(%r : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Must not fire: an op of another dialect has no known extents.
// CHECK-LABEL: func.func @external(
// CHECK:         linalg.abs {{.*}} -> tensor<?xf32>
func.func private @unknown(tensor<?xf32>) -> tensor<?xf32>
func.func @external(%x: tensor<4xf32>) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r = call @unknown(%c) : (tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.abs ins(%r : tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Must not fire: with its constant size in the type, the slice would be refused.
// CHECK-LABEL: func.func @never_valid(
// CHECK:         tensor.extract_slice %{{.*}}[0] [%{{.*}}] [1] : tensor<5xf32> to tensor<?xf32>
func.func @never_valid(%t: tensor<5xf32>) -> tensor<?xf32> {
  %c10 = arith.constant 10 : index
  %r = tensor.extract_slice %t[0] [%c10] [1] : tensor<5xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// Negative: what a loop carries keeps its type where it grows, also when other
// types of the function are refined.
// CHECK-LABEL: func.func @grows(
// CHECK:         scf.for {{.*}} -> (tensor<?xf64>)
// CHECK:           tensor.concat {{.*}} -> tensor<?xf64>
// CHECK:         linalg.exp {{.*}} -> tensor<4xf64>
func.func @grows(%n: index, %x: tensor<1xf64>, %z: tensor<4xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = tensor.cast %x : tensor<1xf64> to tensor<?xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %w) -> (tensor<?xf64>) {
    %k = tensor.concat dim(0) %c, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %k : tensor<?xf64>
  }
  %e = tensor.cast %z : tensor<4xf64> to tensor<?xf64>
  %a = linalg.exp ins(%e : tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  return %r, %a : tensor<?xf64>, tensor<?xf64>
}

// Negative: a tensor of one extent that is cast to another one, where types are
// refined.
// CHECK-LABEL: func.func @impossible(
// CHECK:         symshape.assert "0 == 1", "a tensor has one extent and is taken for one of another"
// CHECK-NOT:     to tensor<2xf32>
// CHECK:         return
func.func @impossible(%x: tensor<3xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %refined = tensor.empty(%c1) : tensor<?xf32>
  %a = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %b = tensor.cast %a : tensor<?xf32> to tensor<2xf32>
  return %b, %refined : tensor<2xf32>, tensor<?xf32>
}

// An op that computes nothing runs, though its verifier takes the window for one
// that lies beyond the image.
// CHECK-LABEL: func.func @window_of_nothing(
// CHECK-NOT:     linalg.conv
// CHECK:         %[[Y:.*]] = tensor.cast %{{.*}} : tensor<2x4x3xf32> to tensor<2x?x3xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @window_of_nothing(%x: tensor<2x1x?xf32>, %k: tensor<3x?x3xf32>, %y: tensor<2x?x3xf32>)
    -> tensor<2x?x3xf32> {
  %k0 = symshape.bind_shape %k [3, 0, 3] : tensor<3x?x3xf32>
  %x0 = symshape.bind_shape %x [2, 1, 0] : tensor<2x1x?xf32>
  %y1 = symshape.bind_shape %y [2, 4, 3] : tensor<2x?x3xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%x0, %k0 : tensor<2x1x?xf32>, tensor<3x?x3xf32>) outs(%y1 : tensor<2x?x3xf32>)
    -> tensor<2x?x3xf32>
  return %r : tensor<2x?x3xf32>
}

// The same with channels would read beyond the image, and stays to be refused.
// CHECK-LABEL: func.func @window_beyond(
// CHECK:         linalg.conv_1d_nwc_wcf
func.func @window_beyond(%x: tensor<2x1x?xf32>, %k: tensor<3x?x3xf32>, %y: tensor<2x?x3xf32>) -> tensor<2x?x3xf32> {
  %k1 = symshape.bind_shape %k [3, 1, 3] : tensor<3x?x3xf32>
  %x1 = symshape.bind_shape %x [2, 1, 1] : tensor<2x1x?xf32>
  %y1 = symshape.bind_shape %y [2, 4, 3] : tensor<2x?x3xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%x1, %k1 : tensor<2x1x?xf32>, tensor<3x?x3xf32>) outs(%y1 : tensor<2x?x3xf32>)
    -> tensor<2x?x3xf32>
  return %r : tensor<2x?x3xf32>
}

// -----

// Behind a check that always fails, types contradict each other: the padding of
// 4 by 2 is said to have 2.
// CHECK-LABEL: func.func @contradiction(
// CHECK:         return
func.func @contradiction(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[K]>}, %v: f32) -> tensor<?xf32>
    attributes {symshape.assume = [#symshape.fact<"K == 4">]} {
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<2xf32>
  %r = tensor.cast %padded : tensor<2xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
