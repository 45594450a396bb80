// RUN: symshape-opt %s --symshape-round-products --canonicalize --cse --split-input-file | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

module attributes {symshape.precision = "bf16,-head"} {

// Positive: both operands are rounded, and sums are f32.
// CHECK-LABEL: func.func @product(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}} : tensor<?x8xbf16>)
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x16xf32>) outs(%{{.*}} : tensor<8x16xbf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x8xbf16>, tensor<8x16xbf16>) outs(%{{.*}} : tensor<?x16xf32>)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.addf {{.*}} : f32
func.func @product(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Positive: two products share what is rounded.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-3: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @shared(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<8x16xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = linalg.matmul ins(%a, %c : tensor<?x8xf32>, tensor<8x16xf32>) outs(%r : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// Positive: a border and a reshape are of rounded numbers.
// CHECK-LABEL: func.func @moved(
// CHECK: arith.truncf
// CHECK: tensor.pad {{.*}}
// CHECK: } : tensor<?x6xbf16> to tensor<?x8xbf16>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x8xbf16>, tensor<8x16xbf16>)
func.func @moved(%a: tensor<?x6xf32>, %b: tensor<8x4x4xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x6xf32> to tensor<?x8xf32>
  %c = tensor.collapse_shape %b [[0], [1, 2]] : tensor<8x4x4xf32> into tensor<8x16xf32>
  %r = linalg.matmul ins(%p, %c : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Must not fire: layers that are named stay, whether a model or the program names
// them; `header` is another one.
// CHECK-LABEL: func.func @kept(
// CHECK: linalg.matmul ins(%{{.*}} : tensor<?x8xf32>, tensor<8x8xf32>)
// CHECK: linalg.matmul ins(%{{.*}} : tensor<?x8xf32>, tensor<8x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x8xbf16>, tensor<8x8xbf16>)
func.func @kept(%a: tensor<?x8xf32>, %b: tensor<8x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32> loc("head")
  %s = linalg.matmul ins(%r, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32> loc("node '/head/dense' (MatMul #3)")
  %t = linalg.matmul ins(%s, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32> loc("node 'header' (MatMul #4)")
  return %t : tensor<?x8xf32>
}

// Must not fire: products of f64, sums without products, and what has no columns.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: truncf
// CHECK: return
func.func @others(%a: tensor<4x8xf64>, %b: tensor<8x8xf64>, %init: tensor<4x8xf64>, %x: tensor<8xf32>, %y: tensor<8xf32>, %s: tensor<f32>) -> (tensor<4x8xf64>, tensor<f32>) {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf64>, tensor<8x8xf64>) outs(%init : tensor<4x8xf64>) -> tensor<4x8xf64>
  %d = linalg.dot ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  return %r, %d : tensor<4x8xf64>, tensor<f32>
}

// A convolution is rounded also where f32 would be computed with fewer products.
// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x?x?x32xbf16>, tensor<3x3x32x32xbf16>)
func.func @convolution(%x: tensor<?x?x?x32xf32>, %w: tensor<3x3x32x32xf32> {symshape.weight = "w"}, %init: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, y, x, f, i, j, c) -> (b, y + i, x + j, c)>,
                                        affine_map<(b, y, x, f, i, j, c) -> (i, j, c, f)>,
                                        affine_map<(b, y, x, f, i, j, c) -> (b, y, x, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x32xf32>, tensor<3x3x32x32xf32>) outs(%init : tensor<?x?x?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?x32xf32>
  return %r : tensor<?x?x?x32xf32>
}

}

// -----

// Must not fire: without the attribute, and where it says so.
// CHECK-LABEL: func.func @plain(
// CHECK: linalg.matmul
module {
func.func @plain(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
}

// -----

// CHECK-LABEL: func.func @f32(
// CHECK: linalg.matmul
module attributes {symshape.precision = "f32"} {
func.func @f32(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
}
