// RUN: symshape-opt %s --symshape-lower-structured-ops --canonicalize | FileCheck %s

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
#r = affine_map<(r, c) -> (r)>

// Elementwise: whole vectors, then one bounded vector. What does not vary along
// the row is read once.
// CHECK-LABEL: func.func @elementwise(
// CHECK:         scf.for
// CHECK:           memref.load %{{.*}} : memref<?xf32>
// CHECK:           scf.for
// CHECK:             vector.load %{{.*}} : memref<?x?xf32>, vector<16xf32>
// CHECK-NOT:         memref.load
// CHECK:             vector.store
// CHECK:           scf.if
// CHECK:             vector.maskedload
// CHECK:             vector.maskedstore
func.func @elementwise(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// A reduction along the row: one partial result per lane, combined once.
// CHECK-LABEL: func.func @row_sum(
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>)
// CHECK-NOT:         vector.reduction
// CHECK:             arith.addf {{.*}} : vector<16xf32>
// CHECK:           vector.reduction <add>, {{.*}} fastmath<reassoc> : vector<16xf32> into f32
// CHECK:           memref.store
func.func @row_sum(%a: memref<?x?xf32>, %c: memref<?xf32>) {
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%c : memref<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// Integer division may trap: no lane past the end is computed.
// CHECK-LABEL: func.func @division(
// CHECK-NOT:     masked
// CHECK:         arith.divsi {{.*}} : vector<16xi32>
// CHECK:         arith.divsi {{.*}} : i32
// CHECK-NOT:     masked
func.func @division(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%a, %b : memref<?xi32>, memref<?xi32>) outs(%c : memref<?xi32>) {
  ^bb0(%x: i32, %y: i32, %out: i32):
    %0 = arith.divsi %x, %y : i32
    linalg.yield %0 : i32
  }
  return
}

// Must not fire: the position of the first maximum depends on the order.
// CHECK-LABEL: func.func @first_maximum(
// CHECK-NOT:     vector
func.func @first_maximum(%a: memref<?xf32>, %m: memref<f32>, %p: memref<index>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%a : memref<?xf32>) outs(%m, %p : memref<f32>, memref<index>) {
  ^bb0(%x: f32, %best: f32, %at: index):
    %i = linalg.index 0 : index
    %0 = arith.cmpf ogt, %x, %best : f32
    %1 = arith.select %0, %x, %best : f32
    %2 = arith.select %0, %i, %at : index
    linalg.yield %1, %2 : f32, index
  }
  return
}

// Must not fire: a vector of i1 is packed, a memref of i1 is not.
// CHECK-LABEL: func.func @bits(
// CHECK-NOT:     vector.load
func.func @bits(%a: memref<?xi1>, %c: memref<?xi1>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<?xi1>) outs(%c : memref<?xi1>) {
  ^bb0(%x: i1, %out: i1):
    linalg.yield %x : i1
  }
  return
}
