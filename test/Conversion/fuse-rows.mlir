// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-fuse-rows,canonicalize,cse))' | FileCheck %s

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
#r = affine_map<(r, c) -> (r)>
#c = affine_map<(r, c) -> (c)>

// Positive: one loop over the rows. The exponentials are written where the
// quotients replace them, in the pass that adds them up.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[LOOP:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OUT:.*]] = %[[E]])
// CHECK:           %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, %{{.*}}] [1, 1] {{.*}} to tensor<1x?xf32>
// CHECK:           %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[ROW]] : tensor<1x?xf32>)
// CHECK:           %[[HOME:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0]
// CHECK:           %[[EXP:.*]]:2 = linalg.generic {{.*}} ins(%[[ROW]], %[[MAX]] : {{.*}}) outs(%[[HOME]], %{{.*}} : tensor<1x?xf32>, tensor<1xf32>)
// CHECK:             math.exp
// CHECK:           linalg.generic {{.*}} ins(%[[EXP]]#0, %[[EXP]]#1 : {{.*}}) outs(%[[EXP]]#0 : tensor<1x?xf32>)
// CHECK:           tensor.insert_slice
// CHECK-NOT:     linalg.
// CHECK:         return %[[LOOP]]
func.func @softmax(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %l = linalg.fill ins(%least : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%l : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.maximumf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %m0: f32, %out: f32):
    %0 = arith.subf %v, %m0 : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %v, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %0 = arith.divf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Positive: what else reads a result follows the loop; an accumulator that is
// read is carried; dims of results need no result.
// CHECK-LABEL: func.func @escaping(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>, %[[ACC:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[DIM:.*]] = tensor.dim %[[ACC]]
// CHECK:         %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[SUMS:.*]] = %[[ACC]], %{{.*}} = %{{.*}})
// CHECK:           %[[START:.*]] = tensor.extract_slice %[[SUMS]][%{{.*}}] [1] [1]
// CHECK:           linalg.generic {{.*}} outs(%[[START]] : tensor<1xf32>)
// CHECK:         }
// CHECK:         %[[FIRST:.*]] = tensor.extract %[[LOOP]]#0
// CHECK:         return %[[LOOP]]#1, %[[FIRST]], %[[DIM]]
func.func @escaping(%x: tensor<?x?xf32>, %acc: tensor<?xf32>, %e: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, f32, index) {
  %c0 = arith.constant 0 : index
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %first = tensor.extract %sum[%c0] : tensor<?xf32>
  %dim = tensor.dim %sum, %c0 : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %0 = arith.subf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r, %first, %dim : tensor<?x?xf32>, f32, index
}

// Must not fire: a row would be a column of x, one element per line of cache.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     scf.for
func.func @columns(%x: tensor<?x?xf32>, %acc: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = linalg.generic {indexing_maps = [#cr, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#cr, #r, #cr], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %0 = arith.subf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: every row reads the sums of all rows.
// CHECK-LABEL: func.func @all_rows(
// CHECK-NOT:     scf.for
func.func @all_rows(%x: tensor<?x?xf32>, %acc: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %i = linalg.index 0 : index
    %0 = arith.subf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: what lies between reads the sums as a whole and feeds an op.
// CHECK-LABEL: func.func @not_convex(
// CHECK-NOT:     scf.for
func.func @not_convex(%x: tensor<?x?xf32>, %acc: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %first = tensor.extract %sum[%c0] : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rc, #r, affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %first : tensor<?x?xf32>, tensor<?xf32>, f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %s: f32, %f: f32, %out: f32):
    %0 = arith.subf %v, %s : f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Must not fire: a sum of rows by itself gains nothing.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     scf.for
func.func @alone(%x: tensor<?x?xf32>, %acc: tensor<?xf32>) -> tensor<?xf32> {
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// Aliasing: the last op may not overwrite the exponentials, which are read at
// other places, nor x, which is not the group's.
// CHECK-LABEL: func.func @not_in_place(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x?xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[OUT:.*]] = %{{.*}})
// CHECK:           %[[OWN:.*]] = tensor.empty(%{{.*}}) : tensor<1x?xf32>
// CHECK:           linalg.generic {{.*}} outs(%[[OWN]], %{{.*}} : tensor<1x?xf32>, tensor<1xf32>)
// CHECK:           %[[PLACE:.*]] = tensor.extract_slice %[[OUT]]
// CHECK:           linalg.generic {{.*}} outs(%[[PLACE]] : tensor<1x?xf32>)
func.func @not_in_place(%x: tensor<4x?xf32>, %acc: tensor<4xf32>, %n: index) -> tensor<4x?xf32> {
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %twice = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %0 = arith.addf %v, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x?xf32>
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%twice : tensor<4x?xf32>) outs(%acc : tensor<4xf32>) {
  ^bb0(%v: f32, %a: f32):
    %0 = arith.addf %v, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#r, affine_map<(r, c) -> (r, 0)>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %twice : tensor<4xf32>, tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%s: f32, %v: f32, %out: f32):
    %0 = arith.subf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
