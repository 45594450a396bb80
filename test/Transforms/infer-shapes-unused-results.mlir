// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-infer-shapes=annotate --remove-dead-values | FileCheck %s

// Upstream's pass erases a result and keeps the attribute, which has a shape for
// each of the two.
// CHECK-LABEL: func.func @unused(
// CHECK:         scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK:         } {symshape.extents = [#symshape.shape<[{{.*}}]>, #symshape.shape<[{{.*}}]>]}
func.func @unused(%c: i1) -> tensor<?xf32> {
  %0:2 = scf.if %c -> (tensor<?xf32>, tensor<?xf32>) {
    %1:2 = "test.make"() : () -> (tensor<?xf32>, tensor<?xf32>)
    scf.yield %1#0, %1#1 : tensor<?xf32>, tensor<?xf32>
  } else {
    %1:2 = "test.make"() : () -> (tensor<?xf32>, tensor<?xf32>)
    scf.yield %1#0, %1#1 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0 : tensor<?xf32>
}
