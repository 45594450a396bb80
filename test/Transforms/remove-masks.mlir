// RUN: symshape-opt %s --symshape-remove-masks | FileCheck %s
// RUN: symshape-opt %s --scf-for-loop-peeling --symshape-remove-masks | FileCheck %s --check-prefix=PEELED
// RUN: symshape-opt %s --symshape-remove-masks -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Positive: each vector is a whole one. What uses the mask needs none.
// CHECK-LABEL: func.func @multiple_of_vector(
// CHECK-NOT:     i1>
// CHECK-DAG:     vector.load %{{.*}}[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK-DAG:     vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
// CHECK-DAG:     vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
// CHECK-DAG:     vector.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK-NOT:     i1>
// CHECK:         return
// REMARK:      Function=multiple_of_vector | Remark="removed 1 of 1 masks, 3 of 3 bounds checks"
func.func @multiple_of_vector(%a: memref<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: memref<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 8>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    %left = affine.apply affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n]
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %v = vector.transfer_read %a[%i], %zero, %m : memref<?xf32>, vector<8xf32>
    %w = vector.mask %m { vector.transfer_read %a[%i], %zero : memref<?xf32>, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
    %x = arith.select %m, %u, %zeros : vector<8xi1>, vector<8xf32>
    %uv = arith.addf %x, %v : vector<8xf32>
    %s = arith.addf %uv, %w : vector<8xf32>
    vector.mask %m { vector.transfer_write %s, %b[%i] : vector<8xf32>, memref<?xf32> } : vector<8xi1>
    vector.maskedstore %b[%i], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// Must not fire: the last vector may be cut. The main loop of the peeled form
// has whole vectors only, and its rest has none, which no declaration changes.
// CHECK-LABEL: func.func @any_length(
// CHECK:         vector.create_mask
// CHECK:         vector.maskedload
// CHECK:         vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}] : vector<8xf32>
// PEELED-LABEL: func.func @any_length(
// PEELED:         scf.for
// PEELED-NOT:     i1>
// PEELED:         vector.load
// PEELED:         vector.transfer_write %{{.*}} {in_bounds = [true]}
// PEELED-NOT:     i1>
// PEELED:         scf.for
// PEELED:         vector.create_mask
// PEELED:         vector.maskedload
// PEELED:         vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}] : vector<8xf32>
// REMARK:      [[#@LINE+10]]:10: remark: [Missed] mask | Category:symshape-remove-masks | Remark="needs: 8 must divide extent of argument #0 dim 0 (N)"
// REMARK:      [[#@LINE+11]]:5: remark: [Missed] transfer | Category:symshape-remove-masks | Remark="needs: 8 must divide extent of argument #0 dim 0 (N)"
// REMARK:      Function=any_length | Remark="removed 0 of 1 masks, 0 of 1 bounds checks"
func.func @any_length(%a: memref<?xf32> {symshape.shape = #symshape.shape<[N]>}, %b: memref<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    %left = affine.apply affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n]
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    vector.transfer_write %u, %b[%i] : vector<8xf32>, memref<?xf32>
  }
  return
}

// Positive along one dimension only: four rows are there, eight columns may not
// be. The mask is needed.
// CHECK-LABEL: func.func @rows_only(
// CHECK:         vector.create_mask
// CHECK:         vector.transfer_read {{.*}} {in_bounds = [true, false]}
// REMARK:      [[#@LINE+8]]:8: remark: [Missed] mask |{{.*}}"needs: extent of argument #0 dim 1 (N) must be at least 8"
// REMARK:      [[#@LINE+8]]:8: remark: [Missed] transfer |{{.*}}"needs: extent of argument #0 dim 1 (N) must be at least 8"
// REMARK:      Function=rows_only | Remark="removed 0 of 1 masks, 0 of 1 bounds checks"
func.func @rows_only(%t: tensor<4x?xf32> {symshape.shape = #symshape.shape<[4, N]>}, %zero: f32) -> vector<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c1 : tensor<4x?xf32>
  %m = vector.create_mask %c4, %n : vector<4x8xi1>
  %r = vector.transfer_read %t[%c0, %c0], %zero, %m : tensor<4x?xf32>, vector<4x8xf32>
  return %r : vector<4x8xf32>
}

// Positive: the vector runs along the first dimension, whatever the second is.
// CHECK-LABEL: func.func @permuted(
// CHECK:         vector.transfer_read {{.*}} {in_bounds = [true, true], permutation_map = {{.*}}} : tensor<?x?xf32>
func.func @permuted(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[8*K + 8, N]>}, %zero: f32) -> vector<2x8xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = vector.transfer_read %t[%c0, %c3], %zero {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (0, d0)>} : tensor<?x?xf32>, vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// Must not fire: the transfer may begin before the tensor does.
// CHECK-LABEL: func.func @negative_start(
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} : tensor<64xf32>
// REMARK:      [[#@LINE+2]]:8: remark: [Missed] transfer |{{.*}}"needs: argument #1 must be at least 0"
func.func @negative_start(%t: tensor<64xf32>, %i: index, %zero: f32) -> vector<8xf32> {
  %r = vector.transfer_read %t[%i], %zero : tensor<64xf32>, vector<8xf32>
  return %r : vector<8xf32>
}

// Must not fire: that eight elements are there is what a later op needs.
// CHECK-LABEL: func.func @needed_later(
// CHECK:         vector.create_mask
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : tensor<?xf32>
// REMARK:      remark: [Missed] mask |{{.*}}"needs: extent of argument #0 dim 0 (N) must be at least 8"
func.func @needed_later(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %zero: f32) -> (vector<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = vector.create_mask %n : vector<8xi1>
  %r = vector.transfer_read %t[%c0], %zero, %m : tensor<?xf32>, vector<8xf32>
  %s = tensor.extract_slice %t[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  return %r, %s : vector<8xf32>, tensor<8xf32>
}

// Positive: what an earlier op needs holds.
// CHECK-LABEL: func.func @needed_before(
// CHECK-NOT:     i1>
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<?xf32>
func.func @needed_before(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %zero: f32) -> (vector<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %t[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  %m = vector.create_mask %n : vector<8xi1>
  %r = vector.transfer_read %t[%c0], %zero, %m : tensor<?xf32>, vector<8xf32>
  return %r, %s : vector<8xf32>, tensor<8xf32>
}

// Must not fire: what is known in one branch says nothing of the other.
// CHECK-LABEL: func.func @branches(
// CHECK:         scf.if
// CHECK-NOT:       create_mask
// CHECK:           vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<?xf32>
// CHECK:         } else {
// CHECK:           vector.create_mask
// CHECK:           vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : tensor<?xf32>
func.func @branches(%t: tensor<?xf32>, %zero: f32) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %whole = arith.cmpi sge, %n, %c8 : index
  %r = scf.if %whole -> vector<8xf32> {
    %m = vector.create_mask %n : vector<8xi1>
    %v = vector.transfer_read %t[%c0], %zero, %m : tensor<?xf32>, vector<8xf32>
    scf.yield %v : vector<8xf32>
  } else {
    %m = vector.create_mask %n : vector<8xi1>
    %v = vector.transfer_read %t[%c0], %zero, %m : tensor<?xf32>, vector<8xf32>
    scf.yield %v : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// Must not fire: how long a scalable vector is, no extent says.
// CHECK-LABEL: func.func @scalable(
// CHECK:         vector.create_mask
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : tensor<64xf32>
func.func @scalable(%t: tensor<64xf32>, %zero: f32) -> vector<[8]xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = vector.create_mask %c64 : vector<[8]xi1>
  %r = vector.transfer_read %t[%c0], %zero, %m : tensor<64xf32>, vector<[8]xf32>
  return %r : vector<[8]xf32>
}
