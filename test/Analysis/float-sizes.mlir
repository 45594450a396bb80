// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s

// Half of an extent, exactly: no extent is too large for f64.
// CHECK-LABEL: func.func @half(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv 2]>]}
func.func @half(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  %s = arith.mulf %f, %half : f64
  %k = arith.fptosi %s : f64 to i64
  %d = arith.index_cast %k : i64 to index
  %r = tensor.empty(%d) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// A quotient is rounded, but to the same integer below and above.
// CHECK-LABEL: func.func @third(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[(N + 2) floordiv 3]>]}
func.func @third(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  %s = arith.divf %f, %three : f64
  %up = math.ceil %s : f64
  %k = arith.fptosi %up : f64 to i64
  %d = arith.index_cast %k : i64 to index
  %r = tensor.empty(%d) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Rounding half up, as exporters write it, where f32 is exact.
// CHECK-LABEL: func.func @nearest(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N + (N + 1) floordiv 2]>]}
func.func @nearest(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 4096]>]} {
  %c0 = arith.constant 0 : index
  %scale = arith.constant 1.5 : f32
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %s = arith.mulf %f, %scale : f32
  %a = arith.addf %s, %half : f32
  %down = math.floor %a : f32
  %k = arith.fptosi %down : f32 to i32
  %d = arith.index_cast %k : i32 to index
  %r = tensor.empty(%d) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Rounding half to even, as torch.round and ONNX's Round do.
// CHECK-LABEL: func.func @even(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[(N + 1) floordiv 4 + (N + 2) floordiv 4]>]}
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[(3*N + 1) floordiv 4 + (3*N + 2) floordiv 4]>]}
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[(N + 2) floordiv 5]>]}
func.func @even(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 4096]>]} {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %more = arith.constant 1.5 : f32
  %five = arith.constant 5.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %s0 = arith.mulf %f, %half : f32
  %r0 = math.roundeven %s0 : f32
  %k0 = arith.fptosi %r0 : f32 to i32
  %d0 = arith.index_cast %k0 : i32 to index
  %0 = tensor.empty(%d0) : tensor<?xf32>
  %s1 = arith.mulf %f, %more : f32
  %r1 = math.roundeven %s1 : f32
  %k1 = arith.fptosi %r1 : f32 to i32
  %d1 = arith.index_cast %k1 : i32 to index
  %1 = tensor.empty(%d1) : tensor<?xf32>
  %s2 = arith.divf %f, %five : f32
  %r2 = math.roundeven %s2 : f32
  %k2 = arith.fptosi %r2 : f32 to i32
  %d2 = arith.index_cast %k2 : i32 to index
  %2 = tensor.empty(%d2) : tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Must not fire: 0.1 is no tenth. The result is one of two numbers, which bound it.
// CHECK-LABEL: func.func @tenth(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= {{.*}}N{{.*}}"]>]}
func.func @tenth(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 4096]>]} {
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.1 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %s = arith.mulf %f, %scale : f32
  %k = arith.fptosi %s : f32 to i32
  %d = arith.index_cast %k : i32 to index
  %r = tensor.empty(%d) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Must not fire: with fast-math flags, an op need not round as written.
// CHECK-LABEL: func.func @fast(
// CHECK:         tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @fast(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  %s = arith.divf %f, %three fastmath<arcp> : f64
  %k = arith.fptosi %s : f64 to i64
  %d = arith.index_cast %k : i64 to index
  %r = tensor.empty(%d) : tensor<?xf32>
  return %r : tensor<?xf32>
}
