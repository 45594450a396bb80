// RUN: symshape-opt %s --symshape-lower-structured-ops --canonicalize --cse | FileCheck %s

// In a loop over rows, the last op that reads a row fetches the next one; at
// the last row, that row.

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
!row = memref<1x?xf32, strided<[?, 1], offset: ?>>

// CHECK-LABEL: func.func @two_passes(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x?xf32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[M:.*]] step %c1
// CHECK-NOT:       prefetch
// CHECK:           vector.reduction <maxnumf>
// CHECK-NOT:       prefetch
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK:           %[[LAST:.*]] = arith.subi %[[M]], %c1
// CHECK:           %[[ROW:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:           %[[VIEW:.*]] = memref.subview %[[X]][%[[ROW]], 0]
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             arith.subf {{.*}} vector<16xf32>
// CHECK:             memref.prefetch %[[VIEW]][%c0, %[[J]]], read, locality<3>, data
// The tail has no prefetch; what is written is not fetched.
// CHECK-NOT:       prefetch
// CHECK:           return
func.func @two_passes(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %max: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    %from = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    %to = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
        ins(%from : !row) outs(%max : memref<1xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %0 = arith.maxnumf %v, %acc : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%from, %max : !row, memref<1xf32>) outs(%to : !row) {
    ^bb0(%v: f32, %s: f32, %out: f32):
      %0 = arith.subf %v, %s : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// The next row of what the body writes is not known yet; what does not move
// with the loop has no next row; nor has what it reads in steps of two; rows
// that a loop around reads again are in a cache.

// CHECK-LABEL: func.func @no_next_row(
// CHECK-NOT:     prefetch
// CHECK:         return
func.func @no_next_row(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    %own = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    %same = memref.subview %x[%m, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    linalg.exp ins(%own : !row) outs(%own : !row)
    linalg.add ins(%own, %same : !row, !row) outs(%own : !row)
  }
  scf.for %i = %c0 to %m step %c2 {
    %from = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    %to = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
    linalg.exp ins(%from : !row) outs(%to : !row)
  }
  scf.for %block = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %from = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
      %to = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to !row
      linalg.exp ins(%from : !row) outs(%to : !row)
    }
  }
  return
}
