// RUN: symshape-opt %s --symshape-share-ops=whole-from=1 | FileCheck %s

// A function that one place alone calls has the types of that place: nothing is gained
// by leaving its extents open.
// CHECK-LABEL: func.func @only_one(
// CHECK:         call @[[$ONE:.*]](%{{.*}}) : (memref<7x8xf32>, memref<2x8x32xf32>, memref<7x64xf32>) -> ()
// CHECK:       func.func private @[[$ONE]](%{{.*}}: memref<7x8xf32>, %{{.*}}: memref<2x8x32xf32>, %{{.*}}: memref<7x64xf32>)
// CHECK-NEXT:    symshape_kernel.contract {{.*}} outs(%{{.*}} : memref<7x64xf32>)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @only_one(%a: memref<7x8xf32>, %b: memref<2x8x32xf32>, %c: memref<7x64xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<7x8xf32>, memref<2x8x32xf32>) outs(%c : memref<7x64xf32>)
      attributes {maps = [#mk, #kn, #mn], tile = #tile} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
