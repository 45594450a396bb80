// RUN: symshape-opt %s --symshape-lower-contractions -o %t \
// RUN:     --remarks-filter='symshape-.*' --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#n = affine_map<(m, n, k) -> (n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
#packed16 = #symshape_cpu.tile<rows = 14, columns = 16, lanes = 16, streams = 8, packing = in_call>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
#by_panel16 = #symshape_cpu.tile<rows = 14, columns = 16, lanes = 8, streams = 8, packing = by_panel>

// Nothing is missing.
// CHECK-NOT: remark:
// CHECK:     [[#@LINE+3]]:3: remark: [Passed] contraction | Category:symshape-lower-contractions | Remark="tiles of at most 14 x 32 sums in f32; right operand packed before the call; every panel whole; 1 operation fused, on each tile"
// CHECK-NOT: remark:
func.func @packed_by_caller(%a: memref<?x8xf32>, %b: memref<2x8x32xf32>, %bias: memref<64xf32>, %c: memref<?x64xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x8xf32>, memref<2x8x32xf32>) with(%bias : memref<64xf32>)
      outs(%c : memref<?x64xf32>) attributes {maps = [#mk, #nk, #n, #mn], tile = #packed} {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    symshape_kernel.yield %0 : f32
  }
  return
}

// A part of an argument, such as an arena, is filled in the call. Of a static
// number of columns nothing can be declared.
// CHECK:     [[#@LINE+4]]:3: remark: [Passed] {{.*}}"tiles of at most 14 x 16 sums in f32; right operand packed in the call; last panel of 9 columns; nothing fused"
// CHECK-NOT: remark:
func.func @packed_in_call(%a: memref<?x8xbf16>, %arena: memref<256xi8>, %c0: index, %c: memref<?x9xf32>) {
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<1x8x16xbf16>
  symshape_kernel.contract ins(%a, %b : memref<?x8xbf16>, memref<1x8x16xbf16>)
      outs(%c : memref<?x9xf32>) attributes {maps = [#mk, #nk, #mn], tile = #packed16} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// Two facts would help.
// CHECK:      [[#@LINE+6]]:3: remark: [Passed] {{.*}}"tiles of at most 14 x 32 sums in f32 (one or two rows: sums in memory, 8 rows of the right operand at a time); right operand copied panel by panel, or read in place where the panel is whole and three tiles of rows at most read it; last panel bounded; nothing fused"
// CHECK-NEXT: symshape_kernel.contract
// CHECK:      [[#@LINE+4]]:3: remark: [Missed] {{.*}}"needs: argument #1 declared a symshape.weight, if all calls pass the same; it is then packed once"
// CHECK:      [[#@LINE+3]]:3: remark: [Missed] {{.*}}"needs: 32 must divide the number of columns, for panels that are all whole"
// CHECK-NOT:  remark:
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
      outs(%c : memref<?x?xf32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}

// Must not fire: arguments of private functions cannot be declared weights, and
// neither can parts of arguments.
// CHECK:     remark: [Passed] {{.*}}"tiles of at most 14 x 16 sums in f64 (one or two rows: sums in memory, 8 rows of the right operand at a time); right operand copied
// CHECK-NOT: remark:
func.func private @not_a_weight(%a: memref<?x?xf64>, %b: memref<?x16xf64>, %c: memref<?x16xf64>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf64>, memref<?x16xf64>)
      outs(%c : memref<?x16xf64>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel16} {
  ^bb0(%sum: f64):
    symshape_kernel.yield %sum : f64
  }
  return
}
// CHECK:     remark: [Passed] {{.*}}"tiles of at most 14 x 32 sums in i32 (one or two rows: sums in memory, 8 rows of the right operand at a time); right operand copied
// CHECK-NOT: remark:
func.func @part_of_argument(%a: memref<?x8xi8>, %b: memref<4x8x32xi8>, %i: index, %c: memref<?x32xi32>) {
  %part = memref.subview %b[%i, 0, 0] [1, 8, 32] [1, 1, 1] : memref<4x8x32xi8> to memref<8x32xi8, strided<[32, 1], offset: ?>>
  symshape_kernel.contract ins(%a, %part : memref<?x8xi8>, memref<8x32xi8, strided<[32, 1], offset: ?>>)
      outs(%c : memref<?x32xi32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: i32):
    symshape_kernel.yield %sum : i32
  }
  return
}

// CHECK:     remark: [Passed] {{.*}}"tiles of at most 14 x 32 sums
// CHECK:     remark: [Missed] {{.*}}"needs: neighbouring columns of right operand and result next to each other in memory, which are copied otherwise"
func.func @strided(%a: memref<?x?xf32>, %b: memref<?x?xf32, strided<[?, ?]>>, %c: memref<?x?xf32>) {
  symshape_kernel.contract ins(%a, %b : memref<?x?xf32>, memref<?x?xf32, strided<[?, ?]>>)
      outs(%c : memref<?x?xf32>) attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  }
  return
}
