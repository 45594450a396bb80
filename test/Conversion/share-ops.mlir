// RUN: symshape-opt %s --symshape-share-ops | FileCheck %s
// RUN: symshape-opt %s --symshape-share-ops=any-shape | FileCheck %s --check-prefix=ANY
// RUN: symshape-opt %s --symshape-share-ops=least=3 | FileCheck %s --check-prefix=THREE
// RUN: symshape-opt %s --symshape-share-ops=whole-from=2 | FileCheck %s --check-prefix=EACH
// RUN: symshape-opt %s --symshape-share-ops=whole-from=1000 | FileCheck %s

// Positive: two fills with the same number; the number is in the function.
// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>
// CHECK:         call @[[$FILL:.*]](%[[A]]) : (memref<?xf32>) -> ()
// CHECK-NEXT:    call @[[$FILL]](%[[B]]) : (memref<?xf32>) -> ()
// CHECK-NEXT:    return
// Must not fire: there are two, not three.
// THREE-LABEL: func.func @same(
// THREE-COUNT-2: linalg.fill
func.func @same(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  return
}

// Must not fire: another number. With functions for all ops, a call is left.
// CHECK-LABEL: func.func @other_number(
// CHECK:         linalg.fill
// EACH-LABEL: func.func @other_number(
// EACH:          call @symshape.shared
// EACH-NEXT:    return
func.func @other_number(%a: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%a : memref<?xf32>)
  return
}

// Must not fire: a buffer that is used twice is one argument.
// CHECK-LABEL: func.func @in_place(
// CHECK-COUNT-2: linalg.exp
func.func @in_place(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.exp ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}

// Must not fire unless any shape will do: extents differ. Rows of a view are
// still neighbours in memory along the last dimension.
// CHECK-LABEL: func.func @extents_differ(
// CHECK-COUNT-2: linalg.copy
// ANY-LABEL: func.func @extents_differ(
// ANY-SAME:    %[[A:[a-z0-9]+]]: memref<4x8xf32>, %[[B:[a-z0-9]+]]: memref<?x16xf32>
// ANY:         %[[CA:.*]] = memref.cast %[[A]] : memref<4x8xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// ANY:         call @[[COPY:.*]](%[[CA]], %{{.*}})
// ANY:         %[[CB:.*]] = memref.cast %[[B]] : memref<?x16xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// ANY:         call @[[COPY]](%[[CB]], %{{.*}})
func.func @extents_differ(%a: memref<4x8xf32>, %b: memref<?x16xf32>, %c: memref<4x8xf32>,
                          %d: memref<?x16xf32, strided<[32, 1]>>) {
  linalg.copy ins(%a : memref<4x8xf32>) outs(%c : memref<4x8xf32>)
  linalg.copy ins(%b : memref<?x16xf32>) outs(%d : memref<?x16xf32, strided<[32, 1]>>)
  return
}

// Must not fire: columns that are apart in memory are other code.
// ANY-LABEL: func.func @apart(
// ANY:         linalg.copy
func.func @apart(%a: memref<4x8xf32>, %b: memref<4x8xf32, strided<[1, 4]>>) {
  linalg.copy ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32, strided<[1, 4]>>)
  return
}

// Positive: loops, with what is used in them; an op inside is shared with its
// loop alone.
// CHECK-LABEL: func.func @loops(
// CHECK:         call @[[$LOOP:.*]](%{{.*}}, %{{.*}}, %{{.*}}) : (index, memref<?x8xf32>, f32) -> ()
// CHECK:         call @[[$LOOP]](
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @loops(%a: memref<?x8xf32>, %b: memref<?x8xf32>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x8xf32>
  %n = memref.dim %b, %c0 : memref<?x8xf32>
  scf.for %i = %c0 to %m step %c1 {
    %row = memref.subview %a[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
  }
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %b[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%y : f32) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
  }
  return
}

// Must not fire: an op with a result, unless only calls are to be left where
// some op is shared.
// CHECK-LABEL: func.func @results(
// CHECK-COUNT-2: scf.for
// EACH-LABEL: func.func @results(
// EACH-COUNT-2: scf.for
func.func @results(%n: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> f32 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%s = %r) -> f32 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  return %r, %q : f32, f32
}

// Positive: loops with results and branches that fail, where a fill is shared.
// The fill in a loop has a function of its own, and equal loops have one.
// CHECK-LABEL: func.func @rest(
// CHECK-COUNT-3: scf.for
// EACH-LABEL: func.func @rest(
// EACH-SAME:    %[[A:[a-z0-9]+]]: memref<?xi64>, %[[N:[a-z0-9]+]]: index)
// EACH:         call @symshape.shared{{.*}}(%[[A]])
// EACH-NEXT:    %[[C:.*]] = call @[[$COUNT:.*]](%[[N]], %[[A]]) : (index, memref<?xi64>) -> index
// EACH-NEXT:    %[[D:.*]] = call @[[$COUNT]](%[[C]], %[[A]])
// EACH-NEXT:    %[[TOO:.*]] = arith.cmpi ugt, %[[D]]
// EACH-NEXT:    call @[[$FAIL:.*]](%[[TOO]], {{.*}}%[[D]]{{.*}}) :
// EACH-NEXT:    %[[W:.*]] = call @[[$OTHER:.*]](%[[N]], %[[D]])
// EACH-NEXT:    scf.if
// EACH-NEXT:      memref.store
// EACH-NEXT:      call @[[$FAIL]]
// EACH-NEXT:    }
// EACH-NEXT:    return
func.func @rest(%a: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  linalg.fill ins(%zero : i64) outs(%a : memref<?xi64>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
    linalg.fill ins(%zero : i64) outs(%a : memref<?xi64>)
    %v = memref.load %a[%s] : memref<?xi64>
    %t = arith.index_cast %v : i64 to index
    scf.yield %t : index
  }
  %q = scf.for %i = %c0 to %r step %c1 iter_args(%s = %c0) -> index {
    linalg.fill ins(%zero : i64) outs(%a : memref<?xi64>)
    %v = memref.load %a[%s] : memref<?xi64>
    %t = arith.index_cast %v : i64 to index
    scf.yield %t : index
  }
  %too = arith.cmpi ugt, %q, %c1 : index
  scf.if %too {
    %v = memref.load %a[%q] : memref<?xi64>
    %t = arith.index_cast %v : i64 to index
    symshape.fail "expected less, but got {0}" (%t)
  }
  %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %q) -> index {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  // Must not fire: a branch that does something else, but for what fails in it.
  scf.if %too {
    memref.store %zero, %a[%w] : memref<?xi64>
    scf.if %too {
      %v = memref.load %a[%q] : memref<?xi64>
      %t = arith.index_cast %v : i64 to index
      symshape.fail "expected less, but got {0}" (%t)
    }
  }
  return
}
// EACH:      func.func private @[[$COUNT]](
// EACH:        scf.for
// EACH-NEXT:     call @symshape.shared
// EACH:      func.func private @[[$FAIL]](
// EACH-SAME:   attributes {no_inline, passthrough = ["cold", "noinline", "optnone"]}
// EACH:      func.func private @[[$OTHER]](
// EACH-SAME:   attributes {no_inline} {

// Positive: layers of other widths, by panels of weights. Whether columns fill
// their panels is known, and makes other code; their number is not.
// CHECK-LABEL: func.func @widths(
// CHECK:         call @[[$WHOLE:.*]](%{{.*}}) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?x32xf32, strided<[?, ?, 1], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()
// CHECK:         call @[[$WHOLE]](
// CHECK:         symshape_kernel.contract
// CHECK-NOT:     columns_divisor
// CHECK:         return
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @widths(%a: memref<?x8xf32>, %b: memref<2x8x32xf32>, %c: memref<?x64xf32>,
                  %d: memref<?x24xf32>, %e: memref<1x24x32xf32>, %f: memref<?x32xf32>,
                  %g: memref<1x24x32xf32>, %h: memref<?x30xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x8xf32>, memref<2x8x32xf32>) outs(%c : memref<?x64xf32>)
      attributes {maps = [#mk, #nk, #mn], tile = #tile} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  symshape_kernel.contract ins(%d, %e : memref<?x24xf32>, memref<1x24x32xf32>) outs(%f : memref<?x32xf32>)
      attributes {maps = [#mk, #nk, #mn], tile = #tile} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  symshape_kernel.contract ins(%d, %g : memref<?x24xf32>, memref<1x24x32xf32>) outs(%h : memref<?x30xf32>)
      attributes {maps = [#mk, #nk, #mn], tile = #tile} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// CHECK:      func.func private @[[$FILL]](%[[X:.*]]: memref<?xf32>) attributes {no_inline} {
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:   linalg.fill ins(%[[ZERO]] : f32) outs(%[[X]] : memref<?xf32>)
// CHECK-NEXT:   return
// CHECK:      func.func private @[[$LOOP]](
// CHECK:        scf.for
// CHECK:       func.func private @[[$WHOLE]](
// CHECK:         columns_divisor = 32
