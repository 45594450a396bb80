// What a loop reads or writes in part costs each iteration that part alone.
// RUN: symshape-opt %s --symshape-vjp="function=read" --canonicalize --cse | FileCheck %s --check-prefix=READ
// RUN: symshape-opt %s --symshape-vjp="function=before" --canonicalize --cse | FileCheck %s --check-prefix=BEFORE
// RUN: symshape-opt %s --symshape-vjp="function=gather wrt=0" --canonicalize --cse | FileCheck %s --check-prefix=GATHER

// The cotangent of the rows is carried, and added to in place.
// READ: func.func private @read.transpose(
// READ: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<?xf64>, tensor<?x?xf64>)
// READ-NOT: linalg.fill
// READ: %[[OWN:.*]] = tensor.extract_slice %[[SUM]]
// READ: %[[ADDED:.*]] = arith.addf %[[OWN]], %{{.*}} : tensor<?xf64>
// READ: tensor.insert_slice %[[ADDED]] into %[[SUM]]{{.*$}}
// READ-NOT: tensor<?x?xf64>
// READ: scf.yield
func.func @read(%x: tensor<?x?xf64>, %w: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %d = tensor.dim %x, %c1 : tensor<?x?xf64>
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%s = %w) -> (tensor<?xf64>) {
    %row = tensor.extract_slice %x[%i, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %p = arith.mulf %s, %row : tensor<?xf64>
    scf.yield %p : tensor<?xf64>
  }
  return %h : tensor<?xf64>
}

// Of a tensor whose rows are read and written, the rows that are read are stored.
// BEFORE: func.func private @before.fwd({{.*}}) -> (tensor<?x?xf64>,
// BEFORE-NOT: tensor<?x?x?xf64>
// BEFORE: func.func @before.vjp(
func.func @before(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %d = tensor.dim %x, %c1 : tensor<?x?xf64>
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%c = %x) -> (tensor<?x?xf64>) {
    %j = arith.subi %i, %c1 : index
    %s = tensor.extract_slice %c[%j, 0] [1, %d] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %p = arith.mulf %s, %s : tensor<?xf64>
    %k = tensor.insert_slice %p into %c[%i, 0] [1, %d] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
    scf.yield %k : tensor<?x?xf64>
  }
  return %r : tensor<?x?xf64>
}

// Rows of a table: whole rows are scattered, and dropped where they are not in range.
// An empty table has windows of 0.
// GATHER: func.func private @gather.transpose(
// GATHER: %[[INDICES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x1xindex>)
// GATHER: symshape.scatter add drop %{{.*}} into %{{.*}}[%[[INDICES]]]
// GATHER-SAME: inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, update_window_dims = array<i64: 1, 2>
func.func @gather(%x: tensor<?x?xf64>, %i: tensor<?xi64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %d = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%n, %d) : tensor<?x?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?x?xf64>) {
  ^bb0(%a: i64, %o: f64):
    %k = arith.index_cast %a : i64 to index
    %l = linalg.index 1 : index
    %v = tensor.extract %x[%k, %l] : tensor<?x?xf64>
    linalg.yield %v : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
