// RUN: mlir-opt %s --load-pass-plugin=%test_plugin --pass-pipeline='builtin.module(symshape-erase-extents)' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: mlir-opt %s --load-pass-plugin=%test_plugin --pass-pipeline='builtin.module(symshape-erase-extents{keep-ones=1})' | FileCheck %s --check-prefixes=CHECK,ONES
// RUN: mlir-opt %s --load-pass-plugin=%test_plugin --pass-pipeline='builtin.module(symshape-erase-extents{arguments-only=1})' | FileCheck %s --check-prefixes=CHECK,ARGUMENTS

// CHECK-LABEL: func.func @sum(
// ALL-SAME:       %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<1x3xf32>)
// ONES-SAME:      %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<1x?xf32>) -> (tensor<?x?xf32>, tensor<1x3xf32>)
// ARGUMENTS-SAME: %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>)
// CHECK:          "tosa.const"() {{.*}} : () -> tensor<1x3xf32>
// ALL:            tosa.add %{{.*}} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
// ONES:           tosa.add %{{.*}} : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
// ARGUMENTS:      tosa.add %{{.*}} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<2x3xf32>
func.func @sum(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>) {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<1x3xf32>}> : () -> tensor<1x3xf32>
  %0 = tosa.add %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0, %c : tensor<2x3xf32>, tensor<1x3xf32>
}
