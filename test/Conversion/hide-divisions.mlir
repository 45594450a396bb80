// RUN: symshape-opt %s --symshape-hide-divisions=least=3 | FileCheck %s
// RUN: symshape-opt %s --symshape-hide-divisions=least=3 --symshape-canonicalize | FileCheck %s --check-prefix=AFTER
// RUN: symshape-opt %s --symshape-hide-divisions | FileCheck %s --check-prefix=FEW

// FEW-NOT: unrealized_conversion_cast
// AFTER-NOT: unrealized_conversion_cast

// One cast for each division, which all its uses take; sums stay in sight.
// CHECK-LABEL: func.func @divisions(
// CHECK-SAME:    %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK:         %[[A:.*]] = affine.apply {{.*}}[%[[N]]]
// CHECK-NEXT:    %[[HA:.*]] = builtin.unrealized_conversion_cast %[[A]] : index to index
// CHECK-NEXT:    %[[B:.*]] = affine.max {{.*}}[%[[HA]], %[[M]]]
// CHECK-NEXT:    %[[HB:.*]] = builtin.unrealized_conversion_cast %[[B]]
// CHECK-NEXT:    %[[S:.*]] = affine.apply {{.*}}[%[[HA]], %[[HB]]]
// CHECK-NEXT:    %[[Q:.*]] = arith.floordivsi %[[S]], %[[M]] : index
// CHECK-NEXT:    %[[HQ:.*]] = builtin.unrealized_conversion_cast %[[Q]]
// CHECK-NEXT:    return %[[HA]], %[[S]], %[[HQ]]
func.func @divisions(%n: index, %m: index) -> (index, index, index) {
  %0 = affine.apply affine_map<()[s] -> (s ceildiv 4)>()[%n]
  %1 = affine.max affine_map<()[s, t] -> (s, t mod 3)>()[%0, %m]
  %2 = affine.apply affine_map<()[s, t] -> (s + t)>()[%0, %1]
  %3 = arith.floordivsi %2, %m : index
  return %0, %2, %3 : index, index, index
}

// Must not fire: too few; and what a load of an affine loop is at.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     unrealized_conversion_cast
func.func @few(%n: index, %m: memref<?xf32>) -> index {
  %0 = affine.min affine_map<()[s] -> (s ceildiv 4, 7)>()[%n]
  %1 = affine.apply affine_map<()[s] -> (s mod 4)>()[%n]
  affine.for %i = 0 to %n {
    %2 = affine.apply affine_map<(d) -> (d floordiv 4)>(%i)
    %v = affine.load %m[%2] : memref<?xf32>
    affine.store %v, %m[%i] : memref<?xf32>
  }
  %3 = arith.addi %0, %1 : index
  return %3 : index
}
