// RUN: symshape-opt %s --symshape-lower-contractions='masked-bits=32' | FileCheck %s --check-prefix=MASKS
// RUN: symshape-opt %s --symshape-lower-contractions='masked-bits=64' | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --symshape-lower-contractions='masked-bits=0' | FileCheck %s --check-prefix=NONE

#mk = affine_map<(m, n, k) -> (m, k)>
#pk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 2, columns = 32, lanes = 16, streams = 1, packing = before_call>

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
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?x32xf32>) outs(%c : memref<?x?xf32>)
      attributes {maps = [#mk, #pk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
