// RUN: symshape-opt %s --symshape-hide-divisions=least=3 | FileCheck %s
// RUN: symshape-opt %s --symshape-hide-divisions=least=3 --symshape-canonicalize | FileCheck %s --check-prefix=AFTER
// RUN: symshape-opt %s --symshape-hide-divisions | FileCheck %s --check-prefix=FEW

// FEW-LABEL: func.func @divisions(
// FEW-NOT: unrealized_conversion_cast
// FEW-LABEL: func.func @long_chain(
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

// A chain is cut after every 16 steps, by way of tensors, too: here, it has 40.
// CHECK-LABEL: func.func @long_chain(
// CHECK-COUNT-8: arith.addi
// CHECK:         tensor.empty
// CHECK-NEXT:    %[[D:.*]] = tensor.dim
// CHECK-NEXT:    %[[HD:.*]] = builtin.unrealized_conversion_cast %[[D]] : index to index
// CHECK-NEXT:    arith.addi %[[HD]],
// CHECK:         builtin.unrealized_conversion_cast
// CHECK-NOT:     builtin.unrealized_conversion_cast
// CHECK:         return
func.func @long_chain(%s0: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %t1 = tensor.empty(%s0) : tensor<?xf32>
  %d1 = tensor.dim %t1, %c0 : tensor<?xf32>
  %s1 = arith.addi %d1, %n : index
  %t2 = tensor.empty(%s1) : tensor<?xf32>
  %d2 = tensor.dim %t2, %c0 : tensor<?xf32>
  %s2 = arith.addi %d2, %n : index
  %t3 = tensor.empty(%s2) : tensor<?xf32>
  %d3 = tensor.dim %t3, %c0 : tensor<?xf32>
  %s3 = arith.addi %d3, %n : index
  %t4 = tensor.empty(%s3) : tensor<?xf32>
  %d4 = tensor.dim %t4, %c0 : tensor<?xf32>
  %s4 = arith.addi %d4, %n : index
  %t5 = tensor.empty(%s4) : tensor<?xf32>
  %d5 = tensor.dim %t5, %c0 : tensor<?xf32>
  %s5 = arith.addi %d5, %n : index
  %t6 = tensor.empty(%s5) : tensor<?xf32>
  %d6 = tensor.dim %t6, %c0 : tensor<?xf32>
  %s6 = arith.addi %d6, %n : index
  %t7 = tensor.empty(%s6) : tensor<?xf32>
  %d7 = tensor.dim %t7, %c0 : tensor<?xf32>
  %s7 = arith.addi %d7, %n : index
  %t8 = tensor.empty(%s7) : tensor<?xf32>
  %d8 = tensor.dim %t8, %c0 : tensor<?xf32>
  %s8 = arith.addi %d8, %n : index
  %t9 = tensor.empty(%s8) : tensor<?xf32>
  %d9 = tensor.dim %t9, %c0 : tensor<?xf32>
  %s9 = arith.addi %d9, %n : index
  %t10 = tensor.empty(%s9) : tensor<?xf32>
  %d10 = tensor.dim %t10, %c0 : tensor<?xf32>
  %s10 = arith.addi %d10, %n : index
  %t11 = tensor.empty(%s10) : tensor<?xf32>
  %d11 = tensor.dim %t11, %c0 : tensor<?xf32>
  %s11 = arith.addi %d11, %n : index
  %t12 = tensor.empty(%s11) : tensor<?xf32>
  %d12 = tensor.dim %t12, %c0 : tensor<?xf32>
  %s12 = arith.addi %d12, %n : index
  %t13 = tensor.empty(%s12) : tensor<?xf32>
  %d13 = tensor.dim %t13, %c0 : tensor<?xf32>
  %s13 = arith.addi %d13, %n : index
  %t14 = tensor.empty(%s13) : tensor<?xf32>
  %d14 = tensor.dim %t14, %c0 : tensor<?xf32>
  %s14 = arith.addi %d14, %n : index
  %t15 = tensor.empty(%s14) : tensor<?xf32>
  %d15 = tensor.dim %t15, %c0 : tensor<?xf32>
  %s15 = arith.addi %d15, %n : index
  %t16 = tensor.empty(%s15) : tensor<?xf32>
  %d16 = tensor.dim %t16, %c0 : tensor<?xf32>
  %s16 = arith.addi %d16, %n : index
  %t17 = tensor.empty(%s16) : tensor<?xf32>
  %d17 = tensor.dim %t17, %c0 : tensor<?xf32>
  %s17 = arith.addi %d17, %n : index
  %t18 = tensor.empty(%s17) : tensor<?xf32>
  %d18 = tensor.dim %t18, %c0 : tensor<?xf32>
  %s18 = arith.addi %d18, %n : index
  %t19 = tensor.empty(%s18) : tensor<?xf32>
  %d19 = tensor.dim %t19, %c0 : tensor<?xf32>
  %s19 = arith.addi %d19, %n : index
  %t20 = tensor.empty(%s19) : tensor<?xf32>
  %d20 = tensor.dim %t20, %c0 : tensor<?xf32>
  %s20 = arith.addi %d20, %n : index
  return %s20 : index
}

// Must not fire: a row of many is no chain.
// CHECK-LABEL: func.func @row(
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         return
func.func @row(%n: index) -> index {
  %0 = arith.addi %n, %n : index
  %1 = arith.addi %n, %n : index
  %2 = arith.addi %n, %n : index
  %3 = arith.addi %n, %n : index
  %4 = arith.addi %n, %n : index
  %5 = arith.addi %n, %n : index
  %6 = arith.addi %n, %n : index
  %7 = arith.addi %n, %n : index
  %8 = arith.addi %n, %n : index
  %9 = arith.addi %n, %n : index
  %10 = arith.addi %n, %n : index
  %11 = arith.addi %n, %n : index
  %12 = arith.addi %n, %n : index
  %13 = arith.addi %n, %n : index
  %14 = arith.addi %n, %n : index
  %15 = arith.addi %n, %n : index
  %16 = arith.addi %n, %n : index
  %17 = arith.addi %n, %n : index
  return %17 : index
}
