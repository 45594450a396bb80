// RUN: symshape-opt %s --symshape-approximate-math | FileCheck %s
// RUN: symshape-opt %s --symshape-approximate-math=scale-instruction | FileCheck %s --check-prefix=SCALE

// Products and sums that may be fused, and no call.
// CHECK-LABEL: func.func @approximated(
// CHECK-NOT:     math.{{exp|erf|tanh|log}}
// CHECK:         %[[P:.*]] = arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT:    arith.addf %[[P]], {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT:     math.{{exp|erf|tanh|log}}
func.func @approximated(%v: vector<16xf32>, %s: f32)
    -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, f32) {
  %0 = math.exp %v : vector<16xf32>
  %1 = math.erf %v : vector<16xf32>
  %2 = math.tanh %v : vector<16xf32>
  %3 = math.log %s : f32
  return %0, %1, %2, %3 : vector<16xf32>, vector<16xf32>, vector<16xf32>, f32
}

// Without the instruction a power of two is added to the exponent.
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.shli
// SCALE-LABEL: func.func @scaled(
// SCALE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// SCALE-SAME:    vector<16xf32>
// SCALE-NOT:     arith.shli
func.func @scaled(%v: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %v : vector<16xf32>
  return %0 : vector<16xf32>
}

// Must not fire: the instruction is for vectors of sixteen.
// SCALE-LABEL: func.func @not_scaled(
// SCALE-NOT:     llvm.call_intrinsic
// SCALE:         return
func.func @not_scaled(%v: vector<8xf32>, %s: f32) -> (vector<8xf32>, f32) {
  %0 = math.exp %v : vector<8xf32>
  %1 = math.exp %s : f32
  return %0, %1 : vector<8xf32>, f32
}

// CHECK-LABEL: func.func @powers(
// CHECK-SAME:    %[[V:[a-z0-9]+]]: vector<4xf32>, %[[S:[a-z0-9]+]]: f64
// CHECK:         %[[SQUARE:.*]] = arith.mulf %[[V]], %[[V]] : vector<4xf32>
// CHECK:         %[[S2:.*]] = arith.mulf %[[S]], %[[S]] : f64
// CHECK:         %[[S3:.*]] = arith.mulf %[[S2]], %[[S]] : f64
// CHECK:         return %[[SQUARE]], %[[S3]]
func.func @powers(%v: vector<4xf32>, %s: f64) -> (vector<4xf32>, f64) {
  %two = arith.constant dense<2.0> : vector<4xf32>
  %three = arith.constant 3.0 : f64
  %0 = math.powf %v, %two : vector<4xf32>
  %1 = math.powf %s, %three : f64
  return %0, %1 : vector<4xf32>, f64
}

// A root differs from a power at -0 and -infinity.
// CHECK-LABEL: func.func @root(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
// CHECK:         %[[POSITIVE:.*]] = arith.addf %[[X]], %[[ZERO]]
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[POSITIVE]]
// CHECK:         %[[IS:.*]] = arith.cmpf oeq, %[[X]], %[[LEAST]]
// CHECK:         %[[POWER:.*]] = arith.select %[[IS]], %[[INFINITY]], %[[ROOT]]
// CHECK:         return %[[POWER]]
func.func @root(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %0 = math.powf %x, %half : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: i32)
// CHECK:         %[[SIZE:.*]] = math.absf %[[X]]
// CHECK:         %[[WIDE:.*]] = arith.extf %[[SIZE]] : f32 to f64
// CHECK:         %[[EXPONENT:.*]] = arith.sitofp %[[N]] : i32 to f64
// CHECK:         math.powf %[[WIDE]], %[[EXPONENT]] : f64
// CHECK:         math.copysign %{{.*}}, %[[X]]
// CHECK:         arith.mulf %[[X]], %[[X]] : f32
func.func @whole(%x: f32, %n: i32) -> (f32, f32) {
  %two = arith.constant 2 : i32
  %0 = math.fpowi %x, %n : f32, i32
  %1 = math.fpowi %x, %two : f32, i32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @cancelling(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64)
// CHECK:         %[[U:.*]] = math.exp %[[X]]
// CHECK:         math.log %[[U]]
// CHECK-NOT:     math.expm1
// CHECK-NOT:     math.log1p
func.func @cancelling(%x: f64) -> (f64, f64) {
  %0 = math.expm1 %x : f64
  %1 = math.log1p %x : f64
  return %0, %1 : f64, f64
}

// Must not fire: sin loses accuracy for large arguments; f64 has no polynomial;
// other powers are calls.
// CHECK-LABEL: func.func @kept(
// CHECK:         math.sin
// CHECK:         math.exp %{{.*}} : f64
// CHECK:         math.powf
// CHECK:         math.powf
func.func @kept(%x: f32, %y: f64) -> (f32, f64, f32, f32) {
  %fraction = arith.constant 2.5 : f32
  %0 = math.sin %x : f32
  %1 = math.exp %y : f64
  %2 = math.powf %x, %fraction : f32
  %3 = math.powf %x, %x : f32
  return %0, %1, %2, %3 : f32, f64, f32, f32
}

// CHECK-LABEL: func.func @clamp(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f64, %[[LOW:[a-z0-9]+]]: f64, %[[HIGH:[a-z0-9]+]]: f64
// CHECK:         %[[M:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK:         arith.minimumf %[[M]], %[[HIGH]]
func.func @clamp(%x: f64, %low: f64, %high: f64) -> f64 {
  %r = math.clampf %x to [%low, %high] : f64
  return %r : f64
}
