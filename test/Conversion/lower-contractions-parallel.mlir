// RUN: symshape-opt %s --symshape-lower-contractions=parallel --canonicalize --split-input-file | FileCheck %s

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>

// Positive: batches, blocks of rows and panels are one parallel loop; each of
// its iterations has a buffer of its own for the panel, and its tiles in order.
// The function of the tile says what a call costs: vectors, rows, terms.
// CHECK-LABEL: func.func @batches(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.parallel (%{{.*}}, %{{.*}}, %{{.*}}) =
// CHECK:           memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK:           scf.for
// CHECK:             call @symshape.tile.f32.f32.f32.14x32(
// CHECK:           memref.dealloc
// CHECK:         return
// CHECK:       func.func private @symshape.tile.f32.f32.f32.14x32(
// CHECK-SAME:    call_cost = array<i64: 2, 0, 6>
func.func @batches(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%c : memref<?x?x?xf32>) attributes {maps = [#bmk, #bkn, #bmn], tile = #by_panel} {
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

// Must not fire: an enclosing loop has the threads.
// CHECK-LABEL: func.func @inside(
// CHECK:         scf.parallel
// CHECK-NOT:     scf.parallel
// CHECK:         call @symshape.tile
func.func @inside(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %w = memref.dim %b, %c1 : memref<?x?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %part = memref.subview %c[%i, 0, 0] [1, %m, %w] [1, 1, 1]
        : memref<?x?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
        outs(%part : memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
    ^bb0(%sum: f32):
      symshape_kernel.yield %sum : f32
    }
  }
  return
}

// -----

#window = affine_map<(n, h, w, f, i, t) -> (n, h + i, w * 8 + t)>
#kernel = affine_map<(n, h, w, f, i, t) -> (f, i, t)>
#result = affine_map<(n, h, w, f, i, t) -> (n, h, w, f)>

// A thread that copies rows side by side first takes several panels for them.
// CHECK-LABEL: func.func @gather(
// CHECK:         %[[PER_PIECE:.*]] = arith.select %[[GATHERS:.*]], %{{.*}}, %c1
// CHECK-NEXT:    arith.addi %[[PER_PIECE]], %c2
// CHECK-NEXT:    arith.divui
// CHECK-NEXT:    scf.parallel
// CHECK:           memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:           scf.if %[[GATHERS]]
// CHECK:             vector.store
// CHECK:           arith.minsi %[[PER_PIECE]],
// CHECK:           scf.for
// CHECK:             call @symshape.tile.f32.f32.f32.14x32(
func.func @gather(%a: memref<?x?x?xf32>, %b: memref<3x3x72x32xf32>, %c: memref<?x?x?x96xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?x?xf32>, memref<3x3x72x32xf32>)
      outs(%c : memref<?x?x?x96xf32>) attributes {maps = [#window, #kernel, #result],
          tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
