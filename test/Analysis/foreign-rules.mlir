// What the rules of other people's ops say, beside the types of the results.
// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin \
// RUN:   --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(symshape-insert-guards)' \
// RUN:   -o /dev/null
// RUN: not mlir-opt %s --load-dialect-plugin=%test_plugin --load-pass-plugin=%test_plugin \
// RUN:   --split-input-file --pass-pipeline='builtin.module(symshape-insert-guards)' 2>/dev/null \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for
// CHECK: @in_a_loop: 8 must equal 9
// CHECK-LABEL: func.func @agrees(
// CHECK-NOT: needed by
// CHECK: @may: guard failed: 5 must equal extent of argument #0 dim 0

// Negative: 15 is not 7.
func.func @exact(%t: tensor<?xf32>) -> tensor<7xf32> {
  // expected-error@+2 {{requirement can never hold: 7 must equal 15}}
  // expected-note@+1 {{dimension 0 of the result}}
  %r = "foreign.says"(%t) {exact = [array<i64: 15>]} : (tensor<?xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

// Negative: 6 is more than at most 5.
func.func @at_most(%t: tensor<?x?xf32>) -> tensor<?x6xf32> {
  // expected-error@+2 {{requirement can never hold: 6 must be at most 5}}
  // expected-note@+1 {{dimension 1 of the result}}
  %r = "foreign.says"(%t) {at_most = [array<i64: 4, 5>]} : (tensor<?x?xf32>) -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// -----

// Negative: of two results the second.
func.func @second(%t: tensor<?xf32>) -> (tensor<3xf32>, memref<?x4xf32>) {
  // expected-error@+2 {{requirement can never hold: 4 must equal 5}}
  // expected-note@+1 {{dimension 1 of result #1}}
  %r:2 = "foreign.says"(%t) {exact = [array<i64: 3>, array<i64: 2, 5>]}
    : (tensor<?xf32>) -> (tensor<3xf32>, memref<?x4xf32>)
  return %r#0, %r#1 : tensor<3xf32>, memref<?x4xf32>
}

// -----

// Must not fire: in a loop that may not run, where it is checked.
func.func @in_a_loop(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %b = "foreign.says"(%a) {exact = [array<i64: 9>]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Negative: the same extents as an operand with others.
func.func @copies(%t: tensor<4x?xf32>) -> tensor<?x5xf32> {
  %c = tensor.cast %t : tensor<4x?xf32> to tensor<4x6xf32>
  // expected-error@+2 {{requirement can never hold: 5 must equal 6}}
  // expected-note@+1 {{dimension 1 of the result}}
  %r = "foreign.says"(%c) {copies} : (tensor<4x6xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

// Must not fire: what agrees, is less than the bound, or is open.
func.func @agrees(%t: tensor<?xf32>) -> (tensor<15xf32>, tensor<4xf32>, tensor<?xf32>) {
  %a = "foreign.says"(%t) {exact = [array<i64: 15>]} : (tensor<?xf32>) -> tensor<15xf32>
  %b = "foreign.says"(%t) {at_most = [array<i64: 5>]} : (tensor<?xf32>) -> tensor<4xf32>
  %c = "foreign.says"(%t) {exact = [array<i64: 7>]} : (tensor<?xf32>) -> tensor<?xf32>
  return %a, %b, %c : tensor<15xf32>, tensor<4xf32>, tensor<?xf32>
}

// -----

// Must not fire: what depends on the arguments is a guard.
func.func @may(%t: tensor<?xf32>) -> tensor<5xf32> {
  %r = "foreign.says"(%t) {copies} : (tensor<?xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
