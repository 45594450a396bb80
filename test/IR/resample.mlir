// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @copies(
// SHAPES-LABEL: func.func @copies(
func.func @copies(%x: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[H, W, C]>},
                  %p: tensor<1x?xi64> {symshape.shape = #symshape.shape<[1, P]>},
                  %q: tensor<1x?xindex> {symshape.shape = #symshape.shape<[1, Q]>}) -> tensor<?x?x?xf32> {
  // CHECK: symshape.resample %{{.*}} along [1, 0] at %{{.*}}, %{{.*}} : tensor<?x?x?xf32> at tensor<1x?xindex>, tensor<1x?xi64> to tensor<?x?x?xf32>
  // SHAPES: symshape.resample {{.*}}symshape.extents = [#symshape.shape<[P, Q, C]>]
  %r = symshape.resample %x along [1, 0] at %q, %p
      : tensor<?x?x?xf32> at tensor<1x?xindex>, tensor<1x?xi64> to tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// The number of taps may be known late; weights are as many as places.
// CHECK-LABEL: func.func @sums(
// SHAPES-LABEL: func.func @sums(
func.func @sums(%x: tensor<?x4xf16> {symshape.shape = #symshape.shape<[N, 4]>},
                %p: tensor<?x?xi32> {symshape.shape = #symshape.shape<[K, P]>},
                %w: tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, P]>}) -> tensor<?x4xf32> {
  // CHECK: symshape.resample %{{.*}} along [0] at %{{.*}} weights %{{.*}} : tensor<?x4xf16> at tensor<?x?xi32> weights tensor<?x?xf32> to tensor<?x4xf32>
  // SHAPES: symshape.resample {{.*}}symshape.extents = [#symshape.shape<[P, 4]>]
  %r = symshape.resample %x along [0] at %p weights %w
      : tensor<?x4xf16> at tensor<?x?xi32> weights tensor<?x?xf32> to tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
