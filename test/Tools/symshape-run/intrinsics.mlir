// Ops for which the processor has no instruction: LLVM would end the process.
// RUN: not symshape-run %s --cpu=generic --entry=tile 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not symshape-run %s --cpu=generic --entry=product 2>&1 | FileCheck %s --check-prefix=PRODUCT

// TILE: error: 'llvm.x86.tilezero.internal' needs a processor with amx-tile
func.func @tile() -> f32 {
  %zero = arith.constant 0 : index
  %to = memref.alloca() : memref<16x16xf32>
  %tile = amx.tile_zero : !amx.tile<16x16xf32>
  amx.tile_store %to[%zero, %zero], %tile : memref<16x16xf32>, !amx.tile<16x16xf32>
  %r = memref.load %to[%zero, %zero] : memref<16x16xf32>
  return %r : f32
}

// PRODUCT: error: 'llvm.x86.{{tdpbssd|tilezero}}.internal' needs a processor with amx-{{int8|tile}}
func.func @product() -> i32 {
  %zero = arith.constant 0 : index
  %to = memref.alloca() : memref<16x16xi32>
  %a = amx.tile_zero : !amx.tile<16x64xi8>
  %sum = amx.tile_zero : !amx.tile<16x16xi32>
  %product = amx.tile_muli %a, %a, %sum : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %to[%zero, %zero], %product : memref<16x16xi32>, !amx.tile<16x16xi32>
  %r = memref.load %to[%zero, %zero] : memref<16x16xi32>
  return %r : i32
}
