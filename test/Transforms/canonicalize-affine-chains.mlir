// RUN: symshape-opt %s --symshape-canonicalize | FileCheck %s

#double = affine_map<()[s] -> (s + s floordiv 3)>
#sum = affine_map<()[s, t] -> (s * 2 + t)>

// Positive: the map of the last would hold that of the first 32 times and more.
// CHECK-LABEL: func.func @long_chain(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK:         %[[CUT:.*]] = affine.min {{.*}}[%[[N]]]
// CHECK:         %[[LAST:.*]] = affine.apply {{.*}}[%[[CUT]]]
// CHECK:         return %[[LAST]]
func.func @long_chain(%n: index) -> index {
  %0 = affine.apply #double()[%n]
  %1 = affine.apply #double()[%0]
  %2 = affine.apply #double()[%1]
  %3 = affine.apply #double()[%2]
  %4 = affine.apply #double()[%3]
  return %4 : index
}

// Positive: what is cut stays cut.
// CHECK-LABEL: func.func @kept(
// CHECK:         affine.min
// CHECK:         affine.apply
func.func @kept(%n: index) -> index {
  %0 = affine.min affine_map<()[s] -> (s + s floordiv 3 + (s + s floordiv 3) floordiv 5 + s floordiv 7)>()[%n]
  %1 = affine.apply #double()[%0]
  return %1 : index
}

// Positive: divisions count, too, since each `ceildiv` will be written twice.
// CHECK-LABEL: func.func @roundings(
// CHECK:         affine.min
// CHECK:         affine.apply
func.func @roundings(%n: index) -> index {
  %0 = affine.apply affine_map<()[s] -> (s ceildiv 2)>()[%n]
  %1 = affine.apply affine_map<()[s] -> (s ceildiv 3)>()[%0]
  %2 = affine.apply affine_map<()[s] -> (s ceildiv 5)>()[%1]
  %3 = affine.apply affine_map<()[s] -> (s ceildiv 7)>()[%2]
  %4 = affine.apply affine_map<()[s] -> (s ceildiv 9)>()[%3]
  return %4 : index
}

// Must not fire: the composed map is short.
// CHECK-LABEL: func.func @short_chain(
// CHECK-NOT:     affine.min
// CHECK:         %[[R:.*]] = affine.apply
// CHECK-NEXT:    return %[[R]]
func.func @short_chain(%n: index, %m: index) -> index {
  %0 = affine.apply #double()[%n]
  %1 = affine.apply #double()[%0]
  %2 = affine.apply #sum()[%1, %m]
  return %2 : index
}

// Must not fire: an `affine.min` of one short expression is an `affine.apply`.
// CHECK-LABEL: func.func @one_expression(
// CHECK-NOT:     affine.min
// CHECK:         affine.apply
func.func @one_expression(%n: index) -> index {
  %0 = affine.min affine_map<()[s] -> (s + s floordiv 3)>()[%n]
  return %0 : index
}

// Must not fire: a load needs what is computed from the counter of an affine
// loop.
// CHECK-LABEL: func.func @counter(
// CHECK:         affine.for
// CHECK-NOT:       affine.min
// CHECK:           affine.load
func.func @counter(%m: memref<?xf32>, %n: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> f32 {
    %0 = affine.apply affine_map<(d) -> (d + d floordiv 3)>(%i)
    %1 = affine.apply affine_map<(d) -> (d + d floordiv 3)>(%0)
    %2 = affine.apply affine_map<(d) -> (d + d floordiv 3)>(%1)
    %3 = affine.apply affine_map<(d) -> (d + d floordiv 3)>(%2)
    %4 = affine.apply affine_map<(d) -> (d + d floordiv 3)>(%3)
    %v = affine.load %m[%4] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  return %r : f32
}
