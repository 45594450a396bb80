// RUN: symshape-opt %s --symshape-form-dot-products | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#none = affine_map<(m, n) -> ()>
#second = affine_map<(m, n) -> (n)>

// Positive: a zero of activations is subtracted times the sums of the weights.
// CHECK-LABEL: func.func @zero_of_activations(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x12xi8>, %[[Z:[a-z0-9]+]]: tensor<i8>, %[[W:[a-z0-9]+]]: tensor<12x8xi8>)
func.func @zero_of_activations(%a: tensor<?x12xi8>, %z: tensor<i8>, %w: tensor<12x8xi8>) -> tensor<?x8xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x12xi8>
  %e = tensor.empty(%m) : tensor<?x12xi32>
  %x = linalg.generic {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %z : tensor<?x12xi8>, tensor<i8>) outs(%e : tensor<?x12xi32>) {
  ^bb0(%in: i8, %in_z: i8, %out: i32):
    %0 = arith.extui %in : i8 to i32
    %1 = arith.extui %in_z : i8 to i32
    %2 = arith.subi %0, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<?x12xi32>
  %f = tensor.empty(%m) : tensor<?x8xi32>
  %init = linalg.fill ins(%zero : i32) outs(%f : tensor<?x8xi32>) -> tensor<?x8xi32>
  // CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[W]] : tensor<?x12xi8>, tensor<12x8xi8>)
  // CHECK:   arith.extui
  // CHECK:   arith.extsi
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[W]] : tensor<12x8xi8>)
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[S]], %[[Z]] : tensor<?x8xi32>, tensor<8xi32>, tensor<i8>)
  // CHECK:   arith.muli
  // CHECK:   arith.subi
  // CHECK: return %[[R]]
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x12xi32>, tensor<12x8xi8>) outs(%init : tensor<?x8xi32>) {
  ^bb0(%in: i32, %in_w: i8, %out: i32):
    %0 = arith.extsi %in_w : i8 to i32
    %1 = arith.muli %in, %0 : i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<?x8xi32>
  return %r : tensor<?x8xi32>
}

// Positive: of two signed operands, the left one changes its sign, and the sums
// of the other one times 128 are subtracted.
// CHECK-LABEL: func.func @both_signed(
func.func @both_signed(%a: tensor<?x12xi8>, %w: tensor<12x8xi8>, %init: tensor<?x8xi32>) -> tensor<?x8xi32> {
  // CHECK: arith.xori
  // CHECK: arith.extui
  // CHECK: arith.extsi
  // CHECK: iterator_types = ["reduction", "parallel"]
  // CHECK: arith.muli %{{.*}}, %c128_i32
  %r = linalg.matmul ins(%a, %w : tensor<?x12xi8>, tensor<12x8xi8>) outs(%init : tensor<?x8xi32>) -> tensor<?x8xi32>
  return %r : tensor<?x8xi32>
}

// Must not fire: the zero differs along the sum.
// CHECK-LABEL: func.func @zero_along_sum(
func.func @zero_along_sum(%a: tensor<?x12xi8>, %z: tensor<12xi8>, %w: tensor<12x8xi8>, %init: tensor<?x8xi32>) -> tensor<?x8xi32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x12xi8>
  %e = tensor.empty(%m) : tensor<?x12xi32>
  // CHECK: %[[X:.*]] = linalg.generic
  %x = linalg.generic {indexing_maps = [#all, #second, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %z : tensor<?x12xi8>, tensor<12xi8>) outs(%e : tensor<?x12xi32>) {
  ^bb0(%in: i8, %in_z: i8, %out: i32):
    %0 = arith.extui %in : i8 to i32
    %1 = arith.extui %in_z : i8 to i32
    %2 = arith.subi %0, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<?x12xi32>
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<?x12xi32>, tensor<12x8xi8>)
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x12xi32>, tensor<12x8xi8>) outs(%init : tensor<?x8xi32>) {
  ^bb0(%in: i32, %in_w: i8, %out: i32):
    %0 = arith.extsi %in_w : i8 to i32
    %1 = arith.muli %in, %0 : i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<?x8xi32>
  return %r : tensor<?x8xi32>
}

// Must not fire: numbers of 16 bits.
// CHECK-LABEL: func.func @wider(
func.func @wider(%a: tensor<?x12xi16>, %w: tensor<12x8xi8>, %init: tensor<?x8xi32>) -> tensor<?x8xi32> {
  // CHECK-NEXT: linalg.matmul
  %r = linalg.matmul ins(%a, %w : tensor<?x12xi16>, tensor<12x8xi8>) outs(%init : tensor<?x8xi32>) -> tensor<?x8xi32>
  return %r : tensor<?x8xi32>
}
