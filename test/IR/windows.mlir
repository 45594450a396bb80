// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --symshape-infer-shapes=annotate | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

// CHECK-LABEL: func.func @values(
// SHAPES-LABEL: func.func @values(
func.func @values(%x: tensor<?x?x4xf32> {symshape.shape = #symshape.shape<[N, H, 4]>}, %v: f32,
                  %s: index, %d: index, %p: index) -> tensor<?x?x3x4xf32> {
  // CHECK: symshape.windows %{{.*}}, %{{.*}} kernel [3] low [%{{.*}}] high [0] stride [%{{.*}}] dilation [%{{.*}}] spread [1] : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
  // SHAPES: symshape.windows {{.*}}symshape.extents = [#symshape.shape<[N, ?, 3, 4]>]
  %r = symshape.windows %x, %v kernel [3] low [%p] high [0] stride [%s] dilation [%d] spread [1]
      : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
  return %r : tensor<?x?x3x4xf32>
}

// Constants become static.
// SHAPES-LABEL: func.func @constants(
// CANONICAL-LABEL: func.func @constants(
func.func @constants(%x: tensor<?x?x?x4xf32> {symshape.shape = #symshape.shape<[N, H, W, 4]>}, %v: f32)
    -> tensor<?x?x?x3x2x4xf32> {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  // SHAPES: symshape.windows {{.*}}symshape.extents = [#symshape.shape<[N, (H + 1) floordiv 2, W - 1, 3, 2, 4]>]
  // CANONICAL: symshape.windows %{{.*}}, %{{.*}} kernel [3, 2] low [1, 0] high [1, 0] stride [2, 1] dilation [1, 1] spread [1, 1]
  %r = symshape.windows %x, %v kernel [3, %two] low [%one, 0] high [%one, 0] stride [%two, 1] dilation [%one, 1] spread [1, 1]
      : tensor<?x?x?x4xf32> to tensor<?x?x?x3x2x4xf32>
  return %r : tensor<?x?x?x3x2x4xf32>
}

// What the verifier would refuse is for the check at run time to say.
// CANONICAL-LABEL: func.func @refused(
func.func @refused(%x: tensor<1x?x4xf32>, %v: f32) -> tensor<1x?x3x4xf32> {
  %zero = arith.constant 0 : index
  // CANONICAL: stride [%{{.*}}]
  %r = symshape.windows %x, %v kernel [3] low [0] high [0] stride [%zero] dilation [1] spread [1]
      : tensor<1x?x4xf32> to tensor<1x?x3x4xf32>
  return %r : tensor<1x?x3x4xf32>
}
