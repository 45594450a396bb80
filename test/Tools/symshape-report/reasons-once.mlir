// RUN: symshape-report %s | FileCheck %s

// An op that needs the same of two operands is named once.
// CHECK:      guard: extent of %y dim 0 (s1) must equal extent of %x dim 0 (s0)
// CHECK-NEXT:   needed by linalg.map at {{.*}} (extent of dimension 0)
// CHECK-NOT:    needed by
// CHECK:      arena
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.map { arith.addf } ins(%y, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>)
  return %r : tensor<?xf32>
}
