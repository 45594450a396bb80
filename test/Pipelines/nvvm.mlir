// Code for GPUs: what its PTX holds, and what it does not.

// RUN: symshape-opt %s --symshape-nvvm=chip=sm_80 | FileCheck %s --check-prefix=HOST
// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=softmax --assembly=%t.80.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=__nv_ --implicit-check-not=.approx < %t.80.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_90a --entry=product --assembly=%t.90.ptx
// RUN: FileCheck %s --check-prefix=SM90 --implicit-check-not=__nv_ --implicit-check-not=.approx < %t.90.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=halves --assembly=%t.halves.ptx
// RUN: FileCheck %s --check-prefix=HALVES --implicit-check-not=ld.global.b16 --implicit-check-not=wgmma < %t.halves.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_90a --entry=halves --wgmma=on --assembly=%t.groups.ptx
// RUN: FileCheck %s --check-prefix=GROUPS --implicit-check-not=ld.global.b16 < %t.groups.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_90a --entry=halves --assembly=%t.none.ptx
// RUN: FileCheck %s --check-prefix=HALVES --implicit-check-not=ld.global.b16 --implicit-check-not=wgmma < %t.none.ptx
// RUN: symshape-opt %s '--symshape-nvvm=chip=sm_90a wgmma=on' | FileCheck %s --check-prefix=SHARED
// RUN: not symshape-opt %s '--symshape-nvvm=wgmma=on' 2>&1 | FileCheck %s --check-prefix=WGMMA
// WGMMA: error: symshape-nvvm: expected chip=sm_90a with wgmma, but got 'sm_80'
// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=fours --assembly=%t.fours.ptx
// RUN: FileCheck %s --check-prefix=FOURS --implicit-check-not=global.b32 < %t.fours.ptx
// RUN: not symshape-opt %s --symshape-nvvm=chip=fast 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: symshape-nvvm: expected the chip to be sm_80 or a later one that LLVM knows, such as sm_90a, but got 'fast'

// One arena, and no access to device memory but by calls.
// HOST-LABEL: llvm.func @softmax(
// HOST: llvm.call @softmax.guard(
// HOST: llvm.call @symshape_gpu_send(
// HOST: llvm.call @symshape_gpu_alloc(
// HOST: llvm.call @symshape_gpu_launch(
// HOST: llvm.call @symshape_gpu_fetch(
// HOST: llvm.call @symshape_gpu_finish(

#row = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// A warp adds up a row; quotients are rounded.
// PTX: .target sm_80
// PTX: .visible .entry softmax
// PTX: shfl.sync.bfly
// PTX: div.rn.f32
func.func @softmax(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %row = tensor.empty(%m) : tensor<?xf32>
  %full = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%full : tensor<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%full : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %q = arith.divf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Tiles in shared memory, read four numbers at a time; between barriers fused
// multiply-adds alone.
// SM90: .target sm_90a
// SM90: .shared
// SM90: bar.sync
// SM90: ld.shared.v4
// SM90: fma.rn.f32
// SM90: st.global
func.func @product(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                   %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[K, N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Tensor cores; copies of 16 bytes that give zeros past the end, so that nothing is tested in the
// loop over terms, whose only branch is its own. One kernel for each size of tiles.
// HALVES-LABEL: .visible .entry halves_contract
// HALVES: .shared .align 16
// HALVES: cp.async.cg.shared.global {{.*}}, 16, %r
// HALVES: cp.async.wait_group
// HALVES-NOT: @
// HALVES: bar.sync
// HALVES-NOT: @
// HALVES: cp.async.commit_group
// HALVES-NOT: @
// HALVES: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// HALVES-NOT: @
// HALVES: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// HALVES-NOT: @
// HALVES: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// HALVES: bra
// HALVES: .visible .entry halves_contract
// HALVES: .visible .entry halves_contract
// HALVES-NOT: .visible .entry

// By four warps: tiles of 128 x 256 and of 128 x 128, in shared memory of the
// launch; no sum is moved while products are under way. Few sums as before.
// SHARED-LABEL: llvm.func @halves(
// SHARED: llvm.mlir.constant(196608 : i64)
// SHARED: llvm.call @symshape_gpu_launch_shared(
// SHARED: llvm.call @symshape_gpu_launch(
// GROUPS: .target sm_90a
// GROUPS: .extern .shared .align 1024 .b8
// GROUPS: .visible .entry halves_contract
// GROUPS: cp.async.wait_group 1;
// GROUPS-NEXT: fence.proxy.async.shared::cta;
// GROUPS-NEXT: bar.sync 0;
// GROUPS: wgmma.fence.sync.aligned;
// GROUPS-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}}, p, 1, 1, 0, 1;
// GROUPS: wgmma.commit_group.sync.aligned;
// GROUPS-NOT: mov.b32
// GROUPS: cp.async.commit_group;
// GROUPS-NOT: mov.b32
// GROUPS: wgmma.wait_group.sync.aligned 1;
// GROUPS-NOT: mov.b32
// GROUPS: wgmma.wait_group.sync.aligned 0;
// GROUPS: .visible .entry halves_contract
// GROUPS: cp.async.wait_group 1;
// GROUPS-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, p, 1, 1, 0, 1;
// GROUPS: wgmma.wait_group.sync.aligned 0;
// GROUPS: .visible .entry halves_contract
// GROUPS-NOT: wgmma
// GROUPS: mma.sync.aligned
func.func @halves(%a: tensor<?x?xbf16> {symshape.shape = #symshape.shape<[M, 8*K]>},
                  %b: tensor<?x?xbf16> {symshape.shape = #symshape.shape<[8*K, 16*N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// A multiple of four is read and written by fours, by one kernel.
// FOURS: .visible .entry fours_generic
// FOURS: ld.global.nc.v4.b32
// FOURS: st.global.v4.b32
// FOURS-NOT: .visible .entry
func.func @fours(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, 4*N]>}) -> tensor<?x?xf32> {
  %r = arith.addf %a, %a : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
