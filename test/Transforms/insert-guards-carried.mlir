// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// Positive: an extent that the loop changes is read where it is checked, of the
// argument of the second region.
// CHECK-LABEL: func.func @extent_of_the_loop(
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %[[Y:.*]]: tensor<?xf64>)
// CHECK:           tensor.dim %[[Y]]
// CHECK:           symshape.fail
// CHECK:           linalg.generic
func.func @extent_of_the_loop(%i: tensor<i64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r:2 = scf.while (%j = %i, %y = %x) : (tensor<i64>, tensor<?xf64>) -> (tensor<i64>, tensor<?xf64>) {
    %k = tensor.extract %j[] : tensor<i64>
    %c2 = arith.constant 2 : i64
    %less = arith.cmpi slt, %k, %c2 : i64
    scf.condition(%less) %j, %y : tensor<i64>, tensor<?xf64>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<?xf64>):
    %c0 = arith.constant 0 : index
    %d = tensor.dim %y, %c0 : tensor<?xf64>
    %k = arith.index_cast %d : index to i64
    %n = tensor.from_elements %k : tensor<i64>
    %init = tensor.empty() : tensor<i64>
    %one = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%n : tensor<i64>) outs(%init : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %q = arith.divsi %in, %in : i64
      linalg.yield %q : i64
    } -> tensor<i64>
    %t = symshape.dynamic_truncate %y, %one axis 0 : tensor<?xf64>, tensor<i64> to tensor<?xf64>
    scf.yield %one, %t : tensor<i64>, tensor<?xf64>
  }
  return %r#1 : tensor<?xf64>
}

// -----

// Positive: one extent of one carried tensor, another of another. Only the first
// changes, and is checked in each turn.
// CHECK-LABEL: func.func @extents_of_two(
// CHECK:         %[[U0:.*]] = tensor.dim %[[U:.*]], %c0
// CHECK:         ^bb0(%{{.*}}: index, %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>)
// CHECK:           symshape.fail {{.*}}needed by arith.addf{{.*}}dimension 0
// CHECK-NOT:       symshape.fail
// CHECK:           scf.yield
func.func @extents_of_two(%t: tensor<?x?xf32>, %u: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %t, %b = %u) : (index, tensor<?x?xf32>, tensor<?x?xf32>) -> (index, tensor<?x?xf32>, tensor<?x?xf32>) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %a, %b : index, tensor<?x?xf32>, tensor<?x?xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
    %d1 = tensor.dim %b, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
    %twice = tensor.concat dim(0) %e, %e : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %sum = arith.addf %e, %b : tensor<?x?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %twice, %sum : index, tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#1 : tensor<?x?xf32>
}

// -----

// Must not fire: a loop that appends rows checks their width before it, once.
// CHECK-LABEL: func.func @appends_rows(
// CHECK:         symshape.fail {{.*}}needed by tensor.concat{{.*}}dimension 1
// CHECK:         scf.for
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @appends_rows(%t: tensor<?x?xf32>, %row: tensor<1x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?x?xf32> {
    %next = tensor.concat dim(0) %a, %row : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
