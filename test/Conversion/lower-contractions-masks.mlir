// RUN: symshape-opt %s --symshape-lower-contractions='vector-registers=7 masked-bits=32' | FileCheck %s --check-prefix=MASKS
// RUN: symshape-opt %s --symshape-lower-contractions='vector-registers=7 masked-bits=64' | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --symshape-lower-contractions='vector-registers=7 masked-bits=0' | FileCheck %s --check-prefix=NONE

#mk = affine_map<(m, n, k) -> (m, k)>
#pk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The last columns of a tile are stored under a mask; or, where there are no
// masks for sums of 32 bits, one by one from a copy of the tile.
// MASKS-LABEL: func.func private @symshape.tile.
// MASKS:         llvm.intr.masked.store
// NONE-LABEL:  func.func private @symshape.tile.
// NONE-NOT:      masked
// NONE:          llvm.alloca {{.*}} x f32
// NONE-NOT:      masked
// NONE:          llvm.store %{{.*}} : vector<16xf32>
// NONE-NOT:      masked
// NONE:          llvm.load %{{.*}} : !llvm.ptr -> f32
// NONE-NOT:      masked
// NONE:          llvm.store %{{.*}} : f32, !llvm.ptr
// NONE-NOT:      masked
func.func @packed(%a: memref<?x?xf32>, %b: memref<?x?x32xf32>, %c: memref<?x?xf32>) {
  symshape.contract ins(%a, %b : memref<?x?xf32>, memref<?x?x32xf32>) outs(%c : memref<?x?xf32>)
      attributes {maps = [#mk, #pk, #mn], panel_width = 32} {
  ^bb0(%sum: f32):
    symshape.yield %sum : f32
  }
  return
}
