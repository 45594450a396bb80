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

// What no instruction tells becomes comparisons, by the least normal number of
// the type; what one tells stays.
// CHECK-LABEL: func.func @classes(
// CHECK:         %[[SIZE:.*]] = math.absf %{{.*}} : f16
// CHECK:         %[[LEAST:.*]] = arith.constant 6.103520e-05 : f16
// CHECK:         arith.cmpf oge, %[[SIZE]], %[[LEAST]] : f16
// CHECK:         %[[INF:.*]] = arith.constant 0x7C00 : f16
// CHECK:         arith.cmpf olt, %[[SIZE]], %[[INF]] : f16
// CHECK:         arith.cmpf oeq, %{{.*}}, %{{.*}} : f16
// CHECK:         math.isnan
// CHECK:         math.sin
// CHECK:         math.cos
// CHECK-NOT:     math.sincos
func.func @classes(%x: f16) -> (i1, i1, i1, f16, f16) {
  %normal = math.isnormal %x : f16
  %infinite = math.isinf %x : f16
  %nan = math.isnan %x : f16
  %sin, %cos = math.sincos %x : f16
  return %normal, %infinite, %nan, %sin, %cos : i1, i1, i1, f16, f16
}
