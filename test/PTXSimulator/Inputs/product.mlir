// C = A * B for bf16 with sums in f32: one warp for 16 rows and 8 columns, 16 terms at a
// time in two buffers. 8 | K and 8 | N; past the ends, copies fill with zeros.
#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%A: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                      %C: memref<?x?xf32, strided<[?, 1], offset: ?>>, %M: index, %N: index, %K: index)
        workgroup(%As: memref<2x16x16xbf16, #shared> {llvm.align = 16 : i64}, %Bs: memref<2x16x8xbf16, #shared> {llvm.align = 16 : i64})
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %lane = gpu.thread_id x
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %i0 = arith.muli %by, %c16 : index
      %j0 = arith.muli %bx, %c8 : index
      // Lane l copies half of row l / 2 of A and, if l < 16, row l of B.
      %ra = arith.divui %lane, %c2 : index
      %parity = arith.remui %lane, %c2 : index
      %ca = arith.muli %parity, %c8 : index
      %gi = arith.addi %i0, %ra : index
      %inRows = arith.cmpi ult, %gi, %M : index
      %hasB = arith.cmpi ult, %lane, %c16 : index
      %rb = arith.remui %lane, %c16 : index
      %steps = arith.ceildivui %K, %c16 : index
      %last = arith.addi %steps, %c1 : index
      %zero = arith.constant dense<0.0> : vector<2x2xf32>
      %sum = scf.for %s = %c0 to %last step %c1 iter_args(%acc = %zero) -> (vector<2x2xf32>) {
        %k0 = arith.muli %s, %c16 : index
        %slot = arith.remui %s, %c2 : index
        %ka = arith.addi %k0, %ca : index
        %inTermsA = arith.cmpi ult, %ka, %K : index
        %fullA = arith.andi %inRows, %inTermsA : i1
        %countA = arith.select %fullA, %c8, %c0 : index
        %rowA = arith.select %fullA, %gi, %c0 : index
        %colA = arith.select %fullA, %ka, %c0 : index
        %ta = nvgpu.device_async_copy %A[%rowA, %colA], %As[%slot, %ra, %ca], 8, %countA {bypassL1} : memref<?x?xbf16, strided<[?, 1], offset: ?>> to memref<2x16x16xbf16, #shared>
        scf.if %hasB {
          %kb = arith.addi %k0, %rb : index
          %fullB = arith.cmpi ult, %kb, %K : index
          %countB = arith.select %fullB, %c8, %c0 : index
          %rowB = arith.select %fullB, %kb, %c0 : index
          %tb = nvgpu.device_async_copy %B[%rowB, %j0], %Bs[%slot, %rb, %c0], 8, %countB {bypassL1} : memref<?x?xbf16, strided<[?, 1], offset: ?>> to memref<2x16x8xbf16, #shared>
        }
        %g = nvgpu.device_async_create_group %ta
        nvgpu.device_async_wait %g {numGroups = 1 : i32}
        gpu.barrier
        // The tile of the step before.
        %isFirst = arith.cmpi eq, %s, %c0 : index
        %next = scf.if %isFirst -> (vector<2x2xf32>) {
          scf.yield %acc : vector<2x2xf32>
        } else {
          %other = arith.subi %c1, %slot : index
          %row = arith.remui %lane, %c16 : index
          %half = arith.divui %lane, %c16 : index
          %column = arith.muli %half, %c8 : index
          %fa = nvgpu.ldmatrix %As[%other, %row, %column] {numTiles = 4 : i32, transpose = false} : memref<2x16x16xbf16, #shared> -> vector<4x2xbf16>
          %fb = nvgpu.ldmatrix %Bs[%other, %row, %c0] {numTiles = 2 : i32, transpose = true} : memref<2x16x8xbf16, #shared> -> vector<2x2xbf16>
          %a0e = vector.extract %fa[0] : vector<2xbf16> from vector<4x2xbf16>
          %a0w = vector.bitcast %a0e : vector<2xbf16> to vector<1xi32>
          %a0 = vector.extract %a0w[0] : i32 from vector<1xi32>
          %a1e = vector.extract %fa[1] : vector<2xbf16> from vector<4x2xbf16>
          %a1w = vector.bitcast %a1e : vector<2xbf16> to vector<1xi32>
          %a1 = vector.extract %a1w[0] : i32 from vector<1xi32>
          %a2e = vector.extract %fa[2] : vector<2xbf16> from vector<4x2xbf16>
          %a2w = vector.bitcast %a2e : vector<2xbf16> to vector<1xi32>
          %a2 = vector.extract %a2w[0] : i32 from vector<1xi32>
          %a3e = vector.extract %fa[3] : vector<2xbf16> from vector<4x2xbf16>
          %a3w = vector.bitcast %a3e : vector<2xbf16> to vector<1xi32>
          %a3 = vector.extract %a3w[0] : i32 from vector<1xi32>
          %b0e = vector.extract %fb[0] : vector<2xbf16> from vector<2x2xbf16>
          %b0w = vector.bitcast %b0e : vector<2xbf16> to vector<1xi32>
          %b0 = vector.extract %b0w[0] : i32 from vector<1xi32>
          %b1e = vector.extract %fb[1] : vector<2xbf16> from vector<2x2xbf16>
          %b1w = vector.bitcast %b1e : vector<2xbf16> to vector<1xi32>
          %b1 = vector.extract %b1w[0] : i32 from vector<1xi32>
          %s0 = vector.extract %acc[0, 0] : f32 from vector<2x2xf32>
          %s1 = vector.extract %acc[0, 1] : f32 from vector<2x2xf32>
          %s2 = vector.extract %acc[1, 0] : f32 from vector<2x2xf32>
          %s3 = vector.extract %acc[1, 1] : f32 from vector<2x2xf32>
          %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%s0, %s1, %s2, %s3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
          %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
          %r1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
          %r2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
          %r3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
          %packed = vector.from_elements %r0, %r1, %r2, %r3 : vector<2x2xf32>
          scf.yield %packed : vector<2x2xf32>
        }
        gpu.barrier
        scf.yield %next : vector<2x2xf32>
      }
      %group = arith.divui %lane, %c4 : index
      %quad = arith.remui %lane, %c4 : index
      %j2 = arith.muli %quad, %c2 : index
      %j = arith.addi %j0, %j2 : index
      %inColumns = arith.cmpi ult, %j, %N : index
      scf.for %h = %c0 to %c2 step %c1 {
        %down = arith.muli %h, %c8 : index
        %i1 = arith.addi %i0, %group : index
        %i = arith.addi %i1, %down : index
        %in = arith.cmpi ult, %i, %M : index
        %both = arith.andi %in, %inColumns : i1
        scf.if %both {
          %isTop = arith.cmpi eq, %h, %c0 : index
          %top = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
          %bottom = vector.extract %sum[1] : vector<2xf32> from vector<2x2xf32>
          %v = arith.select %isTop, %top, %bottom : vector<2xf32>
          vector.store %v, %C[%i, %j] {alignment = 8 : i64} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<2xf32>
        }
      }
      gpu.return
    }
  }
}
