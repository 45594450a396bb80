// RUN: symshape-opt %s --symshape-expand-small-floats | FileCheck %s
// RUN: symshape-opt %s --symshape-expand-small-floats=half-conversions=false | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --symshape-expand-small-floats=keeps-nans | FileCheck %s --check-prefix=KEEPS

// NONE-NOT: arith.extf {{.*( |x)f16}}
// NONE-NOT: arith.truncf {{.*( |x)f16}}

// The sum is rounded by integer operations; each op rounds its own result. The
// NaN of arithmetic on bf16 has no payload that rounding could carry, if the
// target keeps it.
// CHECK-LABEL: func.func @arithmetic(
// CHECK-NOT:     arith.extf
// CHECK:         arith.shli {{.*}} : vector<8xi32>
// CHECK:         arith.shli {{.*}} : vector<8xi32>
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT:     arith.truncf
// CHECK:         arith.cmpf uno
// CHECK:         arith.bitcast {{.*}} : vector<8xi16> to vector<8xbf16>
// CHECK:         arith.mulf {{.*}} : vector<8xf32>
// CHECK-NOT:     arith.truncf
// CHECK:         return
// KEEPS-LABEL: func.func @arithmetic(
// KEEPS-NOT:     arith.cmpf
// KEEPS:         return
func.func @arithmetic(%a: vector<8xbf16>, %b: vector<8xbf16>) -> vector<8xbf16> {
  %0 = arith.addf %a, %b : vector<8xbf16>
  %1 = arith.mulf %0, %b : vector<8xbf16>
  return %1 : vector<8xbf16>
}

// What is exact in bf16 is not rounded: its last 16 bits are 0. The sum of three
// is not that of two bf16.
// CHECK-LABEL: func.func @exact(
// CHECK:         arith.negf
// CHECK-NOT:     arith.addi
// CHECK:         arith.maximumf
// CHECK-NOT:     arith.addi
// CHECK:         arith.addf
// KEEPS-LABEL: func.func @exact(
// KEEPS:         arith.cmpf uno
func.func @exact(%a: bf16, %b: bf16) -> (bf16, bf16) {
  %cst = arith.constant 1.5 : bf16
  %negative = arith.negf %a : bf16
  %larger = arith.maximumf %negative, %cst : bf16
  %x = arith.extf %a : bf16 to f32
  %y = arith.extf %b : bf16 to f32
  %two = arith.addf %x, %y : f32
  %three = arith.addf %two, %x : f32
  %sum = arith.truncf %three : f32 to bf16
  return %larger, %sum : bf16, bf16
}

// A target has the conversion from f32 to f16; that from f64 goes by way of it.
// CHECK-LABEL: func.func @halfs(
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.ori
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
func.func @halfs(%a: vector<8xf32>, %b: f64, %c: vector<8xf16>) -> (vector<8xf16>, f16, vector<8xf32>) {
  %0 = arith.truncf %a : vector<8xf32> to vector<8xf16>
  %1 = arith.truncf %b : f64 to f16
  %2 = arith.extf %c : vector<8xf16> to vector<8xf32>
  return %0, %1, %2 : vector<8xf16>, f16, vector<8xf32>
}

// Integers are rounded once: those of 32 bits are exact in f64.
// CHECK-LABEL: func.func @integer(
// CHECK:         arith.sitofp %{{.*}} : i32 to f64
func.func @integer(%a: i32) -> bf16 {
  %0 = arith.sitofp %a : i32 to bf16
  return %0 : bf16
}

// Must not fire: other types, moves, and another rounding mode.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:    arith.select %{{.*}} : bf16
// CHECK-NEXT:    arith.truncf %{{.*}} toward_zero : f32 to bf16
// CHECK-NEXT:    return
func.func @others(%a: f64, %c: i1, %x: bf16, %y: bf16, %z: f32) -> (f32, bf16, bf16) {
  %0 = arith.truncf %a : f64 to f32
  %1 = arith.select %c, %x, %y : bf16
  %2 = arith.truncf %z toward_zero : f32 to bf16
  return %0, %1, %2 : f32, bf16, bf16
}

// A product with a name becomes one whose body says what it computes.
// CHECK-LABEL: func.func @product(
// CHECK-NOT:     linalg.matmul
// CHECK:         linalg.generic
// CHECK:           arith.mulf %{{.*}} : f32
func.func @product(%a: tensor<?x3xbf16>, %b: tensor<3x?xbf16>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x3xbf16>, tensor<3x?xbf16>) outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Must not fire: tensors have no bits; their ops become scalars later.
// CHECK-LABEL: func.func @tensors(
// NONE-LABEL:  func.func @tensors(
// CHECK-NOT:     arith.bitcast
// NONE-NOT:      arith.bitcast
// CHECK:         return
func.func @tensors(%a: tensor<?xf32>, %i: tensor<4xi64>, %b: tensor<?x2xbf16>) -> (tensor<?xbf16>, tensor<4xbf16>, tensor<?x2xbf16>) {
  %0 = arith.truncf %a : tensor<?xf32> to tensor<?xbf16>
  %1 = arith.sitofp %i : tensor<4xi64> to tensor<4xbf16>
  %2 = math.fma %b, %b, %b : tensor<?x2xbf16>
  return %0, %1, %2 : tensor<?xbf16>, tensor<4xbf16>, tensor<?x2xbf16>
}

// Must not fire: a mask is over one op.
// CHECK-LABEL: func.func @masked(
// CHECK:         vector.mask %{{.*}} { vector.outerproduct {{.*}} vector<4xf16>
func.func @masked(%x: vector<4xf16>, %y: vector<4xf16>, %acc: vector<4x4xf16>, %m: vector<4x4xi1>) -> vector<4x4xf16> {
  %r = vector.mask %m { vector.outerproduct %x, %y, %acc {kind = #vector.kind<add>} : vector<4xf16>, vector<4xf16> } : vector<4x4xi1> -> vector<4x4xf16>
  return %r : vector<4x4xf16>
}
