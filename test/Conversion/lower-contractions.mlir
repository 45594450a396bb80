// RUN: symshape-opt %s --symshape-lower-contractions --canonicalize --split-input-file | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#n = affine_map<(m, n, k) -> (n)>
#packed = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = before_call>

// A packed operand: panels of columns, tiles of rows, one call. The region runs
// on the tile: on whole panels, or up to the last column.
// CHECK-LABEL: func.func @packed(
// CHECK-NOT:     memref.alloc
// CHECK-COUNT-3: scf.for
// CHECK:           call @symshape.tile.f32.f32.f32.2x32(
// CHECK:           scf.if
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : memref<?x32xf32,
// CHECK:           else
// CHECK:             linalg.generic {{.*}} outs(%{{.*}} : memref<?x?xf32,
// 2 rows of 2 vectors: the sums are carried in vectors, and
// the loop over terms neither stores nor masks nor calls.
// CHECK-LABEL: func.func private @symshape.tile.f32.f32.f32.2x32(
// CHECK-SAME:    no_inline
// CHECK:         scf.index_switch
// CHECK:         case 1 {
// CHECK:         default {
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, !llvm.ptr, !llvm.ptr)
// CHECK-NOT:           {{store|mask|call|memref}}
// CHECK-COUNT-8:       vector.fma
// CHECK-NOT:           {{store|mask|call|memref}}
// CHECK:               scf.yield
// CHECK:             llvm.store
// CHECK:             llvm.intr.masked.store
func.func @packed(%a: memref<?x?xf32>, %b: memref<?x?x32xf32>, %bias: memref<?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?x32xf32>) with(%bias : memref<?xf32>)
      outs(%c : memref<?x?xf32>) attributes {maps = [#mk, #nk, #n, #mn], tile = #packed} {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = by_panel>

// An operand that is not packed: each panel is copied, unless at most three tiles
// read it and its columns are all there. Without a region nothing follows the call.
// CHECK-LABEL: func.func @in_place(
// CHECK:         memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK:         scf.for
// CHECK:           %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c3
// CHECK-NEXT:      %[[DIRECT:.*]] = arith.andi %{{.*}}, %[[FEW]]
// CHECK:           scf.if %[[DIRECT]]
// CHECK-NEXT:        scf.yield
// CHECK:           else
// CHECK:             vector.transfer_read
// CHECK:           call @symshape.tile
// CHECK-NOT:       linalg.generic
// CHECK:         memref.dealloc
func.func @in_place(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
      outs(%c : memref<?x?xf32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = before_call>

// Sums of a wider type than the result are formed beside it; two contractions
// of the same types share a function.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[TILE:.*]] = memref.alloc() {{.*}} : memref<2x32xf32>
// CHECK:         call @[[KERNEL:symshape.tile.bf16.bf16.f32.2x32]](
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<2x32xbf16, strided<[64, 1], offset: ?>>)
// CHECK:           arith.truncf
// CHECK:         memref.dealloc %[[TILE]]
// CHECK:         call @[[KERNEL]](
// CHECK:       func.func private @[[KERNEL]](
// CHECK:         arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK-NOT:   func.func
func.func @narrow(%a: memref<2x8xbf16>, %b: memref<2x8x32xbf16>, %c: memref<2x64xbf16>, %d: memref<2x64xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<2x8xbf16>, memref<2x8x32xbf16>)
      outs(%c : memref<2x64xbf16>) attributes {maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    symshape_kernel.yield %0 : bf16
  }
  symshape_kernel.contract ins(%a, %b : memref<2x8xbf16>, memref<2x8x32xbf16>)
      outs(%d : memref<2x64xf32>) attributes {maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = by_panel>

// Columns that are not neighbours are copied first: those of the right operand,
// and after the last tile those of the result, of which the sums go on.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %{{.*}}: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32, strided<[?, ?]>>, %[[C:.*]]: memref<?x?xf32, strided<[?, 2]>>)
// CHECK:         %[[COPY:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK:         linalg.transpose ins(%[[B]] : {{.*}}) outs(%[[COPY]] : memref<?x?xf32>) permutation = [0, 1]
// CHECK:         %[[SUMS:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK:         linalg.copy ins(%[[C]] : {{.*}}) outs(%[[SUMS]]
// CHECK:         call @symshape.tile
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<?x32xf32,
// CHECK:           arith.negf
// CHECK:         linalg.copy ins(%[[SUMS]] : {{.*}}) outs(%[[C]]
// CHECK:         memref.dealloc %[[SUMS]]
// CHECK:         memref.dealloc %[[COPY]]
func.func @strided(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, ?]>>, %c: memref<?x?xf32, strided<[?, 2]>>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32, strided<[?, ?]>>)
      outs(%c : memref<?x?xf32, strided<[?, 2]>>) attributes {accumulate, maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = by_panel>

// A known divisor of the columns: every panel is whole, so the region runs on
// whole panels only, and a copy of a panel is not bounded.
// CHECK-LABEL: func.func @whole_panels(
// CHECK:         vector.transfer_read {{.*}} {in_bounds = [true]}
// CHECK:         call @symshape.tile
// CHECK-NOT:     scf.if
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<?x32xf32,
// CHECK-NOT:     linalg.generic
// CHECK:       func.func private @symshape.tile
func.func @whole_panels(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
      outs(%c : memref<?x?xf32>) attributes {columns_divisor = 64, maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = by_panel>

// Must not fire: a divisor that panels are no part of.
// CHECK-LABEL: func.func @half_panels(
// CHECK-NOT:     in_bounds = [true]} : memref<?x?xf32>
// CHECK:         call @symshape.tile
// CHECK:         scf.if
// CHECK:           linalg.generic
// CHECK:         else
// CHECK:           linalg.generic
func.func @half_panels(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
      outs(%c : memref<?x?xf32>) attributes {columns_divisor = 48, maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// Rows of two dimensions are one loop of calls in which they are the same
// distance apart in both operands: of an image, the second is not.
// CHECK-LABEL: func.func @rows_of_two(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?x?x8xf32>
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG:     %[[OUTER:.*]] = memref.dim %[[A]], %c0
// CHECK-COUNT-2: arith.cmpi eq
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         %[[ALL:.*]] = arith.muli %[[ROWS]], %[[OUTER]] : index
// CHECK:         arith.select %[[BOTH]], %c1{{.*}}, %[[OUTER]] : index
// CHECK:         arith.select %[[BOTH]], %[[ALL]], %[[ROWS]] : index
// CHECK:         memref.reinterpret_cast
func.func @rows_of_two(%a: memref<?x?x8xf32>, %b: memref<1x8x32xf32>, %c: memref<?x?x32xf32, strided<[?, ?, 1]>>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?x8xf32>, memref<1x8x32xf32>) outs(%c : memref<?x?x32xf32, strided<[?, ?, 1]>>)
      attributes {maps = [affine_map<(i, m, n, k) -> (i, m, k)>, affine_map<(i, m, n, k) -> (n, k)>, affine_map<(i, m, n, k) -> (i, m, n)>],
                  tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>} {
  ^bb0(%sum: f32):
    %0 = math.exp %sum : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// Windows that overlap have their terms copied side by side, in calls in which an
// image has fewer columns than a tile has rows, or a window few terms in a row.
// CHECK-LABEL: func.func @gather(
// CHECK:         arith.cmpi ult, %{{.*}}, %c14
// CHECK:         %[[SIZE:.*]] = arith.select %[[GATHERS:.*]], %{{.*}}, %c0
// CHECK-NEXT:    %[[BUFFER:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
// CHECK:         scf.if %[[GATHERS]] -> (!llvm.ptr)
// CHECK:           %[[V:.*]] = vector.transfer_read
// CHECK-NEXT:      vector.store %[[V]], %[[BUFFER]]
// CHECK:         memref.dealloc %[[BUFFER]]
func.func @gather(%a: memref<?x?x?xf32>, %b: memref<1x3x72x32xf32>, %c: memref<?x?x?x32xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?x?xf32>, memref<1x3x72x32xf32>) outs(%c : memref<?x?x?x32xf32>)
      attributes {maps = [affine_map<(n, y, x, f, i, j) -> (n, y + i, x * 8 + j)>, affine_map<(n, y, x, f, i, j) -> (f, i, j)>,
                          affine_map<(n, y, x, f, i, j) -> (n, y, x, f)>],
                  tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
