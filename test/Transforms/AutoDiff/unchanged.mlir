// A pass that fails leaves the module as it was, whatever it had built by then.
// RUN: not symshape-opt %s --symshape-jvp="function=f" --mlir-print-ir-after-failure --mlir-disable-threading 2>&1 | FileCheck %s
// RUN: not symshape-opt %s --symshape-linearize="function=f" --mlir-print-ir-after-failure --mlir-disable-threading 2>&1 | FileCheck %s
// RUN: not symshape-opt %s --symshape-vjp="function=f" --mlir-print-ir-after-failure --mlir-disable-threading 2>&1 | FileCheck %s
// RUN: not symshape-opt %s --symshape-grad="function=f" --mlir-print-ir-after-failure --mlir-disable-threading 2>&1 | FileCheck %s

// CHECK:      note: {primitive = math.fpowi, field = rule, observed = missing}
// CHECK-NOT:  error:
// CHECK:      IR Dump After {{.*}} Failed
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @f(%arg0: f64) -> f64 {
// CHECK-NEXT:     %0 = arith.mulf %arg0, %arg0 : f64
// CHECK-NEXT:     %1 = call @inner(%0) : (f64) -> f64
// CHECK-NEXT:     return %1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @inner(%arg0: f64) -> f64 {
// CHECK-NEXT:     %0 = math.sin %arg0 : f64
// CHECK-NEXT:     %c2_i32 = arith.constant 2 : i32
// CHECK-NEXT:     %1 = math.fpowi %0, %c2_i32 : f64, i32
// CHECK-NEXT:     return %1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @f(%x: f64) -> f64 {
  %0 = arith.mulf %x, %x : f64
  %1 = call @inner(%0) : (f64) -> f64
  return %1 : f64
}
func.func @inner(%x: f64) -> f64 {
  %0 = math.sin %x : f64
  %n = arith.constant 2 : i32
  %1 = math.fpowi %0, %n : f64, i32
  return %1 : f64
}
