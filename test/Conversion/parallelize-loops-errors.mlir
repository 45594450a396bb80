// RUN: symshape-opt %s --symshape-parallelize-loops --verify-diagnostics
// RUN: not symshape-opt %s --symshape-parallelize-loops=min-work=0 2>&1 | FileCheck %s
// CHECK: error: expected min-work of at least 1, but got 0

// expected-error@+1 {{expected no definition of 'symshape_rt_parallel', the name is the runtime's}}
func.func @symshape_rt_parallel(%a: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}
