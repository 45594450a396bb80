// RUN: symshape-opt %s --symshape-lower-contractions --canonicalize | FileCheck %s

// Everything dynamic: B is packed into panels of 32 columns; the reduction
// carries 8 x 2 vectors, neither stores nor masks; only the last store may be
// partial.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         vector.transfer_read %{{.*}} : tensor<?x?xf32>, vector<16xf32>
// CHECK:         scf.if
// CHECK:           %[[TILE:[0-9a-z]+]]:16 = scf.for %{{.*}} iter_args({{.*}}) -> (vector<16xf32>, {{.*}}vector<16xf32>) {
// CHECK-NOT:         mask
// CHECK-NOT:         transfer_write
// CHECK:             vector.transfer_read %{{.*}} {in_bounds = [true]} : tensor<?x?x32xf32>, vector<16xf32>
// CHECK:             tensor.extract
// CHECK-COUNT-16:    vector.fma
// CHECK:             scf.yield
// CHECK:           vector.transfer_write %[[TILE]]#0, %{{.*}} : vector<16xf32>, tensor<?x?xf32>
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Static columns: B is read where it is, and no access is partial.
// CHECK-LABEL: func.func @static_columns(
// CHECK-NOT:     tensor<?x{{.*}}x32xf32>
// CHECK:         arith.minsi
// CHECK:         vector.transfer_read %{{.*}} {in_bounds = [true]} : tensor<?x40xf32>, vector<16xf32>
// CHECK:         vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<16xf32>, tensor<?x40xf32>
func.func @static_columns(%a: tensor<?x?xf32>, %b: tensor<?x40xf32>, %c: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x40xf32>) outs(%c : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

#rc = affine_map<(r, c) -> (r, c)>
#c = affine_map<(r, c) -> (c)>

// Static rows: one height, no branch. The sum starts from the constant of the
// fill; the elementwise user is applied to the tile.
// CHECK-LABEL: func.func @epilogue(
// CHECK-NOT:     scf.if
// CHECK-NOT:     linalg
// CHECK:         scf.for %{{.*}} iter_args({{.*}} = %cst
// CHECK:         arith.maximumf {{.*}} : vector<16xf32>
// CHECK-NEXT:    vector.transfer_write
func.func @epilogue(%a: tensor<24x?xf32>, %b: tensor<?x32xf32>, %bias: tensor<32xf32>) -> tensor<24x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<24x?xf32>, tensor<?x32xf32>) outs(%f : tensor<24x32xf32>) -> tensor<24x32xf32>
  %1 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<24x32xf32>, tensor<32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<24x32xf32>
  return %1 : tensor<24x32xf32>
}

// Must not fire: doubles stay a structured op.
// CHECK-LABEL: func.func @other_type(
// CHECK:         linalg.matmul
func.func @other_type(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}
