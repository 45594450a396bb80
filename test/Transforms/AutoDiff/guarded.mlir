// RUN: symshape-opt %s --symshape-insert-guards --symshape-vjp='function=f' | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --symshape-vjp='function=f' -o %t.vjp.mlir
// RUN: symshape-run %t.vjp.mlir --entry=f.vjp --input=2xf32=iota --input=2xf32=iota --input=2xf32=iota | FileCheck %s --check-prefix=RUNS
// RUN: not symshape-run %t.vjp.mlir --entry=f.vjp --input=2xf32=iota --input=3xf32=iota --input=2xf32=iota 2>&1 | FileCheck %s --check-prefix=PRIMALS
// RUN: not symshape-run %t.vjp.mlir --entry=f.vjp --input=2xf32=iota --input=2xf32=iota --input=1xf32=iota 2>&1 | FileCheck %s --check-prefix=COTANGENT
// RUN: symshape-opt %s --symshape-insert-guards --symshape-jvp='function=f' -o %t.jvp.mlir
// RUN: symshape-run %t.jvp.mlir --entry=f.jvp --input=2xf32=iota --input=2xf32=iota --input=2xf32=iota --input=2xf32=zeros | FileCheck %s --check-prefix=FORWARD
// RUN: not symshape-run %t.jvp.mlir --entry=f.jvp --input=2xf32=iota --input=2xf32=iota --input=3xf32=iota --input=2xf32=zeros 2>&1 | FileCheck %s --check-prefix=TANGENT

// Positive: a function that checks its guards has derivatives, which keep the
// check, and get guards of their own for what they require beyond it.
// CHECK-LABEL: func.func @f(
// CHECK:       func.func private @f.fwd(
// CHECK-NOT:   symshape.guarded
// CHECK:         call @f.guard(
// CHECK:       func.func @f.vjp(
// CHECK-NOT:   symshape.guarded
// CHECK:         call @f.fwd(

// RUNS:      2xf32: [0, 1]
// RUNS-NEXT: 2xf32: [0, 1]
// RUNS-NEXT: 2xf32: [0, 1]
// PRIMALS:   guard failed: {{.*}} must equal
// COTANGENT: guard failed: {{.*}} must equal
// FORWARD:      2xf32: [0, 1]
// FORWARD-NEXT: 2xf32: [0, 1]
// TANGENT:   guard failed: {{.*}} must equal
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.mul ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
