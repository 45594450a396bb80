// RUN: symshape-opt %s --symshape-lower-packs --split-input-file --verify-diagnostics

// Negative: the size of a tile is an argument.
func.func @tile_is_a_value(%x: tensor<?x?xf32>, %e: tensor<?x?x?x8xf32>, %t: index, %z: f32) -> tensor<?x?x?x8xf32> {
  // expected-error@+1 {{'linalg.pack' op expected tiles whose sizes are constants}}
  %p = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [%t, 8] into %e
    : tensor<?x?xf32> -> tensor<?x?x?x8xf32>
  return %p : tensor<?x?x?x8xf32>
}
