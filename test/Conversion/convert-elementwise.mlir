// RUN: symshape-opt %s --symshape-convert-elementwise | FileCheck %s

// Positive: operands of one shape.
// CHECK-LABEL: func.func @add(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:           arith.addf {{.*}} : f32
// CHECK-NOT:     arith.addf {{.*}} : tensor
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Positive: a select of elements.
// CHECK-LABEL: func.func @elements(
// CHECK:         linalg.generic
// CHECK:           arith.select {{.*}} : f32
func.func @elements(%c: tensor<?xi1>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.select %c, %a, %b : tensor<?xi1>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: the tensors may have different extents.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     linalg.generic
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf32>
func.func @whole(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.select %c, %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
