// One program per section, with its entry @main; check_kernels.py runs each at
// many shapes beside NumPy. The name of a section stands in its first comment.

// kernel: matmul
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: matmul_f64
func.func @main(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %a, %c0 : tensor<?x?xf64>
  %n = tensor.dim %b, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// -----
// kernel: matmul_i32
func.func @main(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi32>
  %n = tensor.dim %b, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// -----
// kernel: matmul_f16
func.func @main(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: matmul_narrow
// Integers of 16, 4 and 1 bits with a sign.
func.func @main(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi16>
  %n = tensor.dim %b, %c1 : tensor<?x?xi16>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %r0 = linalg.matmul ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  %a4 = arith.trunci %a : tensor<?x?xi16> to tensor<?x?xi4>
  %b4 = arith.trunci %b : tensor<?x?xi16> to tensor<?x?xi4>
  %r1 = linalg.matmul ins(%a4, %b4 : tensor<?x?xi4>, tensor<?x?xi4>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  %a1 = arith.trunci %a : tensor<?x?xi16> to tensor<?x?xi1>
  %b1 = arith.trunci %b : tensor<?x?xi16> to tensor<?x?xi1>
  %r2 = linalg.matmul ins(%a1, %b1 : tensor<?x?xi1>, tensor<?x?xi1>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r0, %r1, %r2 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// -----
// kernel: matmul_onto
// Adds the product to a third argument.
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: whole_panels
func.func @main(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[K, N]>},
                %bias: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 32>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %r = linalg.add ins(%p, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// kernel: projection
// Rows times a transposed square matrix, plus bias, through GELU, plus the input.
#r_c = affine_map<(r, c) -> (r, c)>
#c = affine_map<(r, c) -> (c)>
func.func @main(%x: tensor<?x48xf32>, %w: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %sqrt_half = arith.constant 0.707106769 : f32
  %m = tensor.dim %x, %c0 : tensor<?x48xf32>
  %et = tensor.empty() : tensor<48x48xf32>
  %t = linalg.transpose ins(%w : tensor<48x48xf32>) outs(%et : tensor<48x48xf32>) permutation = [1, 0]
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %p = linalg.matmul ins(%x, %t : tensor<?x48xf32>, tensor<48x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.generic {indexing_maps = [#r_c, #c, #r_c, #r_c], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %x : tensor<?x48xf32>, tensor<48xf32>, tensor<?x48xf32>) outs(%e : tensor<?x48xf32>) {
  ^bb0(%v: f32, %bias: f32, %residual: f32, %out: f32):
    %0 = arith.addf %v, %bias : f32
    %1 = arith.mulf %0, %sqrt_half : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %residual : f32
    linalg.yield %6 : f32
  } -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}

// -----
// kernel: batch_matmul
func.func @main(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %s = tensor.dim %a, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %b, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%s, %m, %n) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%z : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----
// kernel: matmul_transposed
// The right operand is [N, K]: a contraction as a generic op.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: panels_of_three
// The same, packed in panels of three vectors.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, K]>}) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 48>]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: dot
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----
// kernel: softmax
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %l = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%l : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.maximumf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %m0: f32, %out: f32):
    %0 = arith.subf %v, %m0 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %0 = arith.divf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: functions
// erf, exp, tanh, log and rsqrt of each element, added.
#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %p = math.absf %v : f32
    %0 = math.erf %v : f32
    %1 = math.exp %v : f32
    %2 = math.tanh %v : f32
    %3 = math.log %p : f32
    %4 = math.rsqrt %p : f32
    %5 = arith.addf %0, %1 : f32
    %6 = arith.addf %5, %2 : f32
    %7 = arith.addf %6, %3 : f32
    %8 = arith.addf %7, %4 : f32
    linalg.yield %8 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// kernel: column_sums
#rc = affine_map<(r, c) -> (r, c)>
#c = affine_map<(r, c) -> (c)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #c], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// kernel: largest
// The largest of all elements, NaN if there is one, minus infinity of none.
#rc = affine_map<(r, c) -> (r, c)>
#none = affine_map<(r, c) -> ()>
func.func @main(%x: tensor<?x?xf32>) -> tensor<f32> {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%lowest : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#rc, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.maximumf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----
// kernel: transpose
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%c, %a, %b) : tensor<?x?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) permutation = [2, 0, 1]
  return %r : tensor<?x?x?xf32>
}

// -----
// kernel: concat
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: pad
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %fill = arith.constant 7.0 : f32
  %r = tensor.pad %x low[1, 0] high[2, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %fill : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: slices
// All but the first row; and every second column: two results, one of them a view
// with a stride.
func.func @main(%x: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %less = arith.subi %n, %c1 : index
  %rows = tensor.extract_slice %x[1, 0] [%less, 6] [1, 1] : tensor<?x6xf32> to tensor<?x6xf32>
  %half = tensor.extract_slice %x[0, 1] [%n, 3] [1, 2] : tensor<?x6xf32> to tensor<?x3xf32>
  return %rows, %half : tensor<?x6xf32>, tensor<?x3xf32>
}

// -----
// kernel: insert
// The first rows of %x replaced by %y.
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x3xf32>
  %r = tensor.insert_slice %y into %x[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----
// kernel: convolution
// Images [N, H, W, 2], a 3 x 3 filter to 5 channels, stride 1.
#map = affine_map<()[d] -> (d - 2)>
func.func @main(%x: tensor<?x?x?x2xf32>, %f: tensor<3x3x2x5xf32>) -> tensor<?x?x?x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x2xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x2xf32>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x2xf32>
  %oh = affine.apply #map()[%h]
  %ow = affine.apply #map()[%w]
  %e = tensor.empty(%n, %oh, %ow) : tensor<?x?x?x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x5xf32>) -> tensor<?x?x?x5xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<?x?x?x2xf32>, tensor<3x3x2x5xf32>)
      outs(%z : tensor<?x?x?x5xf32>) -> tensor<?x?x?x5xf32>
  return %r : tensor<?x?x?x5xf32>
}

// -----
// kernel: pooling
// The largest of each 2 x 2 window, stride 2.
#map = affine_map<()[d] -> (d floordiv 2)>
func.func @main(%x: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lowest = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %oh = affine.apply #map()[%h]
  %ow = affine.apply #map()[%w]
  %window = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty(%n, %oh, %ow) : tensor<?x?x?x3xf32>
  %z = linalg.fill ins(%lowest : f32) outs(%e : tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %window : tensor<?x?x?x3xf32>, tensor<2x2xf32>) outs(%z : tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}

// -----
// kernel: look_up
#i_ = affine_map<(i, j) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
func.func @main(%table: tensor<?x?xf32>, %ids: tensor<?xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %w = tensor.dim %table, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %w) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#i_, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// kernel: argmax
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %ef = tensor.empty(%m) : tensor<?xf32>
  %ei = tensor.empty(%m) : tensor<?xi64>
  %l = linalg.fill ins(%lowest : f32) outs(%ef : tensor<?xf32>) -> tensor<?xf32>
  %z = linalg.fill ins(%first : i64) outs(%ei : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%l, %z : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i64
    %better = arith.cmpf ogt, %v, %best : f32
    %0 = arith.select %better, %v, %best : f32
    %1 = arith.select %better, %here, %at : i64
    linalg.yield %0, %1 : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}

// -----
// kernel: choose_elements
// %a where the condition holds, else twice %b.
func.func @main(%c: tensor<?xi1>, %a: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<?xf16> {
  %0 = arith.addf %b, %b : tensor<?xf16>
  %r = arith.select %c, %a, %0 : tensor<?xi1>, tensor<?xf16>
  return %r : tensor<?xf16>
}

// -----
// kernel: loop
// The rows of %x added up by a loop that carries a tensor.
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %z) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %next = linalg.add ins(%acc, %row : tensor<?xf32>, tensor<?xf32>) outs(%acc : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----
// kernel: branch
// %x doubled when it has more rows than columns, else %x itself.
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %tall = arith.cmpi sgt, %m, %n : index
  %r = scf.if %tall -> tensor<?x?xf32> {
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %d = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %d : tensor<?x?xf32>
  } else {
    scf.yield %x : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----
// kernel: returned
// An argument, a constant, and one result twice.
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<3xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %x, %c, %d, %d : tensor<?xf32>, tensor<3xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----
// kernel: choose
// A branch that canonicalisation turns into a select of whole tensors.
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  %s = arith.addf %r, %r : tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}

// -----
// kernel: grow
// A loop whose carried tensor changes its extent.
func.func @main(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %c = tensor.concat dim(0) %t, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %c : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----
// kernel: halve
// A loop that ends on a condition over the extent that it changes.
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.while (%t = %x, %n = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %l = tensor.dim %t, %c0 : tensor<?xf32>
    %more = arith.cmpi sgt, %l, %c2 : index
    scf.condition(%more) %t, %n : tensor<?xf32>, index
  } do {
  ^bb0(%t: tensor<?xf32>, %n: index):
    %l = tensor.dim %t, %c0 : tensor<?xf32>
    %h = arith.divui %l, %c2 : index
    %s = tensor.extract_slice %t[%h] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    %d = arith.addf %s, %s : tensor<?xf32>
    %m = arith.addi %n, %c1 : index
    scf.yield %d, %m : tensor<?xf32>, index
  }
  return %r#0, %r#1 : tensor<?xf32>, index
}

// -----
// kernel: blocks
// Unstructured control flow, with a block argument of an extent of its own.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %longer = arith.cmpi sgt, %n, %m : index
  cf.cond_br %longer, ^join(%x : tensor<?xf32>), ^join(%y : tensor<?xf32>)
^join(%t: tensor<?xf32>):
  %r = math.absf %t : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// kernel: returns
// Two returns, and branches that join where a third one does.
func.func private @either(%c: i1, %t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %t : tensor<?xf32>
^b:
  return %u : tensor<?xf32>
}
func.func private @joined(%c: i1, %d: i1, %t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  cf.cond_br %c, ^a, ^b(%t : tensor<?xf32>)
^a:
  %s = linalg.add ins(%t, %t : tensor<?xf32>, tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  cf.cond_br %d, ^b(%s : tensor<?xf32>), ^b(%u : tensor<?xf32>)
^b(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %longer = arith.cmpi sgt, %n, %m : index
  %short = arith.cmpi slt, %n, %c3 : index
  %0 = call @either(%longer, %x, %y) : (i1, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = call @joined(%longer, %short, %x, %y) : (i1, i1, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----
// kernel: calls
// Private functions whose extents depend on what they are called with.
func.func private @pairs(%t: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %h = arith.divui %n, %c2 : index
  %even = arith.muli %h, %c2 : index
  %s = tensor.extract_slice %t[0] [%even] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.expand_shape %s [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
func.func private @sums(%t: tensor<?x2xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%t : tensor<?x2xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p = call @pairs(%x) : (tensor<?xf32>) -> tensor<?x2xf32>
  %s = call @sums(%p) : (tensor<?x2xf32>) -> tensor<?xf32>
  %q = call @pairs(%s) : (tensor<?xf32>) -> tensor<?x2xf32>
  %t = call @sums(%q) : (tensor<?x2xf32>) -> tensor<?xf32>
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}

// -----
// kernel: integers
// Integer arithmetic that wraps, divides and shifts, element by element.
func.func @main(%a: tensor<?xi32>, %b: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %m = arith.muli %a, %b : tensor<?xi32>
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xi32>
  %ones = tensor.splat %one[%n] : tensor<?xi32>
  %d = arith.maxsi %b, %ones : tensor<?xi32>
  %q = arith.floordivsi %a, %d : tensor<?xi32>
  %r = arith.remsi %a, %d : tensor<?xi32>
  return %m, %q, %r : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// -----
// kernel: softmax_named
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %y = linalg.softmax dimension(2) ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----
// kernel: layer_norm
// The sums escape as well; x is also the residual.
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
#c = affine_map<(r, c) -> (c)>
func.func @main(%x: tensor<?x?xf32>, %scale: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %int = arith.index_cast %n : index to i64
  %width = arith.sitofp %int : i64 to f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32, %acc: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %0 = arith.addf %acc, %square : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#rc, #r, #r, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %scale : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %variance = arith.divf %q, %width : f32
    %safe = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %safe : f32
    %normal = arith.divf %centred, %deviation : f32
    %scaled = arith.mulf %normal, %g : f32
    %0 = arith.addf %scaled, %v : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %y, %sum : tensor<?x?xf32>, tensor<?xf32>
}

// -----
// kernel: extremes
// The largest and the smallest of each row, twice, and the signs of the first two.
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %most = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %l = linalg.fill ins(%least : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %h = linalg.fill ins(%most : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r:4 = linalg.generic {indexing_maps = [#rc, #r, #r, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>)
      outs(%l, %h, %l, %h : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32, %b: f32, %c: f32, %d: f32):
    %0 = arith.maximumf %v, %a : f32
    %1 = arith.minimumf %b, %v : f32
    %2 = arith.maxnumf %v, %c : f32
    %3 = arith.minnumf %d, %v : f32
    linalg.yield %0, %1, %2, %3 : f32, f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  %s:2 = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%r#0, %r#1 : tensor<?xf32>, tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %0 = math.copysign %one, %a : f32
    %1 = math.copysign %one, %b : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %s#0, %s#1 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----
// kernel: attention
// Scores of one item per batch, scaled and masked; queries and keys may differ in number.
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#i_k = affine_map<(i, j, k) -> (i, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @main(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x24xf32>, %mask: tensor<?x?xf32>) -> tensor<?x?x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %factor = arith.constant 0.25 : f32
  %b = tensor.dim %q, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %q, %c1 : tensor<?x?x8xf32>
  %n = tensor.dim %k, %c1 : tensor<?x?x8xf32>
  %es = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %er = tensor.empty(%b, %m) : tensor<?x?xf32>
  %eo = tensor.empty(%b, %m) : tensor<?x?x24xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  %s = linalg.generic {indexing_maps = [#bmk, #bnk, #bmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>) outs(%zs : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %masked = linalg.generic {indexing_maps = [#ijk, #i_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %factor : f32
    %1 = arith.addf %0, %y : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %max = linalg.generic {indexing_maps = [#ijk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<?x?x?xf32>) outs(%lr : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.maximumf %acc, %x : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#ijk, #ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x?xf32>
  %sum = linalg.generic {indexing_maps = [#ijk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<?x?x?xf32>) outs(%zr : tensor<?x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#ijk, #ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<?x?x?xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xf32>, tensor<?x?x24xf32>) outs(%zo : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %o : tensor<?x?x24xf32>
}

// -----
// kernel: matmul_apart
// Every second column of the right operand; sums that go on in every second
// column of another tensor.
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %c, %c0 : tensor<?x?xf32>
  %k = tensor.dim %b, %c0 : tensor<?x?xf32>
  %width = tensor.dim %c, %c1 : tensor<?x?xf32>
  %n = arith.divui %width, %c2 : index
  %part = tensor.extract_slice %b[0, 0] [%k, %n] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %old = tensor.extract_slice %c[0, 0] [%m, %n] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %new = linalg.matmul ins(%a, %part : tensor<?x?xf32>, tensor<?x?xf32>) outs(%old : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = tensor.insert_slice %new into %c[0, 0] [%m, %n] [1, 2] : tensor<?x?xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
