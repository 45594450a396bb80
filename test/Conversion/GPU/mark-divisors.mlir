// RUN: symshape-opt %s --symshape-mark-divisors | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// The largest power of two up to 16 that is known to divide rows; columns and types do not matter.
// CHECK-LABEL: func.func @known(
// CHECK: linalg.generic
// CHECK-SAME: gpu.divisors = array<i64: 1, 4>
// CHECK: linalg.fill {gpu.divisors = array<i64: 1, 16>}
func.func @known(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[8*M, 12*N]>},
                 %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[8*M, 64*N]>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %f : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: gpu.divisors
func.func @unknown(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, 3*N]>}) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %f : tensor<?x?xf32>
}

// Must not fire: the last dimension of a packed operand is none of its map.
// CHECK-LABEL: func.func @packed(
// CHECK:         symshape_kernel.contract
// CHECK-NOT:     gpu.divisors
// CHECK:         return
func.func @packed(%a: tensor<?x8xf32>, %p: tensor<?x8x32xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = symshape_kernel.contract ins(%a, %p : tensor<?x8xf32>, tensor<?x8x32xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
