// RUN: symshape-opt %s --symshape-lower-structured-ops="vector-bits=512 parallel" | FileCheck %s
// What is freed is overwritten: no op is asked after it was replaced.
// RUN: env MALLOC_PERTURB_=165 symshape-opt %s --symshape-lower-structured-ops="vector-bits=512 parallel" | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// Positive: the rows are one parallel loop, the vectors of a row are not.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             arith.mulf %{{.*}} : vector<16xf32>
// CHECK:           scf.if
func.func @rows(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.mulf %x, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// Positive: one dimension; each iteration is one whole vector, and the rest of
// the elements follow the loop.
// CHECK-LABEL: func.func @vectors(
// CHECK:         scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%c16)
// CHECK:           arith.mulf %{{.*}} : vector<16xf32>
// CHECK:         scf.if
// CHECK:           arith.mulf %{{.*}} : vector<16xf32>
func.func @vectors(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.mul ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  return
}

// Positive: rows in parallel, each with its reduction in order.
// CHECK-LABEL: func.func @sums(
// CHECK:         scf.parallel
// CHECK:           scf.for {{.*}} iter_args
// CHECK:           vector.reduction <add>
func.func @sums(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// Must not fire: a reduction over everything has no parallel dimension.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @sum(%a: memref<?xf32>, %b: memref<f32>) {
  linalg.reduce { arith.addf } ins(%a : memref<?xf32>) outs(%b : memref<f32>) dimensions = [0]
  return
}

// Must not fire on i: all its iterations write to the same elements.
// CHECK-LABEL: func.func @same_elements(
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @same_elements(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  }
  return
}
