// RUN: symshape-opt %s --symshape-lower-windows=vector-bits=512 --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-windows=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: symshape-opt %s --symshape-lower-windows=parallel --split-input-file | FileCheck %s --check-prefix=PARALLEL

// Positive: 11 channels by two vectors of columns in registers, over all nine
// taps of a channel; the fill and what comes after are part of it. No mask in
// the tile, none of the loops stores.
// CHECK-LABEL: func.func @convolution(
// CHECK-NOT:     linalg.fill
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.for {{.*}} step %c11
// CHECK:                 scf.for {{.*}} -> (vector<16xf32>,
// CHECK-NOT:               mask
// CHECK-COUNT-198:         vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT:               vector.fma
// CHECK:                   scf.yield
// CHECK:                 arith.maximumf {{.*}} : vector<16xf32>
// CHECK:                 vector.store
// CHECK:         vector.maskedload
// CHECK-NOT:   linalg.generic
// CHECK:       return
// PARALLEL-LABEL: func.func @convolution(
// PARALLEL:         scf.parallel (%{{.*}}, %{{.*}}) =
// AVX2-LABEL: func.func @convolution(
// AVX2:         scf.for {{.*}} -> (vector<8xf32>,
#in = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i, x + j)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>
#same = affine_map<(n, f, y, x) -> (n, f, y, x)>
#per_channel = affine_map<(n, f, y, x) -> (f)>
func.func @convolution(%in: memref<1x32x?x?xf32>, %filter: memref<33x32x3x3xf32>, %bias: memref<33xf32>, %e: memref<1x33x?x?xf32>, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  %r = memref.alloc(%m, %n) : memref<1x33x?x?xf32>
  linalg.fill ins(%zero : f32) outs(%r : memref<1x33x?x?xf32>)
  linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%in, %filter : memref<1x32x?x?xf32>, memref<33x32x3x3xf32>) outs(%r : memref<1x33x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #per_channel, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %bias : memref<1x33x?x?xf32>, memref<33xf32>) outs(%r : memref<1x33x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }
  memref.copy %r, %e : memref<1x33x?x?xf32> to memref<1x33x?x?xf32>
  return
}

// -----

// Positive: rows of the image share what their windows share: 4 rows and 3 taps
// read 6 rows. Every second column comes from two vectors.
// CHECK-LABEL: func.func @pooling(
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT:   linalg.generic
#win = affine_map<(c, y, x, i, j) -> (c, y + i, x * 2 + j)>
#shape = affine_map<(c, y, x, i, j) -> (i, j)>
#pooled = affine_map<(c, y, x, i, j) -> (c, y, x)>
func.func @pooling(%in: memref<?x?x?xf32>, %w: memref<3x3xf32>, %out: memref<?x?x?xf32>) {
  linalg.generic {indexing_maps = [#win, #shape, #pooled], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%in, %w : memref<?x?x?xf32>, memref<3x3xf32>) outs(%out : memref<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.maximumf %acc, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The fill may not move past an op that reads the buffer, nor the op to one
// that writes over its input; and an op that writes where the window reads is
// not absorbed.
// CHECK-LABEL: func.func @apart(
// CHECK:         linalg.fill
// CHECK:         memref.copy
// CHECK:         vector.fma
// CHECK:         linalg.generic
// CHECK:         return
#row = affine_map<(y, x, i) -> (y, x + i)>
#taps = affine_map<(y, x, i) -> (i)>
#to = affine_map<(y, x, i) -> (y, x)>
#id = affine_map<(y, x) -> (y, x)>
func.func @apart(%in: memref<?x?xf32>, %f: memref<3xf32>, %seen: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<?x?xf32>)
  memref.copy %out, %seen : memref<?x?xf32> to memref<?x?xf32>
  linalg.generic {indexing_maps = [#row, #taps, #to], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%in, %f : memref<?x?xf32>, memref<3xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%out : memref<?x?xf32>) outs(%in : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Must not fire: steps of three, a transposed result, no window.
// CHECK-LABEL: func.func @other(
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:   vector
#third = affine_map<(y, x, i) -> (y, x * 3 + i)>
#taps = affine_map<(y, x, i) -> (i)>
#to = affine_map<(y, x, i) -> (y, x)>
#column = affine_map<(y, x, i) -> (x + i, y)>
#plain = affine_map<(y, x, i) -> (y, x, i)>
func.func @other(%in: memref<?x?xf32>, %in3: memref<?x?x3xf32>, %f: memref<3xf32>, %out: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#third, #taps, #to], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%in, %f : memref<?x?xf32>, memref<3xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#column, #taps, #to], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%in, %f : memref<?x?xf32>, memref<3xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#plain, #taps, #to], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%in3, %f : memref<?x?x3xf32>, memref<3xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Positive: each channel by itself, channels in vectors. A long epilogue is there
// once for each vector of a row, not for each row; the tile waits on the stack,
// outside of all loops, or on that of a thread.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         memref.alloca_scope
// CHECK:           %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<12x32xf32>
// CHECK:           scf.for {{.*}} step %c12
// CHECK-COUNT-216:   vector.fma
// CHECK-NOT:         vector.fma
// CHECK-COUNT-24:    vector.store {{.*}} %[[SUMS]]
// CHECK:             scf.for
// CHECK-COUNT-2:       math.exp {{.*}} : vector<16xf32>
// CHECK-NOT:           math.exp
// CHECK:           scf.for
// A tile of one row needs no loop.
// CHECK-COUNT-2:     math.exp {{.*}} : vector<16xf32>
// PARALLEL-LABEL: func.func @depthwise(
// PARALLEL:         scf.parallel
// PARALLEL:           memref.alloca_scope
#image = affine_map<(n, y, x, c, i, j) -> (n, y + i, x + j, c)>
#taps = affine_map<(n, y, x, c, i, j) -> (i, j, c)>
#sums = affine_map<(n, y, x, c, i, j) -> (n, y, x, c)>
#alike = affine_map<(n, y, x, c) -> (n, y, x, c)>
func.func @depthwise(%in: memref<?x?x?x64xf32>, %filter: memref<3x3x64xf32>, %e: memref<?x?x?x64xf32>, %k: index, %m: index, %n: index) {
  %r = memref.alloc(%k, %m, %n) : memref<?x?x?x64xf32>
  linalg.generic {indexing_maps = [#image, #taps, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%in, %filter : memref<?x?x?x64xf32>, memref<3x3x64xf32>) outs(%r : memref<?x?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#alike, #alike], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : memref<?x?x?x64xf32>) outs(%r : memref<?x?x?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  memref.copy %r, %e : memref<?x?x?x64xf32> to memref<?x?x?x64xf32>
  return
}
