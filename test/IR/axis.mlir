// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @linear(
// SHAPES-LABEL: func.func @linear(
func.func @linear(%x: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}) -> tensor<?x4xf32> {
  // CHECK: symshape.reverse %{{.*}} axes [0, 1] : tensor<?x4xf32>
  // SHAPES: symshape.reverse {{.*}}symshape.extents = [#symshape.shape<[N, 4]>]
  %0 = symshape.reverse %x axes [0, 1] : tensor<?x4xf32>
  // CHECK: symshape.cumsum %{{.*}} axis 1 : tensor<?x4xf32>
  // SHAPES: symshape.cumsum {{.*}}symshape.extents = [#symshape.shape<[N, 4]>]
  %1 = symshape.cumsum %0 axis 1 : tensor<?x4xf32>
  // CHECK: symshape.cumsum %{{.*}} axis 0 reverse : tensor<?x4xf32>
  %2 = symshape.cumsum %1 axis 0 reverse : tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @ordered(
// SHAPES-LABEL: func.func @ordered(
func.func @ordered(%x: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>}) -> tensor<?x4xi64> {
  %k = arith.constant 2 : index
  // CHECK: symshape.sort %{{.*}} axis 0 : tensor<?x4xf32>, tensor<?x4xi64>
  // SHAPES: symshape.sort {{.*}}symshape.extents = [#symshape.shape<[N, 4]>, #symshape.shape<[N, 4]>]
  %v, %p = symshape.sort %x axis 0 : tensor<?x4xf32>, tensor<?x4xi64>
  // CHECK: symshape.top_k %{{.*}}, %{{.*}} axis 1 : tensor<?x4xf32> to tensor<?x?xf32>, tensor<?x?xi32>
  // SHAPES: symshape.top_k {{.*}}symshape.extents = [#symshape.shape<[N, 2]>, #symshape.shape<[N, 2]>]
  %w, %q = symshape.top_k %v, %k axis 1 : tensor<?x4xf32> to tensor<?x?xf32>, tensor<?x?xi32>
  return %p : tensor<?x4xi64>
}

// FOLD-LABEL: func.func @twice(
// FOLD-SAME:    %[[X:[a-z0-9]+]]
func.func @twice(%x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %0 = symshape.reverse %x axes [0] : tensor<?x1xf32>
  %1 = symshape.reverse %0 axes [0] : tensor<?x1xf32>
  // An axis of one element.
  %2 = symshape.reverse %x axes [1] : tensor<?x1xf32>
  // FOLD: return %[[X]], %[[X]]
  return %1, %2 : tensor<?x1xf32>, tensor<?x1xf32>
}

// Must not fold: other axes.
// FOLD-LABEL: func.func @other_axes(
func.func @other_axes(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // FOLD-COUNT-2: symshape.reverse
  %0 = symshape.reverse %x axes [0] : tensor<?x2xf32>
  %1 = symshape.reverse %0 axes [1] : tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}
