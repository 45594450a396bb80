// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --format=json | FileCheck %s --check-prefix=JSON

// What cannot be lowered has no memory plan; the rest of the report, and the
// plans of other functions, are there all the same.

// CHECK-LABEL: @exponential
// CHECK:         symbol s0: %x dim 0
// CHECK:         check: extent of %0 dim 0 must equal extent of %y dim 0 (s1)
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+4]]:8: expected an op that symshape can lower, but got 'tosa.custom'
// JSON:          "memory": {
// JSON-NEXT:       "notPlanned": "{{.*}}not-planned.mlir:[[#@LINE+2]]:8: expected an op that symshape can lower, but got 'tosa.custom'"
func.func @exponential(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%0, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Who calls it cannot be lowered either.
// CHECK-LABEL: @calls
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE-7]]:8: expected an op that symshape can lower, but got 'tosa.custom'
func.func @calls(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @exponential(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @quantised
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+1]]:1: 'func.func' op expected types that symshape can lower
func.func @quantised(%x: tensor<?x!quant.uniform<i8:f32, 1.0>>) {
  return
}

// CHECK-LABEL: @divides
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+2]]:3: 'arith.divsi' op cannot be checked before linalg.div runs
func.func @divides(%x: memref<4xi32>, %y: memref<4xi32>, %z: memref<4xi32>) {
  linalg.div ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%z : memref<4xi32>)
  return
}

// A loop, an op of a dialect that nothing here lowers, and elements in an op.
// CHECK-LABEL: @loops
// CHECK:         check: extent of %0 dim 0 must equal extent of %y dim 0 (s1)
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+5]]:10: expected an op that symshape can lower, but got 'tosa.custom'
func.func @loops(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %2 = tosa.custom %a {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  %1 = linalg.add ins(%0, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: @shapes
// CHECK:         symbol s0: %x dim 0
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+2]]:8: expected an op that symshape can lower, but got 'shape.shape_of'
func.func @shapes(%x: tensor<?xf32>) -> index {
  %0 = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %1 = shape.num_elements %0 : tensor<1xindex> -> index
  return %1 : index
}

// CHECK-LABEL: @softmax
// CHECK:         guard: extent of %x dim 0 (s0) must equal extent of %y dim 0 (s1)
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+3]]:8: 'linalg.softmax' op expected floats
func.func @softmax(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %0 = linalg.add ins(%x, %y : tensor<?xi32>, tensor<?xi32>) outs(%x : tensor<?xi32>) -> tensor<?xi32>
  %1 = linalg.softmax dimension(0) ins(%0 : tensor<?xi32>) outs(%y : tensor<?xi32>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}

// Must not fire: a function in a module inside of this one has a plan as well.
// CHECK-LABEL: @inner::@f
// CHECK:         guard: extent of %x dim 0 (s0) must equal extent of %y dim 0 (s1)
// CHECK:         arena: {{.*}} bytes
module @inner {
  func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// Must not fire: a function beside them has its plan.
// CHECK-LABEL: @planned
// CHECK:         arena: {{.*}} bytes
// CHECK-NOT:     not planned
func.func @planned(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.negf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
