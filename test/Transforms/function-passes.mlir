// Passes that look into one function at a time run on a module, as before, and on
// functions, which mlir-opt may do at the same time.

// RUN: symshape-opt %s --pass-pipeline='builtin.module(symshape-lift-loops,symshape-hoist-invariants,symshape-discharge,symshape-pad-to-static,symshape-remove-masks,symshape-hoist-allocations,symshape-check-policies)' > %t.module
// RUN: FileCheck %s --check-prefixes=CHECK,MODULE < %t.module
// RUN: symshape-opt %s --pass-pipeline='builtin.module(func.func(symshape-lift-loops,symshape-hoist-invariants,symshape-discharge,symshape-pad-to-static,symshape-remove-masks,symshape-hoist-allocations,symshape-check-policies))' > %t.function
// RUN: FileCheck %s --check-prefixes=CHECK,FUNCTION < %t.function
// RUN: symshape-opt %s --symshape-discharge | FileCheck %s --check-prefixes=CHECK,MODULE

// Positive: what the function itself says.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     symshape.assert
// CHECK:         return
func.func @alone(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.assume = [#symshape.fact<"N <= 8">]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  symshape.assert "n <= 9" (n = %n), "at most nine"
  return
}

// Must not fire on functions alone: what a callee returns is not looked at, for
// another pass may be at work there.
// CHECK-LABEL: func.func @caller(
// MODULE-NOT:    symshape.assert
// FUNCTION:      symshape.assert
// CHECK:         return
func.func @caller(%n: index) {
  %m = call @clamped(%n) : (index) -> index
  symshape.assert "m <= 8" (m = %m), "at most eight"
  return
}

// Must not fire: alone, a private function may be called by anyone.
// CHECK-LABEL: func.func private @clamped(
// CHECK:         arith.minsi
func.func private @clamped(%n: index) -> index {
  %c8 = arith.constant 8 : index
  %m = arith.minsi %n, %c8 : index
  return %m : index
}
