// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --canonicalize --symshape-discharge --cse --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --canonicalize --cse --symshape-insert-guards | FileCheck %s --check-prefix=GUARDS

// CHECK-LABEL: func.func @sizes(
// SHAPES-LABEL: func.func @sizes(
func.func @sizes(%x: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}, %n: index, %s: f64,
                 %t: tensor<i64>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: symshape.dynamic_truncate %{{.*}}, %{{.*}} axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
  %0 = symshape.dynamic_truncate %x, %n axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: symshape.dynamic_truncate %{{.*}}, %{{.*}} axis 0 : tensor<?x4xf32>, f64 to tensor<?x4xf32>
  %1 = symshape.dynamic_truncate %x, %s axis 0 : tensor<?x4xf32>, f64 to tensor<?x4xf32>
  // CHECK: symshape.dynamic_truncate %{{.*}}, %{{.*}} axis 0 : tensor<?x4xf32>, tensor<i64> to tensor<?x4xf32>
  %2 = symshape.dynamic_truncate %x, %t axis 0 : tensor<?x4xf32>, tensor<i64> to tensor<?x4xf32>
  %c3 = arith.constant 3 : index
  // SHAPES: symshape.dynamic_truncate %{{.*}}, %c3 axis 0 {symshape.extents = [#symshape.shape<[min(N, 3), 4]>]}
  %3 = symshape.dynamic_truncate %x, %c3 axis 0 : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// One size of two tensors of one extent: one value names both results' extents,
// so that the addition requires nothing.
// SHAPES-LABEL: func.func @one_size(
func.func @one_size(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                    %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %s: f32) -> tensor<?xf32> {
  // SHAPES: %[[N:.*]] = symshape.truncate_size
  // SHAPES: symshape.dynamic_truncate %{{.*}}, %[[N]] axis 0
  // SHAPES: symshape.dynamic_truncate %{{.*}}, %[[N]] axis 0
  %0 = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf32>, f32 to tensor<?xf32>
  %1 = symshape.dynamic_truncate %y, %s axis 0 : tensor<?xf32>, f32 to tensor<?xf32>
  %2 = arith.addf %0, %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// One size of axes of which one is known to be no longer than the other: cut again,
// the longer one has the shorter one's extent, so that the addition requires nothing.
// SHAPES-LABEL: func.func @unequal_axes(
// GUARDS-LABEL: func.func @unequal_axes(
// GUARDS-NOT: symshape.fail "@unequal_axes: {{.*}}addf
func.func @unequal_axes(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                        %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                        %s: tensor<f64>, %n: index) -> tensor<?xf32>
    attributes {symshape.assume = [#symshape.fact<"N <= M">]} {
  // SHAPES: %[[N:.*]] = symshape.truncate_size %{{.*}}, %{{.*}} : tensor<f64>
  // SHAPES: symshape.dynamic_truncate %arg0, %[[N]] axis 0 {symshape.extents = [#symshape.shape<["<= N"]>]}
  // SHAPES: symshape.dynamic_truncate %arg1, %[[N]] axis 0 {symshape.extents = [#symshape.shape<["<= M"]>]}
  // GUARDS: return
  %a = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf32>, tensor<f64> to tensor<?xf32>
  %b = symshape.dynamic_truncate %y, %s axis 0 : tensor<?xf32>, tensor<f64> to tensor<?xf32>
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?xf32>
  %c = symshape.dynamic_truncate %b, %length axis 0 : tensor<?xf32> to tensor<?xf32>
  %sum = arith.addf %a, %c : tensor<?xf32>
  return %sum : tensor<?xf32>
}

// What is larger already is not cut.
// CHECK-LABEL: func.func @pads(
// SHAPES-LABEL: func.func @pads(
func.func @pads(%x: tensor<5xf32>, %n: index, %ref: tensor<3x?xf32>) -> (tensor<?xf32>, tensor<5xf32>) {
  // CHECK: symshape.pad_to_match %{{.*}}, %{{.*}} axis 0 : tensor<5xf32> to tensor<?xf32>
  %0 = symshape.pad_to_match %x, %n axis 0 : tensor<5xf32> to tensor<?xf32>
  // CHECK: symshape.pad_to_match %{{.*}}, %{{.*}} axis 0 : tensor<5xf32>, tensor<3x?xf32> to tensor<5xf32>
  // SHAPES: return %{{.*}}, %arg0
  %1 = symshape.pad_to_match %x, %ref axis 0 : tensor<5xf32>, tensor<3x?xf32> to tensor<5xf32>
  return %0, %1 : tensor<?xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @folds(
// SHAPES-LABEL: func.func @folds(
func.func @folds(%n: index, %e: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %m1 = arith.constant -1 : i64
  // SHAPES-DAG: %[[C0:.*]] = arith.constant 0 : index
  // SHAPES: %[[T:.*]] = symshape.truncate_size
  // SHAPES: return %[[C0]], %[[T]], %[[T]]
  %0 = symshape.truncate_size %m1, %c5 : i64
  %1 = symshape.truncate_size %n, %e : index
  %2 = symshape.truncate_size %1, %e : index
  return %0, %1, %2 : index, index, index
}
