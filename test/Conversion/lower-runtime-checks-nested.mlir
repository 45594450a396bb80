// RUN: symshape-opt %s --symshape-lower-runtime-checks | FileCheck %s

// A name reaches no further than its module: each has texts and declarations
// of its own.
// CHECK-NOT:   llvm.func
// CHECK-LABEL: module @a
// CHECK-DAG:     llvm.func @symshape_rt_fail(
// CHECK-DAG:     llvm.mlir.global private constant @[[A:.*]]("no\00")
// CHECK:         func.func @f
// CHECK:           llvm.mlir.addressof @[[A]]
// CHECK:         module @inner
// CHECK-DAG:       llvm.func @symshape_rt_fail(
// CHECK-DAG:       llvm.mlir.global private constant @[[INNER:.*]]("no\00")
// CHECK:           func.func @f
// CHECK:             llvm.mlir.addressof @[[INNER]]
module @a {
  func.func @f() {
    symshape.fail "no"
    return
  }
  module @inner {
    func.func @f(%ok: i1) {
      cf.assert %ok, "no"
      return
    }
  }
}
// CHECK-LABEL: gpu.module @kernels
// CHECK:         llvm.func @symshape_rt_fail(
// CHECK:         gpu.func
gpu.module @kernels {
  gpu.func @k(%ok: i1) kernel {
    cf.assert %ok, "no"
    gpu.return
  }
}
// CHECK-LABEL: module @without
// CHECK-NOT:     llvm
module @without {
  func.func @f() {
    return
  }
}
