// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-discharge --split-input-file | FileCheck %s

// Must not fire: the body hands on a tensor of another static extent, behind a
// cast. Positive: the other dimension is kept.
// CHECK-LABEL: func.func @other_static_size(
// CHECK:         %[[SAME:.*]] = arith.cmpi eq
// CHECK:         %[[KEPT:.*]] = arith.constant true
// CHECK:         return %[[SAME]], %[[KEPT]]
func.func @other_static_size(%t: tensor<?x?xf32>, %n: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?x?xf32> {
    %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%d1) : tensor<4x?xf32>
    %next = tensor.cast %e : tensor<4x?xf32> to tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  %r0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %r1 = tensor.dim %r, %c1 : tensor<?x?xf32>
  %same = arith.cmpi eq, %r0, %n0 : index
  %kept = arith.cmpi eq, %r1, %n1 : index
  return %same, %kept : i1, i1
}

// -----

// The same of affine.for; in a branch inside; in an inner loop; of a memref.
// CHECK-LABEL: func.func @other_static_size_elsewhere(
// CHECK:         %[[A:.*]] = arith.cmpi eq
// CHECK:         %[[B:.*]] = arith.cmpi eq
// CHECK:         %[[C:.*]] = arith.cmpi eq
// CHECK:         %[[D:.*]] = arith.cmpi eq
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @other_static_size_elsewhere(%t: tensor<?xf32>, %m: memref<?xf32>, %n: index, %c: i1) -> (i1, i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?xf32>
  %m0 = memref.dim %m, %c0 : memref<?xf32>
  %a = affine.for %i = 0 to %n iter_args(%x = %t) -> tensor<?xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %next = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
    affine.yield %next : tensor<?xf32>
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> tensor<?xf32> {
    %next = scf.if %c -> tensor<?xf32> {
      scf.yield %x : tensor<?xf32>
    } else {
      %e = tensor.empty() : tensor<0xf32>
      %k = tensor.cast %e : tensor<0xf32> to tensor<?xf32>
      scf.yield %k : tensor<?xf32>
    }
    scf.yield %next : tensor<?xf32>
  }
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> tensor<?xf32> {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?xf32> {
      %e = tensor.empty() : tensor<1xf32>
      %k = tensor.cast %e : tensor<1xf32> to tensor<?xf32>
      scf.yield %k : tensor<?xf32>
    }
    scf.yield %inner : tensor<?xf32>
  }
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%x = %m) -> memref<?xf32> {
    %e = memref.alloc() : memref<7xf32>
    %k = memref.cast %e : memref<7xf32> to memref<?xf32>
    scf.yield %k : memref<?xf32>
  }
  %a0 = tensor.dim %a, %c0 : tensor<?xf32>
  %b0 = tensor.dim %b, %c0 : tensor<?xf32>
  %d0 = tensor.dim %d, %c0 : tensor<?xf32>
  %f0 = memref.dim %f, %c0 : memref<?xf32>
  %sa = arith.cmpi eq, %a0, %n0 : index
  %sb = arith.cmpi eq, %b0, %n0 : index
  %sd = arith.cmpi eq, %d0, %n0 : index
  %sf = arith.cmpi eq, %f0, %m0 : index
  return %sa, %sb, %sd, %sf : i1, i1, i1, i1
}

// -----

// The same of scf.while: one dimension changes, the other is kept.
// CHECK-LABEL: func.func @while_other_static_size(
// CHECK:         %[[SAME:.*]] = arith.cmpi eq
// CHECK:         %[[KEPT:.*]] = arith.constant true
// CHECK:         return %[[SAME]], %[[KEPT]]
func.func @while_other_static_size(%t: tensor<?x?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r = scf.while (%a = %t) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    %go = "test.condition"() : () -> i1
    scf.condition(%go) %a : tensor<?x?xf32>
  } do {
  ^bb0(%a: tensor<?x?xf32>):
    %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%d1) : tensor<4x?xf32>
    %next = tensor.cast %e : tensor<4x?xf32> to tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  %r0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %r1 = tensor.dim %r, %c1 : tensor<?x?xf32>
  %same = arith.cmpi eq, %r0, %n0 : index
  %kept = arith.cmpi eq, %r1, %n1 : index
  return %same, %kept : i1, i1
}

// -----

// Positive: a cache that grows by one row in each turn has as many more rows as
// there were turns, and its width.
// CHECK-LABEL: func.func @grows_by_rows(
// CHECK:         scf.for
// CHECK:           %[[ROWS:.*]] = arith.constant true
// CHECK:           %[[WIDTH:.*]] = arith.constant true
// CHECK:           "test.use"(%[[ROWS]], %[[WIDTH]])
// CHECK:         %[[END:.*]] = arith.constant true
// CHECK:         return %[[END]]
func.func @grows_by_rows(%t: tensor<?x?xf32>, %row: tensor<1x?xf32>, %s: tensor<?xf32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %turns = tensor.dim %s, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%a = %t) -> tensor<?x?xf32> {
    %next = tensor.concat dim(0) %a, %row : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
    %d0 = tensor.dim %next, %c0 : tensor<?x?xf32>
    %d1 = tensor.dim %next, %c1 : tensor<?x?xf32>
    %before = arith.addi %n0, %i : index
    %expected = arith.addi %before, %c1 : index
    %rows = arith.cmpi eq, %d0, %expected : index
    %width = arith.cmpi eq, %d1, %n1 : index
    "test.use"(%rows, %width) : (i1, i1) -> ()
    scf.yield %next : tensor<?x?xf32>
  }
  %r0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %sum = arith.addi %n0, %turns : index
  %end = arith.cmpi eq, %r0, %sum : index
  return %end : i1
}

// -----

// Positive: an extent that doubles, and one that grows on some paths, are never
// below the first; one that a turn cuts is never above. Must not fire: the
// other way round.
// CHECK-LABEL: func.func @stays_on_one_side(
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK:         %[[X:.*]] = arith.cmpi sle
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}}, %[[X]]
func.func @stays_on_one_side(%t: tensor<?x?xf32>, %n: index, %c: i1) -> (i1, i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %t, %d = %t) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
    %twice = tensor.concat dim(0) %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %more = scf.if %c -> tensor<?x?xf32> {
      %z = arith.constant 0.0 : f32
      %p = tensor.pad %b low[0, 0] high[2, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %z : f32
      } : tensor<?x?xf32> to tensor<?x?xf32>
      scf.yield %p : tensor<?x?xf32>
    } else {
      scf.yield %b : tensor<?x?xf32>
    }
    %d0 = tensor.dim %d, %c0 : tensor<?x?xf32>
    %d1 = tensor.dim %d, %c1 : tensor<?x?xf32>
    %size = arith.minsi %d0, %c3 : index
    %cut = tensor.extract_slice %d[0, 0] [%size, %d1] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    scf.yield %twice, %more, %cut : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  }
  %a0 = tensor.dim %r#0, %c0 : tensor<?x?xf32>
  %b0 = tensor.dim %r#1, %c0 : tensor<?x?xf32>
  %d0 = tensor.dim %r#2, %c0 : tensor<?x?xf32>
  // CHECK-NOT: arith.cmpi sge
  %sa = arith.cmpi sge, %a0, %n0 : index
  %sb = arith.cmpi sge, %b0, %n0 : index
  %sd = arith.cmpi sge, %n0, %d0 : index
  %not = arith.cmpi sle, %a0, %n0 : index
  return %sa, %sb, %sd, %not : i1, i1, i1, i1
}

// -----

// Positive: the result of a while loop, which also carries one that grows.
// CHECK-LABEL: func.func @while_grows(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @while_grows(%t: tensor<?x?xf32>, %row: tensor<1x?xf32>) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r = scf.while (%a = %t) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    %go = "test.condition"() : () -> i1
    scf.condition(%go) %a : tensor<?x?xf32>
  } do {
  ^bb0(%a: tensor<?x?xf32>):
    %next = tensor.concat dim(0) %a, %row : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  %r0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %r1 = tensor.dim %r, %c1 : tensor<?x?xf32>
  %grew = arith.cmpi sge, %r0, %n0 : index
  %kept = arith.cmpi eq, %r1, %n1 : index
  return %grew, %kept : i1, i1
}

// -----

// Positive: extents that are computed outside of the loop, and are those of the
// initial value.
// CHECK-LABEL: func.func @sizes_from_outside(
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @sizes_from_outside(%t: tensor<?x?xf32>, %n: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?x?xf32>
  %n1 = tensor.dim %t, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%n0, %n1) : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<?x?xf32> {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<?x?xf32> {
      %e = tensor.empty(%n0, %n1) : tensor<?x?xf32>
      scf.yield %e : tensor<?x?xf32>
    }
    scf.yield %inner : tensor<?x?xf32>
  }
  %r0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %same = arith.cmpi eq, %r0, %n0 : index
  return %same : i1
}

// -----

// Must not fire: extents that go round among what is carried; a guess about one
// rests on that about another.
// CHECK-LABEL: func.func @go_round(
// CHECK:         %[[A:.*]] = arith.cmpi eq
// CHECK:         %[[B:.*]] = arith.cmpi eq
// CHECK:         return %[[A]], %[[B]]
func.func @go_round(%t: tensor<?xf32>, %u: tensor<?xf32>, %n: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %t, %c0 : tensor<?xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %t, %c = %u) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %c, %a : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  %r0 = tensor.dim %r#0, %c0 : tensor<?xf32>
  %r1 = tensor.dim %r#1, %c0 : tensor<?xf32>
  %a = arith.cmpi eq, %r0, %n0 : index
  %b = arith.cmpi eq, %r1, %n0 : index
  return %a, %b : i1, i1
}
