// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// A small network: its guards are those of its first convolution, and nothing is
// checked in its body.
// CHECK-LABEL: func.func @network(
// CHECK: tosa.conv2d {{.*}}symshape.extents = [#symshape.shape<[N, H floordiv 2, W floordiv 2, 8]>]
// CHECK: tosa.resize {{.*}}symshape.extents = [#symshape.shape<[N, H, W, 8]>]
// CHECK: tosa.concat {{.*}}symshape.extents = [#symshape.shape<[N, H, W, 11]>]
// CHECK: tosa.max_pool2d {{.*}}symshape.extents = [#symshape.shape<[N, H floordiv 2, W floordiv 2, 11]>]
// GUARD-LABEL: func.func @network(
// GUARD-SAME: symshape.assume = [#symshape.fact<"0 <= H - 2">, #symshape.fact<"2 | H">, #symshape.fact<"0 <= W - 2">, #symshape.fact<"2 | W">]
// GUARD: call @network.guard(
// GUARD-NOT: symshape.assert
// GUARD: return
func.func @network(%x: tensor<?x?x?x3xf32> {symshape.shape = #symshape.shape<[N, H, W, 3]>},
                   %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<?x?x?x11xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x8xf32>
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %c, %scale, %offset, %border {mode = BILINEAR} : (tensor<?x?x?x8xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x8xf32>
  %cc = tosa.concat %r, %x {axis = 3 : i32} : (tensor<?x?x?x8xf32>, tensor<?x?x?x3xf32>) -> tensor<?x?x?x11xf32>
  %p = tosa.max_pool2d %cc {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x11xf32>) -> tensor<?x?x?x11xf32>
  return %p : tensor<?x?x?x11xf32>
}

// -----

// Shapes are numbers: what is computed of them says the extents of results.
// CHECK-LABEL: func.func @shapes(
// CHECK: tosa.reshape {{.*}}symshape.extents = [#symshape.shape<[(4*s0) floordiv s2, s2]>]
// GUARD-LABEL: func.func @shapes.guard(
// GUARD-SAME: s2 = {0}) must be at least 1{{.*}}needed by tosa.div_floor_shape
// GUARD-SAME: must equal 4*s0{{.*}}needed by tosa.reshape {{[^,]*}} (element count)
// GUARD-SAME: needed by tosa.add {{[^,]*}} (broadcast dimension 0)
func.func @shapes(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?x4xf32>) -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %c4 = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  %q = tosa.mul_shape %n, %c4 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %d = tosa.div_floor_shape %q, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %s = tosa.concat_shape %d, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x4xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  %z = tosa.add %r, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Only a literal 1 expands, unless the module asks for NumPy's rule.
module attributes {symshape.tosa_numpy_broadcast} {
  // CHECK-LABEL: func.func @numpy(
  // CHECK: tosa.add {{.*}}symshape.extents = [#symshape.shape<[bc(s0, s1)]>]
  // GUARD-LABEL: func.func @numpy.guard(
  // GUARD-SAME: needed by tosa.add
  func.func @numpy(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %z = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %z : tensor<?xf32>
  }
}

// -----

// A chain of strides: the last requirement implies the others.
// CHECK-LABEL: func.func @chain(
// GUARD-LABEL: func.func @chain(
// GUARD-SAME: symshape.assume = [#symshape.fact<"0 <= H - 2">, #symshape.fact<"0 <= W - 2">, #symshape.fact<"6 | H">]
func.func @chain(%x: tensor<1x?x?x3xf32> {symshape.shape = #symshape.shape<[1, H, W, 3]>}) -> tensor<1x?x?x3xf32> {
  %a = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32>
  %b = tosa.max_pool2d %a {kernel = array<i64: 3, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 3, 1>} : (tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32>
  return %b : tensor<1x?x?x3xf32>
}

// -----

// Must not fire: half of the rows are there for odd H too.
// CHECK-LABEL: func.func @half(
// GUARD-LABEL: func.func @half(
// GUARD-SAME: #symshape.fact<"3 | H floordiv 2">
func.func @half(%x: tensor<1x?x4x3xf32> {symshape.shape = #symshape.shape<[1, H, 4, 3]>}) -> tensor<1x?x4x3xf32> {
  %h = tosa.dim %x {axis = 1 : i32} : (tensor<1x?x4x3xf32>) -> !tosa.shape<1>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %one = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %rest = tosa.const_shape {values = dense<[4, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %half = tosa.div_floor_shape %h, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %size = tosa.concat_shape %one, %half, %rest : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<2>) -> !tosa.shape<4>
  %s = tosa.slice %x, %start, %size : (tensor<1x?x4x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x?x4x3xf32>
  %p = tosa.max_pool2d %s {kernel = array<i64: 3, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 3, 1>} : (tensor<1x?x4x3xf32>) -> tensor<1x?x4x3xf32>
  return %p : tensor<1x?x4x3xf32>
}
