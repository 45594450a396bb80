// Ops of somebody else, of whose extents nothing is known but what their shape rules say.
// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin \
// RUN:   --split-input-file --pass-pipeline='builtin.module(symshape-vjp{function=f})' | FileCheck %s

// The gradient of the slice is zero outside of it, up to 2*M.
// CHECK-LABEL: func.func private @f.transpose(
// CHECK-SAME: %[[M:.*]]: index, %[[GRADIENT:.*]]: tensor<3xf32>)
// CHECK: %[[WIDE:.*]] = arith.extsi
// CHECK: %[[TWICE:.*]] = arith.muli %[[WIDE]],
// CHECK: %[[NARROW:.*]] = arith.trunci %[[TWICE]]
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[NARROW]]
// CHECK: tensor.empty(%[[SIZE]])
// CHECK: %[[WHOLE:.*]] = tensor.insert_slice %[[GRADIENT]] into
// CHECK: %[[SUM:.*]] = "foreign.fold"(%[[WHOLE]])
// CHECK: return %[[SUM]]
func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = "foreign.twice"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tensor.extract_slice %0[1] [3] [1] : tensor<?xf32> to tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// A rule over an extent that is linear itself, by way of that of its operand.
// CHECK-LABEL: func.func private @f.transpose(
// CHECK: arith.muli
// CHECK: arith.muli
// CHECK: tensor.insert_slice
// CHECK: %[[HALF:.*]] = "foreign.fold"
// CHECK: "foreign.fold"(%[[HALF]])
func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = "foreign.twice"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "foreign.twice"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.extract_slice %1[1] [3] [1] : tensor<?xf32> to tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func private @f.transpose(
// CHECK: arith.muli
// CHECK: "foreign.twice"
func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = "foreign.twice"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "foreign.fold"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.extract_slice %1[1] [3] [1] : tensor<?xf32> to tensor<3xf32>
  return %2 : tensor<3xf32>
}
