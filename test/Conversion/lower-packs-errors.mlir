// RUN: symshape-opt %s --symshape-lower-packs --split-input-file --verify-diagnostics

// Negative: a packing of buffers.
func.func @buffers(%x: memref<?x?xf32>, %e: memref<?x?x?x8xf32>, %t: index, %z: f32) {
  // expected-error@+1 {{'linalg.pack' op expected a packing that loops can express}}
  linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [%t, 8] into %e
    : memref<?x?xf32> -> memref<?x?x?x8xf32>
  return
}
