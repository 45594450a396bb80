// RUN: symshape-opt %s --symshape-mark-rows | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>
#other = affine_map<(d0, d1) -> (d1)>

// What is before a sum and after it, with as many rows, is one group.
// CHECK-LABEL: func.func @softmax(
// CHECK: linalg.fill {symshape.together = [0, 1]}
// CHECK: symshape.together = [0, 1]
// CHECK: symshape.together = [0, 1]
func.func @softmax(%a: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %sum = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %sum : memref<?x?xf32>, memref<?xf32>) outs(%a : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %q = arith.divf %x, %y : f32
    linalg.yield %q : f32
  }
  return %a : memref<?x?xf32>
}

// Must not fire: the sums are read along columns, so by all rows.
// CHECK-LABEL: func.func @crossed(
// CHECK: linalg.generic
// CHECK-SAME: symshape.together = [0, 1]
// CHECK: linalg.generic
// CHECK-NOT: symshape.together
func.func @crossed(%a: memref<4x4xf32>, %sum: memref<4xf32>) {
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x4xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#both, #other, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %sum : memref<4x4xf32>, memref<4xf32>) outs(%a : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %q = arith.divf %x, %y : f32
    linalg.yield %q : f32
  }
  return
}

// Must not fire: nothing says that there are as many rows.
// CHECK-LABEL: func.func @others(
// CHECK: linalg.generic
// CHECK-SAME: symshape.together = [0, 1]
// CHECK: linalg.generic
// CHECK-NOT: symshape.together
func.func @others(%a: memref<?x?xf32>, %sum: memref<?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<?x?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %q = arith.negf %x : f32
    linalg.yield %q : f32
  }
  return
}
