// RUN: symshape-report %s | FileCheck %s --implicit-check-not=NumPy
// RUN: symshape-report %s --format=json | FileCheck %s --check-prefix=JSON

// Where a guard is there for broadcasting alone, NumPy's rule would allow more.
// CHECK-LABEL: @broadcast
// CHECK:       guard: extent of %y dim 0 (s1) must equal extent of %x dim 0 (s0)
// CHECK-NEXT:    needed by tosa.add
// CHECK-NEXT:    NumPy's broadcasting would accept an extent of 1 as well
// CHECK-NEXT:    a guard is gone without
// JSON: "numpy": "NumPy's broadcasting would accept an extent of 1 as well"
func.func @broadcast(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Not so where another op needs it too, and where nothing is to be checked.
// CHECK-LABEL: @concat
// CHECK:       guard: extent of %y dim 1 (s2) must equal extent of %x dim 1 (s1)
// CHECK-NEXT:    needed by tosa.add
// CHECK-NEXT:    needed by tosa.concat
// CHECK-NEXT:    a guard is gone without
// CHECK-LABEL: @named
// CHECK-NOT:   guard:
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %a = tosa.add %x, %y : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %r = tosa.concat %a, %y {axis = 0 : i32} : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @named(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %r = tosa.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Nor where that is the rule.
// CHECK-LABEL: @numpy::@broadcast
// CHECK:       guard:
module @numpy attributes {symshape.tosa_numpy_broadcast} {
  func.func @broadcast(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %r = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
