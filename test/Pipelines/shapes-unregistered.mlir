// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-shapes --split-input-file | FileCheck %s
// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-hoist-weights --split-input-file | FileCheck %s --check-prefix=WEIGHTS
// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-inline-single-calls --split-input-file | FileCheck %s --check-prefix=INLINE

// Shapes are inferred around ops of which nothing is known. One with a region
// may be a symbol table, so nobody can say who calls a private function.

// CHECK-LABEL: func.func @region_inside(
func.func @region_inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "foo.bar"
  "foo.bar"() ({ "foo.yield"() : () -> () }) : () -> ()
  return %x : tensor<4xf32>
}

// -----

// The callee keeps its type, and the weights their place: the op may call it.
// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<?xf32>
// WEIGHTS-LABEL: func.func private @callee(%{{.*}}: tensor<?xf32>)
// INLINE-LABEL: func.func private @callee(
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.negf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// WEIGHTS-NOT: .prepare
func.func @caller(%w: tensor<4xf32> {symshape.weight = "w"}) -> tensor<?xf32> {
  %c = tensor.cast %w : tensor<4xf32> to tensor<?xf32>
  // INLINE: call @callee
  %0 = call @callee(%c) : (tensor<?xf32>) -> tensor<?xf32>
  "foo.table"() ({
    "foo.calls"() {callee = @callee} : () -> ()
  }) : () -> ()
  return %0 : tensor<?xf32>
}

// -----

// What the callee requires is checked in it, not only by the callers in sight.
// CHECK-LABEL: func.func private @checked(
// CHECK:       symshape.fail
func.func private @checked(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @calls_checked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %0 = call @checked(%c) : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: "foo.table"
"foo.table"() ({
  "foo.calls"() {callee = @checked} : () -> ()
}) : () -> ()

// -----

// CHECK-LABEL: func.func @two_regions(
func.func @two_regions(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  // CHECK: "foo.branch"
  %0 = "foo.branch"(%x) ({
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    "foo.yield"(%d) : (index) -> ()
  }, {
    "foo.yield"(%c0) : (index) -> ()
  }) : (tensor<?xf32>) -> index
  return %0 : index
}
