// RUN: symshape-report %s | FileCheck %s

// The plan of memory speaks of what is declared, also where lowering computes
// sizes as unsigned numbers, which the guards make the same.
// CHECK-LABEL: @pool
// CHECK:         arena: {{.*}}(H floordiv 2)*(W floordiv 2){{.*}} bytes
// CHECK-NOT:     %v_
func.func @pool(%x: tensor<?x?x?x4xf32> {symshape.shape = #symshape.shape<[N, H, W, 4]>}) -> tensor<?x?x?x4xf32> {
  %r = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>}
      : (tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  %s = tosa.max_pool2d %r {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>}
      : (tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  %e = tosa.exp %s : (tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  return %e : tensor<?x?x?x4xf32>
}

// CHECK-LABEL: @single
// CHECK-NOT:     %v_
func.func @single(%x: tensor<1x?x?x16xf32> {symshape.shape = #symshape.shape<[1, H, W, 16]>}) -> tensor<1x?x?x16xf32> {
  %0 = tosa.exp %x : (tensor<1x?x?x16xf32>) -> tensor<1x?x?x16xf32>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 1, 0, 1, 0>}
      : (tensor<1x?x?x16xf32>) -> tensor<1x?x?x16xf32>
  %2 = tosa.tanh %1 : (tensor<1x?x?x16xf32>) -> tensor<1x?x?x16xf32>
  return %2 : tensor<1x?x?x16xf32>
}

// CHECK-LABEL: @average
// CHECK-NOT:     %v_
func.func @average(%x: tensor<?x?x8x4xf32> {symshape.shape = #symshape.shape<[N, H, 8, 4]>}) -> tensor<?x?x4x4xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, acc_type = f32}
      : (tensor<?x?x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x4x4xf32>
  %1 = tosa.exp %0 : (tensor<?x?x4x4xf32>) -> tensor<?x?x4x4xf32>
  %2 = tosa.tanh %1 : (tensor<?x?x4x4xf32>) -> tensor<?x?x4x4xf32>
  return %2 : tensor<?x?x4x4xf32>
}

// CHECK-LABEL: @convolution
// CHECK:         arena: {{.*}}H{{.*}} bytes
// CHECK-NOT:     %v_
func.func @convolution(%x: tensor<1x?x?x4xf32> {symshape.shape = #symshape.shape<[1, H, W, 4]>}) -> tensor<1x?x?x8xf32> {
  %w = "tosa.const"() {values = dense<0.5> : tensor<8x3x3x4xf32>} : () -> tensor<8x3x3x4xf32>
  %b = "tosa.const"() {values = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = f32}
      : (tensor<1x?x?x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x8xf32>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>}
      : (tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
  %2 = tosa.tanh %1 : (tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
  return %2 : tensor<1x?x?x8xf32>
}
