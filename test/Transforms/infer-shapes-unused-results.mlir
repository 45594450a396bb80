// RUN: symshape-opt %s --allow-unregistered-dialect --symshape-infer-shapes=annotate --remove-dead-values | FileCheck %s

// Upstream's pass erases a result and keeps the attribute, which has a shape for
// each of the two.
// CHECK-LABEL: func.func @unused(
// CHECK:         scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK:         } {symshape.extents = [#symshape.shape<[{{.*}}]>, #symshape.shape<[{{.*}}]>]}
func.func @unused(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = scf.if %c -> (tensor<?xf32>, tensor<?xf32>) {
    "test.effect"() : () -> ()
    scf.yield %x, %y : tensor<?xf32>, tensor<?xf32>
  } else {
    scf.yield %y, %x : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0 : tensor<?xf32>
}
