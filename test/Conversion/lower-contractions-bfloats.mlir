// RUN: symshape-opt %s --symshape-allocate-workspaces --symshape-lower-contractions --canonicalize | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// An operand in panels of pairs: a step takes two terms of a row, and two of 16
// columns.
// CHECK-LABEL: func.func @packed(
// CHECK: call @symshape.tile.bf16.bf16.f32.2x16.2(
func.func @packed(%a: memref<?x?xbf16>, %b: memref<?x?x16x2xbf16>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xbf16>, memref<?x?x16x2xbf16>) outs(%c : memref<?x?xf32>)
      attributes {maps = [#mk, #nk, #mn],
                  tile = #symshape_cpu.tile<rows = 2, columns = 16, lanes = 16, streams = 1, packing = before_call, group = 2>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// An operand that comes as it is: each panel is copied in pairs of terms, the last
// of which may be a half. One or two rows are streams of single terms.
// CHECK-LABEL: func.func @by_panel(
// CHECK:         scf.if
// CHECK:           call @symshape.stream.bf16.bf16.f32.2x4096(
// CHECK:         else
// CHECK:           vector.transfer_read {{.*}} vector<16xbf16>
// CHECK:           vector.transfer_read {{.*}} vector<16xbf16>
// CHECK:           arith.select {{.*}} : vector<16xbf16>
// CHECK:           vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// CHECK:           vector.transfer_write {{.*}} : vector<32xbf16>
// CHECK:           call @symshape.tile.bf16.bf16.f32.2x16.2(
func.func @by_panel(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%c : memref<?x?xf32>)
      attributes {maps = [#mk, #kn, #mn],
                  tile = #symshape_cpu.tile<rows = 2, columns = 16, lanes = 16, streams = 1, packing = by_panel, group = 2>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// Without such an instruction, single terms are added.
// CHECK-LABEL: func.func @single_terms(
// CHECK: call @symshape.tile.f16.f16.f32.2x16(
func.func @single_terms(%a: memref<?x?xf16>, %b: memref<?x?x16xf16>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf16>, memref<?x?x16xf16>) outs(%c : memref<?x?xf32>)
      attributes {maps = [#mk, #nk, #mn],
                  tile = #symshape_cpu.tile<rows = 2, columns = 16, lanes = 16, streams = 1, packing = before_call>} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// The function asks for the instruction by itself, as LLVM is not to use others of
// that kind.
// CHECK-LABEL: func.func private @symshape.tile.bf16.bf16.f32.2x16.2(
// CHECK-SAME:    passthrough = ["noinline", ["symshape.needed_features", "+avx512bf16"]]
// CHECK:         case 1 {
// CHECK:         default {
// CHECK:           scf.for
// CHECK:             llvm.load {{.*}} : !llvm.ptr -> vector<32xbf16>
// CHECK:             llvm.load {{.*}} : !llvm.ptr -> f32
// CHECK:             vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK:             vector.bitcast {{.*}} : vector<16xf32> to vector<32xbf16>
// CHECK:             llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"

// Rows are widened before the sums, in vectors.
// CHECK-LABEL: func.func private @symshape.tile.f16.f16.f32.2x16(
// CHECK:         arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
// CHECK:         vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK:         vector.fma
