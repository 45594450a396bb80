// RUN: symshape-opt %s --symshape-lower-packs --canonicalize --split-input-file | FileCheck %s

// Rows of a panel, in a function that both share; the last one may be short.
// CHECK-LABEL: func.func private @symshape.pack.1(
// CHECK-SAME:    %[[B:.*]]: tensor<8x?xf32>, %{{.*}}: tensor<?x8x32xf32>) -> tensor<?x8x32xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     vector.transfer_read %[[B]][%{{.*}}, %{{.*}}], %{{[^ ]*}} : tensor<8x?xf32>, vector<16xf32>
// CHECK-LABEL: func.func @rows(
// CHECK:         call @symshape.pack.1(
// CHECK:         call @symshape.pack.1(
func.func @rows(%b: tensor<8x?xf32>, %d: tensor<8x?xf32>, %n: index) -> (tensor<?x8x32xf32>, tensor<?x8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x8x32xf32>
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
      : tensor<8x?xf32> -> tensor<?x8x32xf32>
  %q = linalg.pack %d padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
      : tensor<8x?xf32> -> tensor<?x8x32xf32>
  return %p, %q : tensor<?x8x32xf32>, tensor<?x8x32xf32>
}

// -----

// A transposed source: squares of 16 by 16 in registers, without a branch.
// CHECK-LABEL: func.func private @symshape.pack.1(
// CHECK-NOT:     scf.if
// CHECK-COUNT-16: vector.transfer_read
// CHECK:         vector.shuffle
// CHECK-COUNT-16: vector.transfer_write
func.func @squares(%b: tensor<64x48xf32>) -> tensor<2x48x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x48x32xf32>
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into %e
      : tensor<64x48xf32> -> tensor<2x48x32xf32>
  return %p : tensor<2x48x32xf32>
}

// -----

// Must not fire: a function that packs arguments makes the padding itself, which
// is no constant here. The loops stay where they are.
// CHECK-LABEL: func.func @padding_is_argument(
// CHECK-NOT:     call
// CHECK:         scf.for
func.func @padding_is_argument(%b: tensor<8x?xf32>, %n: index, %pad: f32) -> tensor<?x8x32xf32> {
  %e = tensor.empty(%n) : tensor<?x8x32xf32>
  %p = linalg.pack %b padding_value(%pad : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
      : tensor<8x?xf32> -> tensor<?x8x32xf32>
  return %p : tensor<?x8x32xf32>
}

// -----

// CHECK-LABEL: func.func @padding_is_computed(
// CHECK-NOT:     call
// CHECK:         scf.for
func.func @padding_is_computed(%b: tensor<64x48xf32>, %x: f32) -> tensor<2x48x32xf32> {
  %pad = arith.negf %x : f32
  %e = tensor.empty() : tensor<2x48x32xf32>
  %p = linalg.pack %b padding_value(%pad : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [32] into %e
      : tensor<64x48xf32> -> tensor<2x48x32xf32>
  return %p : tensor<2x48x32xf32>
}

// The inverse, by a transposition, a reshape and a slice; tiles of any size.
// CHECK-LABEL: func.func @unpack(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK-SAME:      permutation = [0, 3, 1, 2]
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2, 3]]
// CHECK:         tensor.extract_slice %[[C]]
// CHECK:         linalg.copy
func.func @unpack(%t: tensor<?x?x?x?xf32>, %a: index, %b: index, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %u = linalg.unpack %t inner_dims_pos = [1, 0] inner_tiles = [%a, %b] into %d
    : tensor<?x?x?x?xf32> -> tensor<?x?xf32>
  return %u : tensor<?x?xf32>
}

// -----

// Nothing is written: what upstream makes would not verify.
// CHECK-LABEL: func.func @unpack_nothing(
// CHECK-SAME:    %{{.*}}, %[[D:.*]]: tensor<3x0xf32>) -> tensor<3x0xf32>
// CHECK-NEXT:    return %[[D]]
func.func @unpack_nothing(%t: tensor<0x1x4x8xf32>, %d: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %u = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 8] into %d
    : tensor<0x1x4x8xf32> -> tensor<3x0xf32>
  return %u : tensor<3x0xf32>
}

// CHECK-LABEL: func.func @pack_nothing(
// CHECK-SAME:    %{{.*}}, %[[D:.*]]: tensor<0x?x4x8xf32>) -> tensor<0x?x4x8xf32>
// CHECK-NEXT:    return %[[D]]
func.func @pack_nothing(%t: tensor<?x0xf32>, %d: tensor<0x?x4x8xf32>) -> tensor<0x?x4x8xf32> {
  %z = arith.constant 0.0 : f32
  %p = linalg.pack %t padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 8] into %d
    : tensor<?x0xf32> -> tensor<0x?x4x8xf32>
  return %p : tensor<0x?x4x8xf32>
}

// -----

// Positive: tiles whose size is a value; an element beyond the source is padding.
// CHECK-LABEL: func.func @tile_is_a_value(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic
// CHECK:         tensor.extract
// CHECK:         arith.select
func.func @tile_is_a_value(%x: tensor<?xf32>, %e: tensor<?x?xf32>, %t: index, %z: f32) -> tensor<?x?xf32> {
  %p = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [%t] into %e
    : tensor<?xf32> -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// -----

// What is computed is packed by a shared function if there are two of a kind, and
// else in place.
// CHECK-LABEL: func.func private @symshape.pack.1(
// CHECK-LABEL: func.func @computed(
// CHECK-COUNT-2: call @symshape.pack.1(
// CHECK-NOT:     call
// CHECK:         scf.for
func.func @computed(%a: tensor<8x64xf32>, %b: tensor<8x96xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<3x8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %an = arith.negf %a : tensor<8x64xf32>
  %aa = arith.addf %a, %a : tensor<8x64xf32>
  %bn = arith.negf %b : tensor<8x96xf32>
  %e = tensor.empty() : tensor<2x8x32xf32>
  %f = tensor.empty() : tensor<3x8x32xf32>
  %p = linalg.pack %an padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
      : tensor<8x64xf32> -> tensor<2x8x32xf32>
  %q = linalg.pack %aa padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %e
      : tensor<8x64xf32> -> tensor<2x8x32xf32>
  %r = linalg.pack %bn padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %f
      : tensor<8x96xf32> -> tensor<3x8x32xf32>
  return %p, %q, %r : tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<3x8x32xf32>
}
