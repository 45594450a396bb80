// RUN: symshape-opt %s --symshape-cpu=parallel | FileCheck %s
// RUN: symshape-opt %s --symshape-cpu | FileCheck %s --check-prefix=SERIAL

// The rows are handed out by the runtime; without threads there is no trace of it.
// CHECK:      llvm.func @symshape_rt_parallel(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK:      llvm.func @main(
// CHECK:      llvm.call @symshape_rt_parallel(
// CHECK:      llvm.func internal @main_parallel(
// SERIAL-NOT: parallel
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
