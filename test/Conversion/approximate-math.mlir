// RUN: symshape-opt %s --symshape-approximate-math | FileCheck %s

// CHECK-LABEL: func.func @approximated(
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.erf
// CHECK-NOT:     math.tanh
// CHECK:         math.fma {{.*}} : vector<16xf32>
func.func @approximated(%v: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %0 = math.exp %v : vector<16xf32>
  %1 = math.erf %v : vector<16xf32>
  %2 = math.tanh %v : vector<16xf32>
  return %0, %1, %2 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// Must not fire: sin loses accuracy for large arguments; f64 has no polynomial.
// CHECK-LABEL: func.func @kept(
// CHECK:         math.sin
// CHECK:         math.exp %{{.*}} : f64
func.func @kept(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.sin %x : f32
  %1 = math.exp %y : f64
  return %0, %1 : f32, f64
}
