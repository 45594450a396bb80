// RUN: symshape-run %s --entry=products | FileCheck %s --check-prefix=PRODUCTS
// RUN: symshape-run %s --entry=windows | FileCheck %s --check-prefix=WINDOWS
// RUN: symshape-run %s --entry=elements | FileCheck %s --check-prefix=ELEMENTS
// RUN: symshape-run %s --entry=one_constant --input=2x2xf32=iota | FileCheck %s --check-prefix=ONE
// RUN: symshape-run %s --entry=one_constant --input=0x2xf32=iota | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=empty | FileCheck %s --check-prefix=EMPTY

// Constants of which all elements are equal: upstream puts them into the body, so
// that it is no product of two operands any more.

#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ki = affine_map<(i, j, k) -> (k, i)>
#ij = affine_map<(i, j, k) -> (i, j)>

// PRODUCTS:      2x2xf32: {{\[\[}}19, 19], [19, 19]]
// PRODUCTS-NEXT: 1x2x2xf32: {{\[\[\[}}19, 19], [19, 19]]]
// PRODUCTS-NEXT: 2xf32: [19, 19]
// PRODUCTS-NEXT: f32: 19
// PRODUCTS-NEXT: 2x2xf32: {{\[\[}}19, 19], [19, 19]]
// PRODUCTS-NEXT: 2x3xf32: {{\[\[}}13, 13, 13], [13, 13, 13]]
// PRODUCTS-NEXT: 1x1x2x2xf32: {{\[\[\[\[}}19, 19], [19, 19]]]]
func.func @products() -> (tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x1x2x2xf32>) {
  %a = arith.constant dense<2.0> : tensor<2x3xf32>
  %b = arith.constant dense<3.0> : tensor<3x2xf32>
  %c = arith.constant dense<1.0> : tensor<2x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  %ba = arith.constant dense<2.0> : tensor<1x2x3xf32>
  %bb = arith.constant dense<3.0> : tensor<1x3x2xf32>
  %bc = arith.constant dense<1.0> : tensor<1x2x2xf32>
  %1 = linalg.batch_matmul ins(%ba, %bb : tensor<1x2x3xf32>, tensor<1x3x2xf32>) outs(%bc : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %vb = arith.constant dense<3.0> : tensor<3xf32>
  %vc = arith.constant dense<1.0> : tensor<2xf32>
  %2 = linalg.matvec ins(%a, %vb : tensor<2x3xf32>, tensor<3xf32>) outs(%vc : tensor<2xf32>) -> tensor<2xf32>
  %da = arith.constant dense<2.0> : tensor<3xf32>
  %dc = arith.constant dense<1.0> : tensor<f32>
  %3 = linalg.dot ins(%da, %vb : tensor<3xf32>, tensor<3xf32>) outs(%dc : tensor<f32>) -> tensor<f32>
  %tb = arith.constant dense<3.0> : tensor<2x3xf32>
  %4 = linalg.contract indexing_maps = [#ik, #jk, #ij] ins(%a, %tb : tensor<2x3xf32>, tensor<2x3xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  %ta = arith.constant dense<2.0> : tensor<2x2xf32>
  %tb2 = arith.constant dense<3.0> : tensor<3x2xf32>
  %tc = arith.constant dense<1.0> : tensor<2x3xf32>
  %5 = linalg.matmul indexing_maps = [#ki, #jk, #ij] ins(%ta, %tb2 : tensor<2x2xf32>, tensor<3x2xf32>) outs(%tc : tensor<2x3xf32>) -> tensor<2x3xf32>
  %ma = arith.constant dense<2.0> : tensor<1x1x2x3xf32>
  %mb = arith.constant dense<3.0> : tensor<1x1x2x3xf32>
  %mc = arith.constant dense<1.0> : tensor<1x1x2x2xf32>
  %6 = linalg.mmt4d ins(%ma, %mb : tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) outs(%mc : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x1x2x2xf32>
}

// WINDOWS:      1x1x2x1xf32: {{\[\[\[\[}}37], [37]]]]
// WINDOWS-NEXT: 1x1x2x2xf32: {{\[\[\[\[}}19, 19], [19, 19]]]]
// WINDOWS-NEXT: 1x1x2x2xf32: {{\[\[\[\[}}7, 7], [7, 7]]]]
// WINDOWS-NEXT: 1x1x2x2xf32: {{\[\[\[\[}}2, 2], [2, 2]]]]
func.func @windows() -> (tensor<1x1x2x1xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  %x = arith.constant dense<2.0> : tensor<1x1x4x2xf32>
  %k = arith.constant dense<3.0> : tensor<1x3x2x1xf32>
  %c = arith.constant dense<1.0> : tensor<1x1x2x1xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x1x4x2xf32>, tensor<1x3x2x1xf32>) outs(%c : tensor<1x1x2x1xf32>) -> tensor<1x1x2x1xf32>
  %dk = arith.constant dense<3.0> : tensor<1x3x2xf32>
  %dc = arith.constant dense<1.0> : tensor<1x1x2x2xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %dk : tensor<1x1x4x2xf32>, tensor<1x3x2xf32>) outs(%dc : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %w = tensor.empty() : tensor<1x3xf32>
  %2 = linalg.pooling_nhwc_sum ins(%x, %w : tensor<1x1x4x2xf32>, tensor<1x3xf32>) outs(%dc : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %3 = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x1x4x2xf32>, tensor<1x3xf32>) outs(%dc : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0, %1, %2, %3 : tensor<1x1x2x1xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// Sums of i8 wrap, or are kept in i32; of i1 they are and and or.
// ELEMENTS:      1x1xi8: {{\[\[}}45]]
// ELEMENTS-NEXT: 1x1xi32: {{\[\[}}301]]
// ELEMENTS-NEXT: 1x1xi1: {{\[\[}}true]]
// ELEMENTS-NEXT: 1x1xf64: {{\[\[}}301]]
// ELEMENTS-NEXT: 1x1xbf16: {{\[\[}}300]]
// ELEMENTS-NEXT: 1x1xf16: {{\[\[}}301]]
func.func @elements() -> (tensor<1x1xi8>, tensor<1x1xi32>, tensor<1x1xi1>, tensor<1x1xf64>, tensor<1x1xbf16>, tensor<1x1xf16>) {
  %a8 = arith.constant dense<10> : tensor<1x3xi8>
  %b8 = arith.constant dense<10> : tensor<3x1xi8>
  %c8 = arith.constant dense<1> : tensor<1x1xi8>
  %0 = linalg.matmul ins(%a8, %b8 : tensor<1x3xi8>, tensor<3x1xi8>) outs(%c8 : tensor<1x1xi8>) -> tensor<1x1xi8>
  %c32 = arith.constant dense<1> : tensor<1x1xi32>
  %1 = linalg.matmul ins(%a8, %b8 : tensor<1x3xi8>, tensor<3x1xi8>) outs(%c32 : tensor<1x1xi32>) -> tensor<1x1xi32>
  %a1 = arith.constant dense<true> : tensor<1x2xi1>
  %b1 = arith.constant dense<true> : tensor<2x1xi1>
  %c1 = arith.constant dense<false> : tensor<1x1xi1>
  %2 = linalg.matmul ins(%a1, %b1 : tensor<1x2xi1>, tensor<2x1xi1>) outs(%c1 : tensor<1x1xi1>) -> tensor<1x1xi1>
  %a64 = arith.constant dense<10.0> : tensor<1x3xf64>
  %b64 = arith.constant dense<10.0> : tensor<3x1xf64>
  %c64 = arith.constant dense<1.0> : tensor<1x1xf64>
  %3 = linalg.matmul ins(%a64, %b64 : tensor<1x3xf64>, tensor<3x1xf64>) outs(%c64 : tensor<1x1xf64>) -> tensor<1x1xf64>
  %abf = arith.constant dense<10.0> : tensor<1x3xbf16>
  %bbf = arith.constant dense<10.0> : tensor<3x1xbf16>
  %cbf = arith.constant dense<1.0> : tensor<1x1xbf16>
  %4 = linalg.matmul ins(%abf, %bbf : tensor<1x3xbf16>, tensor<3x1xbf16>) outs(%cbf : tensor<1x1xbf16>) -> tensor<1x1xbf16>
  %a16 = arith.constant dense<10.0> : tensor<1x3xf16>
  %b16 = arith.constant dense<10.0> : tensor<3x1xf16>
  %c16 = arith.constant dense<1.0> : tensor<1x1xf16>
  %5 = linalg.matmul ins(%a16, %b16 : tensor<1x3xf16>, tensor<3x1xf16>) outs(%c16 : tensor<1x1xf16>) -> tensor<1x1xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<1x1xi8>, tensor<1x1xi32>, tensor<1x1xi1>, tensor<1x1xf64>, tensor<1x1xbf16>, tensor<1x1xf16>
}

// One constant of the two, and an accumulator that is one as well; what is squared
// is one tensor.
// ONE:       2x2xf32: {{\[\[}}4, 4], [16, 16]]
// ONE-NEXT:  2x2xf32: {{\[\[}}9, 9], [9, 9]]
// NONE:      0x2xf32: []
func.func @one_constant(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %b = arith.constant dense<3.0> : tensor<2x2xf32>
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%x, %b : tensor<?x2xf32>, tensor<2x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = arith.constant dense<2.0> : tensor<2x2xf32>
  %i = arith.constant dense<1.0> : tensor<2x2xf32>
  %1 = linalg.matmul ins(%s, %s : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<2x2xf32>
}

// Nothing to sum, and nothing to fill.
// EMPTY:      2x1xf32: {{\[\[}}1], [1]]
// EMPTY-NEXT: 0x1xf32: []
func.func @empty() -> (tensor<2x1xf32>, tensor<0x1xf32>) {
  %a = arith.constant dense<2.0> : tensor<2x0xf32>
  %b = arith.constant dense<3.0> : tensor<0x1xf32>
  %c = arith.constant dense<1.0> : tensor<2x1xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x0xf32>, tensor<0x1xf32>) outs(%c : tensor<2x1xf32>) -> tensor<2x1xf32>
  %a2 = arith.constant dense<2.0> : tensor<0x4xf32>
  %b2 = arith.constant dense<3.0> : tensor<4x1xf32>
  %c2 = arith.constant dense<1.0> : tensor<0x1xf32>
  %1 = linalg.matmul ins(%a2, %b2 : tensor<0x4xf32>, tensor<4x1xf32>) outs(%c2 : tensor<0x1xf32>) -> tensor<0x1xf32>
  return %0, %1 : tensor<2x1xf32>, tensor<0x1xf32>
}
