// RUN: symshape-opt %s --symshape-form-contractions --canonicalize --split-input-file | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Codes that are weights are packed as they are, and so are their scales and
// zeros: panels, bytes or blocks, and the columns of a panel.
// CHECK-DAG:   #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:   #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @codes(
// CHECK-SAME:    %[[X:.*]]: tensor<?x128xf32>, %[[Q:.*]]: tensor<100x64xi8> {{{.*}}}, %[[S:.*]]: tensor<100x4xf16> {{{.*}}}, %[[Z:.*]]: tensor<100x4xi8> {{{.*}}}, %[[C:.*]]: tensor<?x100xf32>)
// CHECK-NOT:     symshape.dequantize
// CHECK-DAG:     %[[PS:.*]] = linalg.pack %[[S]] {{.*}} inner_dims_pos = [0] inner_tiles = [32] {{.*}} -> tensor<4x4x32xf16>
// CHECK-DAG:     %[[PZ:.*]] = linalg.pack %[[Z]] {{.*}} inner_dims_pos = [0] inner_tiles = [32] {{.*}} -> tensor<4x4x32xi8>
// CHECK-DAG:     %[[PQ:.*]] = linalg.pack %[[Q]] {{.*}} inner_dims_pos = [0] inner_tiles = [32] {{.*}} -> tensor<4x64x32xi8>
// CHECK-NOT:     linalg.pack
// CHECK:         symshape_kernel.contract ins(%[[X]], %[[PQ]]
// CHECK-SAME:      scales(%[[PS]] : tensor<4x4x32xf16>) zeros(%[[PZ]] : tensor<4x4x32xi8>)
// CHECK-SAME:      attributes {accumulate, block_terms = 32 : i64, code_bits = 4 : i64, maps = [#[[$MK]], #[[$NK]], #[[$MN]]], tile = {{.*}}, packing = before_call>}
func.func @codes(%x: tensor<?x128xf32>, %q: tensor<100x64xi8> {symshape.weight = "q"}, %s: tensor<100x4xf16> {symshape.weight = "s"},
                 %z: tensor<100x4xi8> {symshape.weight = "z"}, %c: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %w = symshape.dequantize %q scales %s zeros %z bits 4 block 32 : tensor<100x64xi8>, tensor<100x4xf16>, tensor<100x4xi8> to tensor<100x128xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x128xf32>, tensor<100x128xf32>) outs(%c : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Without zeros two are packed. Terms may end within a block; of bytes, they may
// be odd. Codes and scales may be more than the terms take.
// CHECK-LABEL: func.func @bytes(
// CHECK-NOT:     symshape.dequantize
// CHECK-COUNT-2: linalg.pack
// CHECK-NOT:     linalg.pack
// CHECK:         symshape_kernel.contract {{.*}} tensor<2x20x32xi8>) {{.*}} scales(%{{.*}} : tensor<2x3x32xf32>) attributes {accumulate, block_terms = 16 : i64, code_bits = 8 : i64,
func.func @bytes(%x: tensor<?x17xf32>, %q: tensor<64x20xi8> {symshape.weight = "q"}, %s: tensor<64x3xf32> {symshape.weight = "s"},
                 %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = symshape.dequantize %q scales %s bits 8 block 16 : tensor<64x20xi8>, tensor<64x3xf32> to tensor<64x17xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x17xf32>, tensor<64x17xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

#mk = affine_map<(b, m, n, k) -> (b, m, k)>
#nk = affine_map<(b, m, n, k) -> (n, k)>
#mn = affine_map<(b, m, n, k) -> (b, m, n)>

// Rows in batches, and what follows the sums, change nothing of it. Numbers that
// another op reads as well are made in memory for that one.
// CHECK-LABEL: func.func @batches(
// CHECK:         symshape.dequantize
// CHECK-COUNT-2: linalg.pack
// CHECK:         symshape_kernel.contract {{.*}} scales({{.*}}) attributes {accumulate, block_terms = 64 : i64, code_bits = 2 : i64,
func.func @batches(%x: tensor<?x?x64xf32>, %q: tensor<32x16xi8> {symshape.weight = "q"}, %s: tensor<32x1xf32> {symshape.weight = "s"},
                   %c: tensor<?x?x32xf32>) -> (tensor<?x?x32xf32>, tensor<32x64xf32>) {
  %w = symshape.dequantize %q scales %s bits 2 block 64 : tensor<32x16xi8>, tensor<32x1xf32> to tensor<32x64xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x?x64xf32>, tensor<32x64xf32>) outs(%c : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %0, %w : tensor<?x?x32xf32>, tensor<32x64xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: codes that are not known before the calls, nor all of their
// scales.
// CHECK-LABEL: func.func @not_weights(
// CHECK-NOT:     linalg.pack
// CHECK:         symshape.dequantize
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @not_weights(%x: tensor<?x128xf32>, %q: tensor<100x64xi8> {symshape.weight = "q"}, %s: tensor<100x4xf32>, %c: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %w = symshape.dequantize %q scales %s bits 4 block 32 : tensor<100x64xi8>, tensor<100x4xf32> to tensor<100x128xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x128xf32>, tensor<100x128xf32>) outs(%c : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: a block of a multiple of 8 terms alone; the floats are packed.
// CHECK-LABEL: func.func @block(
// CHECK:         %[[W:.*]] = symshape.dequantize
// CHECK:         linalg.pack %[[W]]
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @block(%x: tensor<?x120xf32>, %q: tensor<100x60xi8> {symshape.weight = "q"}, %s: tensor<100x5xf32> {symshape.weight = "s"}, %c: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %w = symshape.dequantize %q scales %s bits 4 block 24 : tensor<100x60xi8>, tensor<100x5xf32> to tensor<100x120xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x120xf32>, tensor<100x120xf32>) outs(%c : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: terms that end within a byte.
// CHECK-LABEL: func.func @odd_terms(
// CHECK:         %[[W:.*]] = symshape.dequantize
// CHECK:         linalg.pack %[[W]]
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @odd_terms(%x: tensor<?x127xf32>, %q: tensor<100x64xi8> {symshape.weight = "q"}, %s: tensor<100x4xf32> {symshape.weight = "s"}, %c: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %w = symshape.dequantize %q scales %s bits 4 block 32 : tensor<100x64xi8>, tensor<100x4xf32> to tensor<100x127xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x127xf32>, tensor<100x127xf32>) outs(%c : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: columns along a row of codes, which have no scale of their own.
// CHECK-LABEL: func.func @along_rows(
// CHECK:         %[[W:.*]] = symshape.dequantize
// CHECK:         linalg.pack %[[W]]
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @along_rows(%x: tensor<?x100xf32>, %q: tensor<100x64xi8> {symshape.weight = "q"}, %s: tensor<100x4xf32> {symshape.weight = "s"}, %c: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %w = symshape.dequantize %q scales %s bits 4 block 32 : tensor<100x64xi8>, tensor<100x4xf32> to tensor<100x128xf32>
  %0 = linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%x, %w : tensor<?x100xf32>, tensor<100x128xf32>) outs(%c : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: sums in another type than f32.
// CHECK-LABEL: func.func @doubles(
// CHECK:         symshape.dequantize
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @doubles(%x: tensor<?x128xf64>, %q: tensor<100x64xi8> {symshape.weight = "q"}, %s: tensor<100x4xf32> {symshape.weight = "s"}, %c: tensor<?x100xf64>) -> tensor<?x100xf64> {
  %w = symshape.dequantize %q scales %s bits 4 block 32 : tensor<100x64xi8>, tensor<100x4xf32> to tensor<100x128xf64>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x128xf64>, tensor<100x128xf64>) outs(%c : tensor<?x100xf64>) -> tensor<?x100xf64>
  return %0 : tensor<?x100xf64>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Must not fire: with open rows, codes and scales may not fit each other, which is
// known in a call.
// CHECK-LABEL: func.func @open_rows(
// CHECK:         symshape.dequantize
// CHECK-NOT:     code_bits
// CHECK:         return
func.func @open_rows(%x: tensor<?x128xf32>, %q: tensor<?x64xi8> {symshape.weight = "q"}, %s: tensor<?x4xf32> {symshape.weight = "s"}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x128xf32>
  %n = tensor.dim %q, %c0 : tensor<?x64xi8>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = symshape.dequantize %q scales %s bits 4 block 32 : tensor<?x64xi8>, tensor<?x4xf32> to tensor<?x128xf32>
  %0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x128xf32>, tensor<?x128xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
