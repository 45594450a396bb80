// RUN: symshape-opt %s --symshape-linearize="function=f wrt=0" --symshape-transpose=function=f | FileCheck %s
// RUN: symshape-opt %s --symshape-vjp="function=f wrt=0" | FileCheck %s --check-prefix=VJP
// RUN: symshape-opt %s --symshape-grad="function=g wrt=0" | FileCheck %s --check-prefix=GRAD
// RUN: symshape-opt %s --symshape-vjp="function=modes wrt=0" | FileCheck %s --check-prefix=MODES

// No tensor of floats is a residual for its extents alone: those are indices.
// CHECK: func.func @f.fwd(%{{.*}}: tensor<?x?xf64>, %{{.*}}: i64) -> (tensor<?xf64>, index, index, index{{.*}})
// CHECK: func.func @f.lin(
// CHECK-SAME: tensor<?x?xf64> {symshape.extent_residuals = array<i64: [[#]], [[#]]>}) -> tensor<?xf64>
// CHECK: func.func @f.transpose(
// CHECK-NOT: tensor<?x?xf64>
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<?xf64>) -> tensor<?x?xf64>
// CHECK: symshape.pad_to_match {{.*}} axis 0
// CHECK: return

// VJP-NOT: func.func @f.lin
// VJP: func.func private @f.fwd
// VJP: func.func private @f.transpose
// VJP: func.func @f.vjp(%{{.*}}: tensor<?x?xf64>, %{{.*}}: i64, %[[C:[a-z0-9]+]]: tensor<?xf64>) -> (tensor<?xf64>, tensor<?x?xf64>)
// VJP: call @f.fwd
// VJP: call @f.transpose
func.func @f(%x: tensor<?x?xf64>, %n: i64) -> tensor<?xf64> {
  %c1 = arith.constant 1 : index
  %t = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x?xf64>, i64 to tensor<?x?xf64>
  %e = tensor.dim %x, %c1 : tensor<?x?xf64>
  %0 = tensor.empty(%e) : tensor<?xf64>
  %z = arith.constant 0.0 : f64
  %1 = linalg.fill ins(%z : f64) outs(%0 : tensor<?xf64>) -> tensor<?xf64>
  %r = linalg.reduce { arith.addf } ins(%t : tensor<?x?xf64>) outs(%1 : tensor<?xf64>) dimensions = [0]
  return %r : tensor<?xf64>
}

// GRAD: func.func @g.grad(%{{.*}}: f64) -> (f64, f64)
// GRAD: arith.constant 1.0
func.func @g(%x: f64) -> f64 {
  %r = math.sin %x : f64
  return %r : f64
}

// The transpose of a gather that fills is a scatter that drops, of one that
// clips, one that clips; dimension numbers are kept.
// MODES: func.func private @modes.transpose
// MODES-DAG: symshape.scatter add drop {{.*}} {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, {{.*}}update_window_dims = array<i64: 1>}
// MODES-DAG: symshape.scatter add clip {{.*}} {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, {{.*}}update_window_dims = array<i64: 1>}
// MODES: return
func.func @modes(%x: tensor<?x4xf64>, %i: tensor<?xi64>) -> (tensor<?x4xf64>, tensor<?x4xf64>) {
  %0 = symshape.gather fill %x[%i] slice_sizes [1, 4]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, fill_value = 3.0 : f64,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x4xf64>[tensor<?xi64>] to tensor<?x4xf64>
  %1 = symshape.gather clip %x[%i] slice_sizes [1, 4]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x4xf64>[tensor<?xi64>] to tensor<?x4xf64>
  return %0, %1 : tensor<?x4xf64>, tensor<?x4xf64>
}
