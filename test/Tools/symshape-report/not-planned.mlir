// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --format=json | FileCheck %s --check-prefix=JSON

// What cannot be lowered has no memory plan; the rest of the report, and the
// plans of other functions, are there all the same.

// CHECK-LABEL: @exponential
// CHECK:         symbol s0 in
// CHECK:         check: extent of the result of tosa.exp dim 0 must equal extent of %y dim 0 (s1)
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE+4]]:8: expected an op that symshape can lower, but got 'tosa.exp'
// JSON:          "memory": {
// JSON-NEXT:       "notPlanned": "{{.*}}not-planned.mlir:[[#@LINE+2]]:8: expected an op that symshape can lower, but got 'tosa.exp'"
func.func @exponential(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%0, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Who calls it cannot be lowered either.
// CHECK-LABEL: @calls
// CHECK:         memory: not planned: {{.*}}not-planned.mlir:[[#@LINE-7]]:8: expected an op that symshape can lower, but got 'tosa.exp'
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

// Must not fire: a function beside them has its plan.
// CHECK-LABEL: @planned
// CHECK:         arena: {{.*}} bytes
// CHECK-NOT:     not planned
func.func @planned(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.negf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
