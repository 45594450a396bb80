// RUN: symshape-opt %s -allow-unregistered-dialect --symshape-plan-memory --canonicalize --cse --split-input-file | FileCheck %s
// RUN: symshape-opt %s -allow-unregistered-dialect --symshape-plan-memory --split-input-file -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Positive: of three buffers, the first and the last are never in use together.
// CHECK-LABEL: func.func @reuse(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xf32>, %[[O:[a-z0-9]+]]: memref<?xf32>
// CHECK:         %[[N:.*]] = memref.dim %[[A]]
// CHECK:         %[[ALL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[X:.*]] = memref.view %[[ALL]][%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK:         %[[Y:.*]] = memref.view %[[ALL]][%{{[0-9]+}}][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.copy %[[A]], %[[X]]
// CHECK:         memref.copy %[[X]], %[[Y]]
// CHECK:         memref.copy %[[Y]], %[[X]]
// CHECK:         memref.copy %[[X]], %[[O]]
// REMARK:      remark: [Passed] arena | {{.*}}"64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 64*((%arg0.dim0 + 15) floordiv 16)"
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
func.func @reuse(%a: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %x = memref.alloc(%n) : memref<?xf32>
  %y = memref.alloc(%n) : memref<?xf32>
  %z = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  memref.copy %y, %z : memref<?xf32> to memref<?xf32>
  memref.copy %z, %o : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Must not share: all three are in use at the last op, the first by its view.
// CHECK-LABEL: func.func @together(
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// REMARK:      "64 bytes at 0"
// REMARK:      "64 bytes at 64"
// REMARK:      "64 bytes at 128"
func.func @together(%a: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  %z = memref.alloc() : memref<8xf32>
  memref.copy %a, %x : memref<8xf32> to memref<8xf32>
  %v = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  %w = memref.collapse_shape %v [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  linalg.add ins(%w, %y : memref<8xf32>, memref<8xf32>) outs(%z : memref<8xf32>)
  memref.copy %z, %a : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Positive: two small buffers in the place of a large one. Sizes of different
// kinds are stacked where neither is known to be the larger.
// CHECK-LABEL: func.func @smaller(
// REMARK:      "256 bytes at [[END:64\*\(\(%arg1.dim0 \+ 15\) floordiv 16\)]]"
// REMARK:      "64 bytes at [[END]] + 128"
// REMARK:      "128 bytes at [[END]]"
// REMARK:      "[[END]] bytes at 0"
func.func @smaller(%a: memref<64xf32>, %d: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %d, %c0 : memref<?xf32>
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<16xf32>
  %z = memref.alloc() : memref<32xf32>
  %w = memref.alloc(%n) : memref<?xf32>
  memref.copy %d, %w : memref<?xf32> to memref<?xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %s = memref.subview %a[0] [16] [1] : memref<64xf32> to memref<16xf32>
  %t = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32>
  memref.copy %s, %y : memref<16xf32> to memref<16xf32>
  memref.copy %t, %z : memref<32xf32> to memref<32xf32>
  memref.copy %y, %s : memref<16xf32> to memref<16xf32>
  memref.copy %z, %t : memref<32xf32> to memref<32xf32>
  memref.copy %w, %d : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Positive: branches share; what a branch gives is in use after it.
// REMARK:      "64 bytes at 64"
// REMARK:      "64 bytes at 0"
// REMARK:      "64 bytes at 0"
// CHECK-LABEL: func.func @branch(
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @branch(%c: i1, %f: f32, %a: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    %y = memref.alloc() : memref<8xf32>
    linalg.fill ins(%f : f32) outs(%y : memref<8xf32>)
    scf.yield %y : memref<8xf32>
  } else {
    %z = memref.alloc() : memref<8xf32>
    memref.copy %a, %z : memref<8xf32> to memref<8xf32>
    scf.yield %z : memref<8xf32>
  }
  linalg.fill ins(%f : f32) outs(%x : memref<8xf32>)
  linalg.add ins(%r, %x : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

// Positive: one place for all iterations, also for the largest of sizes that
// differ. What was written before the loop is read in each iteration.
// CHECK-LABEL: func.func @loop(
// CHECK:         %[[ALL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           memref.view %[[ALL]]
// CHECK:           memref.view %[[ALL]]
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
// REMARK:      "[[T:64\*\(\(min\(%arg0.dim0, 32\) \+ 15\) floordiv 16\)]] bytes at [[X:64\*\(\(%arg0.dim0 \+ 15\) floordiv 16\)]]; reserved, as dim 0 is at most min(%arg0.dim0, 32)"
// REMARK:      "64 bytes at [[X]] + [[T]]"
func.func @loop(%a: memref<?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %x = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  scf.for %i = %c0 to %n step %c32 {
    %size = affine.min affine_map<(d0)[s0] -> (32, s0 - d0)>(%i)[%n]
    %t = memref.alloc(%size) : memref<?xf32>
    %one = memref.alloc() : memref<1xf32>
    %v = memref.subview %x[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.copy %v, %t : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32>
    linalg.fill ins(%f : f32) outs(%one : memref<1xf32>)
    memref.copy %t, %v : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.store %f, %one[%c0] : memref<1xf32>
  }
  memref.dealloc %x : memref<?xf32>
  return
}

// -----

// Must not share: the first op of the next iteration reads what this one wrote.
// REMARK:      "64 bytes at 0"
// REMARK:      "64 bytes at 64"
func.func @carried(%n: index, %f: f32, %a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %a : memref<8xf32> to memref<8xf32>
    %t = memref.alloc() : memref<8xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<8xf32>)
    memref.copy %t, %a : memref<8xf32> to memref<8xf32>
    memref.copy %a, %x : memref<8xf32> to memref<8xf32>
  }
  return
}

// -----

// Positive: a private function works in a part of its caller's arena, twice in
// the same one.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32>, %[[ARENA:[a-z0-9]+]]: memref<?xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.view %[[ARENA]][%c0]
// CHECK-LABEL: func.func @caller(
// CHECK:         %[[ALL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         %[[PART:.*]] = memref.view %[[ALL]][%c0][%{{.*}}] : memref<?xi8> to memref<?xi8>
// CHECK:         call @callee(%{{.*}}, %[[PART]])
// CHECK:         call @callee(%{{.*}}, %[[PART]])
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
func.func private @callee(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %t : memref<?xf32> to memref<?xf32>
  linalg.add ins(%t, %t : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
func.func @caller(%x: memref<?xf32>) {
  call @callee(%x) : (memref<?xf32>) -> ()
  call @callee(%x) : (memref<?xf32>) -> ()
  return
}

// -----

// Of data: an allocation stays one, and a call gets an arena of its own.
// CHECK-LABEL: func.func @of_data(
// CHECK:         %[[OWN:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         call @callee(%{{.*}}, %[[OWN]])
// REMARK:      "64*((%arg0.dim0 + 15) floordiv 16) bytes at 0"
// REMARK-COUNT-2: [Missed] heap | {{.*}}"its size depends on the result of memref.load, which has no value at entry and no upper bound of such"
func.func private @callee(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %t : memref<?xf32> to memref<?xf32>
  memref.copy %t, %x : memref<?xf32> to memref<?xf32>
  return
}
func.func @of_data(%sizes: memref<?xindex>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %sizes, %c0 : memref<?xindex>
  scf.for %i = %c0 to %m step %c1 {
    %n = memref.load %sizes[%i] : memref<?xindex>
    %t = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<?xf32>)
    func.call @callee(%t) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// Must not fire: what leaves the function, is carried by a loop, is kept by an
// op that is not known, or belongs to iterations that run at once.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-4: memref.alloc() : memref<8xf32>
// CHECK-NOT:   memref.view
// CHECK:       return
// REMARK:      "'scf.yield' may keep it"
// REMARK:      "'scf.for' may keep it"
// REMARK:      "'test.keep' may keep it"
// REMARK:      "'scf.parallel' may run its body several times at once"
func.func @stays(%n: index, %f: f32) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%b = %y) -> memref<8xf32> {
    memref.copy %b, %x : memref<8xf32> to memref<8xf32>
    scf.yield %x : memref<8xf32>
  }
  %z = memref.alloc() : memref<8xf32>
  "test.keep"(%z) : (memref<8xf32>) -> ()
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<8xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<8xf32>)
    memref.copy %t, %x : memref<8xf32> to memref<8xf32>
    scf.reduce
  }
  return %last : memref<8xf32>
}

// CHECK-LABEL: func.func @returned(
// CHECK:         memref.alloc() : memref<8xf32>
// REMARK:      "'func.return' may keep it"
func.func @returned() -> memref<8xf32> {
  %x = memref.alloc() : memref<8xf32>
  return %x : memref<8xf32>
}

// -----

// Blocks: a buffer that is used in one block alone shares, another does not.
// REMARK:      "64 bytes at 0"
// REMARK:      "64 bytes at 64"
// REMARK:      "64 bytes at 64"
func.func @blocks(%c: i1, %f: f32, %a: memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  linalg.fill ins(%f : f32) outs(%x : memref<8xf32>)
  cf.br ^again
^again:
  %y = memref.alloc() : memref<8xf32>
  linalg.fill ins(%f : f32) outs(%y : memref<8xf32>)
  memref.copy %y, %a : memref<8xf32> to memref<8xf32>
  %z = memref.alloc() : memref<8xf32>
  linalg.fill ins(%f : f32) outs(%z : memref<8xf32>)
  memref.copy %z, %a : memref<8xf32> to memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  cf.cond_br %c, ^again, ^end
^end:
  return
}

// -----

// Positive: an extent that no expression says, as its product may wrap, is
// computed before the arena is made.
// CHECK-LABEL: func.func @early(
// CHECK:         %[[P:.*]] = arith.muli
// CHECK:         memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy
// CHECK-NOT:     arith.muli
// CHECK:         memref.view %{{.*}}[%{{.*}}][%[[P]]] : memref<?xi8> to memref<?xf32>
func.func @early(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.dim %b, %c0 : memref<?xf32>
  %x = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  %p = arith.muli %n, %m : index
  %y = memref.alloc(%p) : memref<?xf32>
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  memref.copy %y, %b : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Must not fire: nothing is reserved for what a type allows, here 2^15 and 2^47;
// what the program states as a bound is.
// CHECK-LABEL: func.func @limits(
// CHECK-COUNT-2: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NOT:     memref.alloc
// REMARK:        "its size depends on the result of memref.load, which has no value at entry and no upper bound of such"
// REMARK:        "its size depends on the result of arith.divui, which has no value at entry and no upper bound of such"
// REMARK:        "64 bytes at 0"
// REMARK:        "256 bytes at 0; reserved, as dim 0 is at most 64"
func.func @limits(%sizes: memref<?xi16>, %wide: memref<?xindex>, %f: f32) {
  %one = memref.alloc() : memref<16xf32>
  linalg.fill ins(%f : f32) outs(%one : memref<16xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %s = memref.load %sizes[%c0] : memref<?xi16>
  %i = arith.index_cast %s : i16 to index
  %k = arith.maxsi %i, %c0 : index
  %x = memref.alloc(%k) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%x : memref<?xf32>)
  %w = memref.load %wide[%c0] : memref<?xindex>
  %l = arith.divui %w, %c2 : index
  %y = memref.alloc(%l) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%y : memref<?xf32>)
  %v = memref.load %wide[%c1] : memref<?xindex>
  %t = arith.minsi %v, %c64 : index
  %u = arith.maxsi %t, %c0 : index
  %z = memref.alloc(%u) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%z : memref<?xf32>)
  return
}

// -----

// What is only asked for its extents takes no space.
// CHECK-LABEL: func.func @extents(
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<0xi8>
// CHECK:         return
// REMARK:      "0 bytes at 0"
func.func @extents(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.alloc(%n) : memref<?xf32>
  %v = memref.expand_shape %x [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %d = memref.dim %v, %c0 : memref<?x1xf32>
  return %d : index
}

// -----

// A total that wraps 64 bits is the size that no allocator has.
// CHECK-LABEL: func.func @wraps(
// CHECK:         %[[MOST:.*]] = arith.minsi %{{.*}}, %{{.*}} : i192
// CHECK:         arith.trunci %[[MOST]] : i192 to i64
func.func @wraps(%a: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = memref.dim %a, %c0 : memref<?x?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?x?xf32>
  %n = memref.dim %a, %c2 : memref<?x?x?xf32>
  %x = memref.alloc(%k, %m, %n) : memref<?x?x?xf32>
  memref.copy %a, %x : memref<?x?x?xf32> to memref<?x?x?xf32>
  memref.copy %x, %a : memref<?x?x?xf32> to memref<?x?x?xf32>
  return
}

// -----

// What depends on sizes is reserved where the branch is taken; what is constant
// always, so that it may cover what the other branch needs.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[C:[^:]*]]: i1
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[Y:.*]] = arith.constant 256 : index
// CHECK:         %[[X:.*]] = arith.select %[[C]], %{{.*}}, %[[ZERO]] : index
// CHECK-NOT:     arith.select
// CHECK:         %[[MOST:.*]] = arith.maxsi %[[X]], %[[Y]] : index
// CHECK:         memref.alloc(
// CHECK:         scf.if %[[C]]
func.func @branches(%c: i1, %n: index, %a: memref<?xf32>, %b: memref<64xf32>, %d: memref<16xf32>) {
  scf.if %c {
    %x = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %x : memref<?xf32> to memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    %y = memref.alloc() : memref<64xf32>
    memref.copy %b, %y : memref<64xf32> to memref<64xf32>
    memref.copy %y, %b : memref<64xf32> to memref<64xf32>
  } else {
    %z = memref.alloc() : memref<16xf32>
    memref.copy %d, %z : memref<16xf32> to memref<16xf32>
    memref.copy %z, %d : memref<16xf32> to memref<16xf32>
  }
  return
}
