// RUN: symshape-opt %s --symshape-hoist-allocations | FileCheck %s
// RUN: symshape-opt %s --symshape-hoist-allocations=max-bytes=127 | FileCheck %s --check-prefix=SMALL
// RUN: symshape-opt %s --symshape-hoist-allocations -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Positive: 32 elements are enough for each tile; its type stays. Where fewer
// bytes are allowed, the size of the first tile is.
// CHECK-LABEL: func.func @tile(
// CHECK:         %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
// CHECK:         scf.for
// CHECK:           %[[SIZE:.*]] = affine.min
// CHECK-NOT:       memref.alloc
// CHECK:           %[[TILE:.*]] = memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [%[[SIZE]]], strides: [1] : memref<32xf32> to memref<?xf32>
// CHECK:           memref.copy %{{.*}}, %[[TILE]]
// CHECK-NOT:       memref.dealloc
// CHECK:         }
// CHECK:         memref.dealloc %[[ALL]]
// CHECK:         return
// SMALL-LABEL: func.func @tile(
// SMALL:         %[[SIZE:.*]] = arith.select
// SMALL:         %[[ALL:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xf32>
// SMALL:         scf.for
// SMALL:           memref.reinterpret_cast %[[ALL]]
// REMARK:      [[#@LINE+8]]:10: remark: [Passed] allocation | {{.*}}"allocated before 'scf.for' with at most 32 elements"
func.func @tile(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c32 {
    %size = affine.min affine_map<(d0)[s0] -> (32, s0 - d0)>(%i)[%n]
    // The uses are what they were before.
    %t = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    %v = memref.subview %a[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.copy %v, %t : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32>
    memref.copy %t, %v : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.dealloc %t : memref<?xf32>
  }
  return
}

// Positive: out of all loops, through a branch, with the strides of the type;
// not where fewer bytes are allowed, for it may be that no iteration allocates.
// CHECK-LABEL: func.func @nested(
// CHECK:         %[[ALL:.*]] = memref.alloc() : memref<512xf32>
// CHECK:         affine.for
// CHECK:           scf.while
// CHECK:             scf.if
// CHECK:               %[[STRIDE:.*]] = affine.apply #{{.*}}()[%{{.*}}]
// CHECK:               memref.reinterpret_cast %[[ALL]] to offset: [0], sizes: [8, %{{.*}}, 4], strides: [%[[STRIDE]], 4, 1] : memref<512xf32> to memref<8x?x4xf32>
// CHECK-NOT:   memref.dealloc
// SMALL-LABEL: func.func @nested(
// SMALL:         affine.for
// SMALL:           scf.while
// SMALL:             scf.if
// SMALL:               memref.alloc(%{{.*}}) : memref<8x?x4xf32>
// REMARK:      remark: [Passed] allocation | {{.*}}"allocated before 'affine.for' with at most 512 elements"
func.func @nested(%n: index, %f: f32, %more: i1) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %small = arith.cmpi sle, %n, %c16 : index
  affine.for %i = 0 to 4 {
    scf.while : () -> () {
      scf.condition(%more)
    } do {
      scf.if %small {
        %t = memref.alloc(%n) : memref<8x?x4xf32>
        linalg.fill ins(%f : f32) outs(%t : memref<8x?x4xf32>)
      }
      scf.yield
    }
  }
  return
}

// Positive: no iteration needs more than the first one. Where there is none,
// nothing is needed.
// CHECK-LABEL: func.func @first_is_largest(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xf32>, %[[FROM:[a-z0-9]+]]: index
// CHECK:         %[[ANY:.*]] = arith.cmpi sle
// CHECK:         %[[SIZE:.*]] = arith.select %[[ANY]]
// CHECK:         %[[ALL:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
// CHECK:         scf.for
// CHECK:           memref.reinterpret_cast %[[ALL]]
// REMARK:      remark: [Passed] allocation | {{.*}}"allocated before 'scf.for' with the size of its largest iteration"
func.func @first_is_largest(%a: memref<?xf32>, %from: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %start = arith.maxsi %from, %c0 : index
  scf.for %i = %start to %n step %c1 {
    %size = arith.subi %n, %i : index
    %t = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
  }
  return
}

// Positive: the last of ten iterations needs most.
// CHECK-LABEL: func.func @last_is_largest(
// CHECK-NOT:     select
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc(
// CHECK:         return
func.func @last_is_largest(%a: memref<?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %c10 step %c1 {
    %size = arith.addi %n, %i : index
    %t = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
  }
  return
}

// Positive: a buffer of static size moves as it is; one on the stack to the
// stack. Its size is a symbol for affine ops still.
// CHECK-LABEL: func.func @static_and_dims(
// CHECK:         %[[SIZE:.*]] = affine.min
// CHECK:         %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         %[[B:.*]] = memref.alloc() : memref<16xf32>
// CHECK:         %[[C:.*]] = memref.alloca() : memref<16xf32>
// CHECK:         affine.for
// CHECK:           memref.reinterpret_cast %[[B]]
// CHECK:           memref.reinterpret_cast %[[C]]
// CHECK:           affine.for %{{.*}} = 0 to %[[SIZE]]
// CHECK:         memref.dealloc %[[A]] : memref<4xf32>
func.func @static_and_dims(%f: f32, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = affine.min affine_map<()[s0] -> (s0, 16)>()[%n]
  affine.for %i = 0 to 4 {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc(%m) : memref<?xf32>
    %c = memref.alloca(%m) : memref<?xf32>
    %cast = memref.cast %b : memref<?xf32> to memref<?xf32>
    %d = memref.dim %cast, %c0 : memref<?xf32>
    affine.for %j = 0 to affine_map<()[s0] -> (s0)>()[%d] {
      affine.store %f, %b[%j] : memref<?xf32>
      affine.store %f, %c[%j] : memref<?xf32>
    }
    affine.store %f, %a[%i] : memref<4xf32>
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// Positive: a function that is called only uses the buffer; one that is not
// known may keep it.
// CHECK-LABEL: func.func @calls(
// CHECK:         memref.alloc() : memref<4xf32>
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<4xf32>
// REMARK:      remark: [Missed] allocation | {{.*}}"'func.call' may keep the buffer beyond the iteration"
func.func @calls(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<4xf32>
    func.call @uses(%a) : (memref<4xf32>) -> ()
    %b = memref.alloc() : memref<4xf32>
    func.call @unknown(%b) : (memref<4xf32>) -> ()
  }
  return
}
func.func private @unknown(memref<4xf32>)
func.func private @uses(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xf32>
  memref.store %v, %m[%c0] : memref<4xf32>
  return
}

// Must not fire: the callee frees it, or hands it on.
// CHECK-LABEL: func.func @calls_that_keep(
// CHECK:         scf.for
// CHECK:           memref.alloc()
// CHECK:           memref.alloc()
// REMARK:      remark: [Missed] allocation | {{.*}}"'memref.dealloc' may keep the buffer beyond the iteration"
// REMARK:      remark: [Missed] allocation | {{.*}}"'func.return' may keep the buffer beyond the iteration"
func.func @calls_that_keep(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<4xf32>
    func.call @frees(%a) : (memref<4xf32>) -> ()
    %b = memref.alloc() : memref<4xf32>
    %c = func.call @returns(%b) : (memref<4xf32>) -> memref<4xf32>
  }
  return
}
func.func private @frees(%m: memref<4xf32>) {
  memref.dealloc %m : memref<4xf32>
  return
}
func.func private @returns(%m: memref<4xf32>) -> memref<4xf32> {
  return %m : memref<4xf32>
}

// Must not fire: the buffer of one iteration is seen by another, or later.
// CHECK-LABEL: func.func @escapes(
// CHECK:         scf.for
// CHECK:           memref.alloc()
// CHECK:           memref.alloc()
// CHECK:           memref.alloc()
// REMARK:      remark: [Missed] allocation | {{.*}}"'scf.yield' may keep the buffer beyond the iteration"
// REMARK:      remark: [Missed] allocation | {{.*}}"'memref.store' may keep the buffer beyond the iteration"
// REMARK:      remark: [Missed] allocation | {{.*}}"'memref.extract_aligned_pointer_as_index' may keep the buffer beyond the iteration"
func.func @escapes(%n: index, %first: memref<4xf32>, %list: memref<?xmemref<4xf32>>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %initial = memref.cast %first : memref<4xf32> to memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %initial) -> memref<?xf32> {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    memref.store %b, %list[%i] : memref<?xmemref<4xf32>>
    %c = memref.alloc() : memref<4xf32>
    %p = memref.extract_aligned_pointer_as_index %c : memref<4xf32> -> index
    %next = memref.cast %a : memref<4xf32> to memref<?xf32>
    scf.yield %next : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// Must not fire: iterations that run at the same time need buffers of their
// own. A loop inside of them may lose its allocation.
// CHECK-LABEL: func.func @parallel(
// CHECK:         scf.parallel
// CHECK:           memref.alloc() : memref<8xf32>
// CHECK:           memref.alloc() : memref<4xf32>
// CHECK:           scf.for
// CHECK-NOT:         memref.alloc(
// CHECK:         return
// REMARK:      [[#@LINE+7]]:10: remark: [Missed] allocation | {{.*}}"each iteration of 'scf.parallel' needs a buffer of its own"
func.func @parallel(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // Stays.
    %a = memref.alloc() : memref<8xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      %b = memref.alloc() : memref<4xf32>
      memref.store %f, %a[%j] : memref<8xf32>
      memref.store %f, %b[%j] : memref<4xf32>
    }
  }
  return
}

// Must not fire: without a bound, the size of a buffer that not each iteration
// needs; a size that is read in the loop; a bound from a check that comes later.
// CHECK-LABEL: func.func @no_bound(
// CHECK:         scf.for
// CHECK:           memref.alloc(
// CHECK:           memref.alloc(
// CHECK:           memref.alloc(
// REMARK:      remark: [Missed] allocation | {{.*}}"needs: argument #0 must be at most 16777216"
// REMARK:      remark: [Missed] allocation | {{.*}}"needs: the result of memref.load must be at most 16777216"
// REMARK:      remark: [Missed] allocation | {{.*}}"needs: the result of memref.load must be at most 16777216"
func.func @no_bound(%n: index, %sizes: memref<?xindex>, %c: i1, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %t = memref.alloc(%n) : memref<?xf32>
      linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
    }
    %size = memref.load %sizes[%i] : memref<?xindex>
    %t = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
    %size2 = memref.load %sizes[%i] : memref<?xindex>
    %u = memref.alloc(%size2) : memref<?xf32>
    %small = arith.cmpi sle, %size2, %c64 : index
    cf.assert %small, "small"
    linalg.fill ins(%f : f32) outs(%u : memref<?xf32>)
  }
  return
}

// Must not fire: the elements are not in the order of a plain array.
// CHECK-LABEL: func.func @layout(
// CHECK:         scf.for
// CHECK:           memref.alloc()
// REMARK:      remark: [Missed] allocation | {{.*}}"the layout or the size of its elements is not that of a plain array"
func.func @layout(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
    memref.store %f, %t[%c0, %c1] : memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
  }
  return
}

// Must not fire: nothing is allocated in a loop, nothing is said.
// REMARK-NOT:  remark
func.func @no_loop(%n: index, %f: f32) {
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
  return
}
