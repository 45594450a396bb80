// RUN: symshape-opt %s --symshape-form-contractions --canonicalize --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-form-contractions=weights=false --canonicalize --split-input-file | FileCheck %s --check-prefix=NO-WEIGHTS

// Columns of the right operand are neighbours: it is read as it lies. The fill is
// where sums start.
// CHECK-DAG:   #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG:   #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
// CHECK-NOT:     linalg.pack
// CHECK:         symshape_kernel.contract ins(%[[A]], %[[B]]
// CHECK-SAME:      outs(%[[C]] : tensor<?x?xf32>) attributes {maps = [#[[$MK]], #[[$KN]], #[[$MN]]], tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>}
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:      symshape_kernel.yield %[[SUM]]
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A weight is packed, in panels of two vectors: that is done before the calls,
// or not at all. What is computed from weights is no other.
// CHECK-DAG:   #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @weight(
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32> {{.*}}, %[[C:.*]]: tensor<?x?xf32>)
// CHECK:         %[[P:.*]] = linalg.pack %[[B]] padding_value({{.*}}) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32]
// CHECK-SAME:      tensor<?x?xf32> -> tensor<?x?x32xf32>
// CHECK:         symshape_kernel.contract ins(%[[A]], %[[P]]
// CHECK-SAME:      attributes {accumulate, maps = [{{.*}}, #[[$NK]], {{.*}}], tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>}
// NO-WEIGHTS-LABEL: func.func @weight(
// NO-WEIGHTS-NOT: linalg.pack
// NO-WEIGHTS:     symshape_kernel.contract {{.*}} packing = by_panel>}
func.func @weight(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {symshape.weight = "b"}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What a loop does not change is packed before it, once for all of its turns; so
// is a left operand that is transposed. Must not fire: a branch has no turns.
// CHECK-LABEL: func.func @in_loops(
// CHECK:         linalg.transpose
// CHECK:         linalg.pack
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         linalg.pack
// CHECK:             symshape_kernel.contract {{.*}} tile = #symshape_cpu.tile<{{.*}}, packing = before_loop>}
// CHECK:         scf.if
// CHECK-NOT:       linalg.pack
// CHECK:           symshape_kernel.contract {{.*}} tile = #symshape_cpu.tile<{{.*}}, packing = by_panel>}
func.func @in_loops(%a: tensor<?x384xf32>, %b: tensor<?x?xf32>, %c: tensor<384x?xf32>, %n: index, %choice: i1) -> tensor<384x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<384x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x384xf32>) outs(%e : tensor<384x?xf32>) permutation = [1, 0]
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<384x?xf32> {
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<384x?xf32> {
      %2 = linalg.matmul ins(%t, %b : tensor<384x?xf32>, tensor<?x?xf32>) outs(%y : tensor<384x?xf32>) -> tensor<384x?xf32>
      scf.yield %2 : tensor<384x?xf32>
    }
    scf.yield %1 : tensor<384x?xf32>
  }
  %3 = scf.if %choice -> tensor<384x?xf32> {
    %4 = linalg.matmul ins(%t, %b : tensor<384x?xf32>, tensor<?x?xf32>) outs(%0 : tensor<384x?xf32>) -> tensor<384x?xf32>
    scf.yield %4 : tensor<384x?xf32>
  } else {
    scf.yield %0 : tensor<384x?xf32>
  }
  return %3 : tensor<384x?xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Columns that are not neighbours in memory are packed where they are used.
// CHECK-LABEL: func.func @columns_apart(
// CHECK:         linalg.pack
// CHECK:         symshape_kernel.contract {{.*}} tile = #symshape_cpu.tile<{{.*}}, packing = in_call>}
func.func @columns_apart(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Without a fill, sums start from what is there; another constant is added.
// CHECK-LABEL: func.func @starts(
// CHECK:         symshape_kernel.contract {{.*}} attributes {accumulate,
// CHECK:         symshape_kernel.contract
// CHECK-NOT:       accumulate
// CHECK:         ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[SUM]], %{{.*}} : f32
// CHECK-NEXT:      symshape_kernel.yield %[[R]]
func.func @starts(%a: tensor<?x8xf32>, %b: tensor<8x64xf32>, %c: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %one = arith.constant 1.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  %f = linalg.fill ins(%one : f32) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#c = affine_map<(r, c) -> (c)>

// The elementwise user becomes the region; a transposed operand is read as it
// stands.
// CHECK-DAG:   #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG:   #[[$N:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME:    %[[A:.*]]: tensor<?x24xf32>, %{{.*}}: tensor<?x32xf32>, %[[BIAS:.*]]: tensor<32xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         symshape_kernel.contract ins(%[[A]], {{.*}}) with(%[[BIAS]] : tensor<32xf32>)
// CHECK-SAME:      maps = [#[[$KM]], {{.*}}, #[[$N]], {{.*}}]
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[ELEMENT:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[SUM]], %[[ELEMENT]]
// CHECK-NEXT:      arith.maximumf
// CHECK-NOT:     linalg.generic
func.func @epilogue(%a: tensor<?x24xf32>, %b: tensor<?x32xf32>, %bias: tensor<32xf32>) -> tensor<24x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %k = tensor.dim %a, %c0 : tensor<?x24xf32>
  %et = tensor.empty(%k) : tensor<24x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x24xf32>) outs(%et : tensor<24x?xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<24x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %0 = linalg.matmul ins(%t, %b : tensor<24x?xf32>, tensor<?x32xf32>) outs(%f : tensor<24x32xf32>) -> tensor<24x32xf32>
  %1 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<24x32xf32>, tensor<32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<24x32xf32>
  return %1 : tensor<24x32xf32>
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>

// Must not fire: an epilogue that reads its own output, or columns with a
// stride, or whose input has other users.
// CHECK-LABEL: func.func @other_epilogues(
// CHECK-COUNT-3: symshape_kernel.contract
// CHECK-COUNT-3: linalg.generic
func.func @other_epilogues(%a: tensor<?x8xf32>, %b: tensor<8x64xf32>, %c: tensor<?x64xf32>, %d: tensor<64x?xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %own = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x64xf32>) outs(%c : tensor<?x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %3 = arith.addf %x, %out : f32
    linalg.yield %3 : f32
  } -> tensor<?x64xf32>
  %strided = linalg.generic {indexing_maps = [#rc, #cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%1, %d : tensor<?x64xf32>, tensor<64x?xf32>) outs(%c : tensor<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %3 = arith.addf %x, %y : f32
    linalg.yield %3 : f32
  } -> tensor<?x64xf32>
  %shared = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<?x64xf32>) outs(%c : tensor<?x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %3 = arith.negf %x : f32
    linalg.yield %3 : f32
  } -> tensor<?x64xf32>
  return %own, %strided, %shared, %2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Half precision is added up in single precision, bytes in 32 bits.
// CHECK-LABEL: func.func @types(
// CHECK:         symshape_kernel.contract {{.*}} outs(%{{.*}} : tensor<4x64xbf16>)
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:      arith.truncf %[[SUM]] : f32 to bf16
// CHECK:         symshape_kernel.contract {{.*}} outs(%{{.*}} : tensor<4x64xi32>) attributes {accumulate,
// CHECK-NEXT:    ^bb0(%{{.*}}: i32):
func.func @types(%a: tensor<4x8xbf16>, %b: tensor<8x64xbf16>, %i: tensor<4x8xi8>, %j: tensor<8x64xi8>, %s: tensor<4x64xi32>)
    -> (tensor<4x64xbf16>, tensor<4x64xi32>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x64xbf16>) -> tensor<4x64xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x64xbf16>) outs(%f : tensor<4x64xbf16>) -> tensor<4x64xbf16>
  %1 = linalg.matmul ins(%i, %j : tensor<4x8xi8>, tensor<8x64xi8>) outs(%s : tensor<4x64xi32>) -> tensor<4x64xi32>
  return %0, %1 : tensor<4x64xbf16>, tensor<4x64xi32>
}

// -----

// Must not fire: a result of half precision that continues another one, a
// type without sums, a maximum of products.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     symshape_kernel.contract
// CHECK:         linalg.matmul
// CHECK:         linalg.matmul
// CHECK:         linalg.generic
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @others(%a: tensor<4x8xf16>, %b: tensor<8x64xf16>, %c: tensor<4x64xf16>,
                  %i: tensor<4x8xi64>, %j: tensor<8x64xi64>, %k: tensor<4x64xi64>,
                  %x: tensor<4x8xf32>, %y: tensor<8x64xf32>, %z: tensor<4x64xf32>)
    -> (tensor<4x64xf16>, tensor<4x64xi64>, tensor<4x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x64xf16>) outs(%c : tensor<4x64xf16>) -> tensor<4x64xf16>
  %1 = linalg.matmul ins(%i, %j : tensor<4x8xi64>, tensor<8x64xi64>) outs(%k : tensor<4x64xi64>) -> tensor<4x64xi64>
  %2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<8x64xf32>) outs(%z : tensor<4x64xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %3 = arith.mulf %p, %q : f32
    %4 = arith.maximumf %acc, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x64xf32>
  return %0, %1, %2 : tensor<4x64xf16>, tensor<4x64xi64>, tensor<4x64xf32>
}

// -----

// Facts about dynamic columns are written down: a panel has 32.
// CHECK-LABEL: func.func @columns_divisible(
// CHECK:         symshape_kernel.contract {{.*}} attributes {accumulate, columns_divisor = 32 : i64,
func.func @columns_divisible(%a: tensor<?x8xf32>, %b: tensor<8x?xf32> {symshape.shape = #symshape.shape<[8, N]>},
                             %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 64>]} {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Must not fire: half a panel may be left; and rows are not columns.
// CHECK-LABEL: func.func @half_a_panel(
// CHECK-NOT:     columns_divisor
func.func @half_a_panel(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>,
                        %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"M", multiple_of = 32>, #symshape.symbol<"N", multiple_of = 16>]} {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Must not fire: the columns of a loop are a part of those that are declared.
// CHECK-LABEL: func.func @part_of_columns(
// CHECK:         symshape_kernel.contract
// CHECK-NOT:     columns_divisor
func.func @part_of_columns(%a: tensor<?x8xf32>, %b: tensor<8x?xf32> {symshape.shape = #symshape.shape<[8, N]>},
                           %n: index, %c: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 32>]} {
  %part = tensor.extract_slice %b[0, 0] [8, %n] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %0 = linalg.matmul ins(%a, %part : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Panels of three vectors, where two are known to leave more columns empty.
// CHECK-LABEL: func.func @three_vectors(
// CHECK:         symshape_kernel.contract {{.*}} columns_divisor = 48 : i64, {{.*}} tile = #symshape_cpu.tile<rows = 9, columns = 48, lanes = 16, streams = 8, packing = before_call>}
// CHECK:         symshape_kernel.contract {{.*}} tile = #symshape_cpu.tile<rows = 9, columns = 48, lanes = 16, streams = 8, packing = before_call>}
func.func @three_vectors(%a: tensor<?x8xf32>, %b: tensor<8x?xf32> {symshape.weight = "b", symshape.shape = #symshape.shape<[8, N]>},
                         %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                         %b40: tensor<8x40xf32> {symshape.weight = "b40"}, %c40: tensor<?x40xf32>) -> (tensor<?x?xf32>, tensor<?x40xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 48>]} {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %b40 : tensor<?x8xf32>, tensor<8x40xf32>) outs(%c40 : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x40xf32>
}

// -----

// Must not fire: two vectors are as good, or nearly so.
// CHECK-LABEL: func.func @two_vectors(
// CHECK-COUNT-2: linalg.pack {{.*}} inner_tiles = [32]
func.func @two_vectors(%a: tensor<?x8xf32>, %b: tensor<8x?xf32> {symshape.weight = "b", symshape.shape = #symshape.shape<[8, N]>},
                       %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                       %b1000: tensor<8x1000xf32> {symshape.weight = "b1000"}, %c1000: tensor<?x1000xf32>) -> (tensor<?x?xf32>, tensor<?x1000xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 96>]} {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %b1000 : tensor<?x8xf32>, tensor<8x1000xf32>) outs(%c1000 : tensor<?x1000xf32>) -> tensor<?x1000xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x1000xf32>
}

// -----

// Must not fire: numbers that are no whole bytes, or that no vector extends.
// CHECK-LABEL: func.func @narrow_factors(
// CHECK-NOT:     symshape_kernel.contract
// CHECK-COUNT-3: linalg.matmul
// CHECK-NOT:     symshape_kernel.contract
func.func @narrow_factors(%a: tensor<?x?xi4>, %b: tensor<?x?xi4>, %c: tensor<?x?xi1>, %d: tensor<?x?xi1>,
                          %f: tensor<?x?xf8E4M3FN>, %g: tensor<?x?xf8E4M3FN>, %i: tensor<?x?xi32>,
                          %s: tensor<?x?xf32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xi4>, tensor<?x?xi4>) outs(%i : tensor<?x?xi32>) -> tensor<?x?xi32>
  %1 = linalg.matmul ins(%c, %d : tensor<?x?xi1>, tensor<?x?xi1>) outs(%i : tensor<?x?xi32>) -> tensor<?x?xi32>
  %2 = linalg.matmul ins(%f, %g : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) outs(%s : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>
}

// -----

#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A left operand whose rows are neighbours is copied where several panels of
// columns read it, and read as it stands where few columns or short sums do.
// CHECK-DAG:   #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-LABEL: func.func @left(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x384xf32>,
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[A]] : tensor<?x384xf32>) outs({{.*}}) permutation = [1, 0]
// CHECK:         symshape_kernel.contract ins(%[[T]], {{.*}} attributes {maps = [#[[$MK]],
// CHECK:         symshape_kernel.contract ins(%[[A]], {{.*}} attributes {maps = [#[[$KM]],
// CHECK-LABEL: func.func @short_sums(
// CHECK-NOT:     linalg.transpose
func.func @left(%a: tensor<?x384xf32>, %wide: tensor<?x?xf32>, %narrow: tensor<?x32xf32>, %c: tensor<384x?xf32>, %d: tensor<384x32xf32>)
    -> (tensor<384x?xf32>, tensor<384x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<384x?xf32>) -> tensor<384x?xf32>
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %wide : tensor<?x384xf32>, tensor<?x?xf32>) outs(%f : tensor<384x?xf32>) -> tensor<384x?xf32>
  %g = linalg.fill ins(%zero : f32) outs(%d : tensor<384x32xf32>) -> tensor<384x32xf32>
  %1 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %narrow : tensor<?x384xf32>, tensor<?x32xf32>) outs(%g : tensor<384x32xf32>) -> tensor<384x32xf32>
  return %0, %1 : tensor<384x?xf32>, tensor<384x32xf32>
}
func.func @short_sums(%a: tensor<32x?xf32>, %b: tensor<32x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<32x?xf32>, tensor<32x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Windows of an image whose channels are its last dimension: taps along the last
// axis and channels are one loop. Neighbouring windows begin twelve numbers apart.
// CHECK-DAG:   #[[$IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 12 + d5)>
// CHECK-DAG:   #[[$TAPS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x?x6xf32>, %[[W:.*]]: tensor<3x3x6x32xf32> {{.*}}, %[[C:.*]]: tensor<?x?x?x32xf32>)
// CHECK-DAG:     %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]]
// CHECK-DAG:     %[[B:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2], [3]]
// CHECK:         %[[P:.*]] = linalg.pack %[[B]] {{.*}} tensor<3x18x32xf32> -> tensor<1x3x18x32xf32>
// CHECK:         symshape_kernel.contract ins(%[[A]], %[[P]]
// CHECK-SAME:      attributes {maps = [#[[$IMAGE]], #[[$TAPS]],
func.func @windows(%x: tensor<?x?x?x6xf32>, %w: tensor<3x3x6x32xf32> {symshape.weight = "w"}, %c: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x6xf32>, tensor<3x3x6x32xf32>) outs(%f : tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32>
  return %0 : tensor<?x?x?x32xf32>
}
