// RUN: symshape-opt %s --symshape-lower-runtime-checks | FileCheck %s

// CHECK-DAG: llvm.func @symshape_rt_fail(!llvm.ptr, !llvm.ptr, i64) attributes {passthrough = ["noreturn", "cold"]}
// CHECK-DAG: llvm.func @symshape_rt_tell(!llvm.ptr, !llvm.ptr, i64) attributes {passthrough = ["cold"]}
// CHECK-DAG: llvm.mlir.global private constant @[[$TEXT:[a-z_0-9]+]]("{0} is too large\00")
// CHECK-DAG: llvm.mlir.global private constant @[[$BRACE:[a-z_0-9]+]]("in {{[{][{]}}0, 1}\00")

// CHECK-LABEL: func.func @fail(
// CHECK-SAME:    %[[N:.*]]: index)
func.func @fail(%n: index) {
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1
  // CHECK: %[[VALUES:.*]] = llvm.alloca %[[ONE]] x i64
  // CHECK: %[[I:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: llvm.store %[[I]]
  // CHECK: %[[MESSAGE:.*]] = llvm.mlir.addressof @[[$TEXT]]
  // CHECK: llvm.call @symshape_rt_fail(%[[MESSAGE]], %[[VALUES]], %[[ONE]])
  symshape.fail "{0} is too large" (%n)
  return
}

// Another message may follow: the call goes on.
// CHECK-LABEL: func.func @tell(
// CHECK:         llvm.call @symshape_rt_tell(
// CHECK:         llvm.call @symshape_rt_fail(
func.func @tell(%n: index) {
  symshape.fail "{0} is too large" (%n) {continues}
  symshape.fail ""
  return
}

// A remaining assert branches; braces of its text are no placeholders.
// CHECK-LABEL: func.func @assert(
// CHECK:         scf.if
// CHECK:           llvm.mlir.addressof @[[$BRACE]]
// CHECK:           llvm.call @symshape_rt_fail
// CHECK-NOT:     cf.assert
func.func @assert(%c: i1) {
  cf.assert %c, "in {0, 1}"
  return
}
