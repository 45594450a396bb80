// RUN: symshape-opt %s | FileCheck %s
// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --mlir-print-op-generic | symshape-opt | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#n = affine_map<(m, n, k) -> (n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>

// CHECK-LABEL: func.func @contract(
func.func @contract(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %p: tensor<?x8x32xf32>, %v: tensor<?xf32>, %c: tensor<?x?xf32>, %m: memref<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  // CHECK: symshape_kernel.contract ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) attributes {accumulate, maps = [{{.*}}], tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>}
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: symshape_kernel.yield %[[SUM]] : f32
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {accumulate, maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  // CHECK: symshape_kernel.contract ins({{.*}}) with(%{{.*}} : tensor<?xf32>) outs({{.*}}) attributes {maps = [{{.*}}], tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>}
  %1 = symshape_kernel.contract ins(%a, %p : tensor<?x8xf32>, tensor<?x8x32xf32>) with(%v : tensor<?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #nk, #n, #mn], tile = #packed} {
  ^bb0(%sum: f32, %x: f32):
    %2 = arith.addf %sum, %x : f32
    symshape_kernel.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// Four terms at a time: the packed operand has them as its last dimension.
// CHECK-LABEL: func.func @groups(
// CHECK: symshape_kernel.contract ins({{.*}} : tensor<?x9xi8>, tensor<?x3x32x4xi8>) outs({{.*}}) attributes {maps = [{{.*}}], tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = in_call, group = 4>, unsigned_lhs}
func.func @groups(%a: tensor<?x9xi8>, %p: tensor<?x3x32x4xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = symshape_kernel.contract ins(%a, %p : tensor<?x9xi8>, tensor<?x3x32x4xi8>) outs(%c : tensor<?x?xi32>)
      attributes {maps = [#mk, #nk, #mn], unsigned_lhs,
                  tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = in_call, group = 4>} {
  ^bb0(%sum: i32):
    symshape_kernel.yield %sum : i32
  } -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// Codes of floats: their scales and zeros are in the same panels.
// CHECK-LABEL: func.func @codes(
// CHECK: symshape_kernel.contract ins({{.*}} : tensor<?x48xf32>, tensor<?x24x32xi8>) outs({{.*}}) scales(%{{.*}} : tensor<?x3x32xf16>) zeros(%{{.*}} : tensor<?x3x32xi8>) attributes {block_terms = 16 : i64, code_bits = 4 : i64, maps = [{{.*}}], tile = {{.*}}}
// CHECK: symshape_kernel.contract ins({{.*}}) outs({{.*}}) scales(%{{.*}} : tensor<?x3x32xf16>) attributes {
func.func @codes(%a: tensor<?x48xf32>, %q: tensor<?x24x32xi8>, %s: tensor<?x3x32xf16>, %z: tensor<?x3x32xi8>, %c: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = symshape_kernel.contract ins(%a, %q : tensor<?x48xf32>, tensor<?x24x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x3x32xf16>) zeros(%z : tensor<?x3x32xi8>)
      attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  %1 = symshape_kernel.contract ins(%a, %q : tensor<?x48xf32>, tensor<?x24x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x3x32xf16>)
      attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// Where a target chooses as it lowers.
// CHECK-LABEL: func.func @no_tile(
// CHECK: symshape_kernel.contract ins({{.*}}) outs({{.*}}) attributes {maps = [{{[^]]*}}]} {
func.func @no_tile(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #kn, #mn]} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
