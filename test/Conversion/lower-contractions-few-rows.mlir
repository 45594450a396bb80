// RUN: symshape-opt %s --symshape-lower-contractions --canonicalize --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-contractions=few-rows=false --canonicalize --split-input-file | FileCheck %s --check-prefix=TILES

// Must not fire: few rows get no loop of their own if that is not wanted.
// TILES-NOT: @symshape.stream
// TILES:     call @symshape.tile.f32.f32.f32.14x32(
// TILES-NOT: @symshape.stream

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>

// An operand that is not packed: it is read in long runs for at most two rows.
// CHECK-LABEL: func.func @few_or_many(
// CHECK:         %[[FEW:.*]] = arith.cmpi ule
// CHECK:         scf.if %[[FEW]] {
// CHECK:           call @symshape.stream.f32.f32.f32.2x4096(
// CHECK:         } else {
// CHECK:           memref.prefetch
// CHECK:           call @symshape.tile.f32.f32.f32.14x32(
// CHECK-LABEL: func.func private @symshape.stream.f32.f32.f32.2x4096(
// CHECK:         scf.index_switch
// CHECK:         case 1 {
// Nothing but whole vectors where rows of B pass by, eight at a time.
// CHECK:           scf.for {{.*}} step %c8
// CHECK-COUNT-8:     vector.broadcast
// CHECK:             scf.for {{.*}} step %c16
// CHECK-NOT:           mask
// CHECK:               arith.mulf
// CHECK-COUNT-7:       vector.fma
// CHECK-NOT:           mask
// CHECK:             }
func.func @few_or_many(%a: memref<?x8xf32>, %b: memref<8x256xf32>, %c: memref<?x256xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x8xf32>, memref<8x256xf32>)
      outs(%c : memref<?x256xf32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>

// Must not fire: three rows.
// CHECK-LABEL: func.func @three(
// CHECK-NOT:     symshape.stream
// CHECK:         call @symshape.tile.f32.f32.f32.14x32(
// CHECK-NOT:     symshape.stream
func.func @three(%a: memref<3x8xf32>, %b: memref<8x256xf32>, %c: memref<3x256xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<3x8xf32>, memref<8x256xf32>)
      outs(%c : memref<3x256xf32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
