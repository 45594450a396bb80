// RUN: symshape-opt %s --symshape-expand-small-floats=half-conversions=false | FileCheck %s

// Must not fire: conversions of whole tensors.
// CHECK-LABEL: func.func @halves(
// CHECK-NEXT:    arith.extf %{{.*}} : tensor<?xf16> to tensor<?xf64>
// CHECK-NEXT:    arith.truncf %{{.*}} : tensor<?xf64> to tensor<?xf16>
// CHECK-NEXT:    return
func.func @halves(%a: tensor<?xf16>) -> tensor<?xf16> {
  %0 = arith.extf %a : tensor<?xf16> to tensor<?xf64>
  %1 = arith.truncf %0 : tensor<?xf64> to tensor<?xf16>
  return %1 : tensor<?xf16>
}
