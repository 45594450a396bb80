// RUN: symshape-opt %s --symshape-form-contractions=bfloat-products=true | FileCheck %s
// RUN: symshape-opt %s --symshape-form-contractions=bfloat-products=true --symshape-lower-packs | FileCheck %s --check-prefix=PACK
// RUN: symshape-opt %s --symshape-form-contractions | FileCheck %s --check-prefix=PLAIN

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Positive: the right operand stays as it is; its panels are copied in pairs of
// terms when they are needed.
// CHECK-LABEL: func.func @rows_outermost(
// CHECK-NOT: linalg.pack
// CHECK: symshape_kernel.contract {{.*}} packing = by_panel, group = 2>}
// PLAIN-LABEL: func.func @rows_outermost(
// PLAIN: symshape_kernel.contract {{.*}} packing = by_panel>}
func.func @rows_outermost(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: sums of bf16 are formed in f32 as well. A weight is packed before the
// calls, into panels of pairs.
// CHECK-LABEL: func.func @weight(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x7xbf16>, %[[B:[a-z0-9]+]]: tensor<7x40xbf16>
// CHECK: %[[P:.*]] = linalg.pack %[[B]] padding_value(%{{.*}} : bf16) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [48, 2]
// CHECK: symshape_kernel.contract ins(%[[A]], %[[P]] : tensor<?x7xbf16>, tensor<1x4x48x2xbf16>) {{.*}} packing = before_call, group = 2>}
// Two rows, of which the second may not exist, become one vector.
// PACK-LABEL: func.func private @symshape.pack.1(
// PACK: vector.transfer_read {{.*}} vector<16xbf16>
// PACK: vector.transfer_read {{.*}} vector<16xbf16>
// PACK: vector.shuffle {{.*}} : vector<16xbf16>, vector<16xbf16>
// PACK: vector.transfer_write {{.*}} : vector<32xbf16>
func.func @weight(%a: tensor<?x7xbf16>, %b: tensor<7x40xbf16> {symshape.weight = "b"}) -> tensor<?x40xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %a, %c0 : tensor<?x7xbf16>
  %e = tensor.empty(%m) : tensor<?x40xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x40xbf16>) -> tensor<?x40xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x7xbf16>, tensor<7x40xbf16>) outs(%f : tensor<?x40xbf16>) -> tensor<?x40xbf16>
  return %r : tensor<?x40xbf16>
}

// Positive: columns that are no neighbours are packed in the call, squares of
// pairs at a time.
// CHECK-LABEL: func.func @columns_outermost(
// CHECK: linalg.pack {{.*}} inner_dims_pos = [0, 1] inner_tiles = [32, 2]
// CHECK: symshape_kernel.contract {{.*}} packing = in_call, group = 2>}
func.func @columns_outermost(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: terms of the left operand become neighbours.
// CHECK-LABEL: func.func @rows_innermost(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x3xbf16>) {{.*}} permutation = [1, 0]
// CHECK: symshape_kernel.contract {{.*}} group = 2>}
func.func @rows_innermost(%a: tensor<?x3xbf16>, %b: tensor<?x4xbf16>, %init: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.generic {indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x3xbf16>, tensor<?x4xbf16>) outs(%init : tensor<3x4xf32>) {
  ^bb0(%x: bf16, %y: bf16, %out: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Must not fire: f16 has no such instruction, and f32 is no bf16.
// CHECK-LABEL: func.func @other_types(
// CHECK-NOT: group
// CHECK: return
func.func @other_types(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%c, %r : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
