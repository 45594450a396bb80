// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: functions of elements keep the extents of their operands.
// CHECK-LABEL: func.func @elementwise(
// CHECK: math.absf {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: math.exp {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: math.fma {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: math.powf {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: math.isnan {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>]}
// CHECK: math.sincos {{.*}} {symshape.extents = [#symshape.shape<[N, 4]>, #symshape.shape<[N, 4]>]}
func.func @elementwise(%a: tensor<?x4xf32> {symshape.shape = #symshape.shape<[N, 4]>})
    -> (tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = math.absf %a : tensor<?x4xf32>
  %1 = math.exp %0 : tensor<?x4xf32>
  %2 = math.fma %0, %1, %a : tensor<?x4xf32>
  %3 = math.powf %2, %a : tensor<?x4xf32>
  %4 = math.isnan %3 : tensor<?x4xf32>
  %5, %6 = math.sincos %3 : tensor<?x4xf32>
  return %4, %5, %6 : tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Positive: two operands must have equal extents.
// GUARD-LABEL: func.func @two_operands.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must equal extent of argument #1 dim 0 (M{{.*}}needed by math.atan2
func.func @two_operands(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                        %b: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>})
    -> tensor<?xf32> {
  %r = math.atan2 %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Positive: the absolute value of a number in range.
// CHECK-LABEL: func.func @absolute(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[max(-N + 5, N - 5), N]>]}
func.func @absolute(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %d = arith.subi %n, %c5 : index
  %0 = math.absi %d : index
  %1 = math.absi %n : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Must not fire: the absolute value of the least i8 is itself, and -128 + 127 is
// not 255.
// CHECK-LABEL: func.func @absolute_wraps(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @absolute_wraps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 127]>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant -128 : i8
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i8
  %d = arith.addi %i, %c128 : i8
  %a = math.absi %d : i8
  %size = arith.index_castui %a : i8 to index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: a small constant power, where it fits or is by 0 or 1.
// CHECK-LABEL: func.func @power(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N*N*N, 1, N]>]}
func.func @power(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 1000]>]} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i3 = arith.constant 3 : i64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %cube = math.ipowi %i, %i3 : i64
  %one = math.ipowi %i, %i0 : i64
  %same = math.ipowi %i, %i1 : i64
  %0 = arith.index_cast %cube : i64 to index
  %1 = arith.index_cast %one : i64 to index
  %2 = arith.index_cast %same : i64 to index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Must not fire: the square of a dim may wrap; a negative power is not the
// reciprocal.
// CHECK-LABEL: func.func @power_wraps(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @power_wraps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %i2 = arith.constant 2 : i64
  %minus1 = arith.constant -1 : i64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %square = math.ipowi %i, %i2 : i64
  %inverse = math.ipowi %i, %minus1 : i64
  %0 = arith.index_cast %square : i64 to index
  %1 = arith.index_cast %inverse : i64 to index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: a count of bits is at most the width, so it selects in range.
// CHECK-LABEL: func.func @bit_counts(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N]>]}
func.func @bit_counts(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %x: i32)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : i32
  %zero = arith.constant 0 : i32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = math.ctlz %x : i32
  %1 = math.cttz %x : i32
  %2 = math.ctpop %x : i32
  %sum = arith.addi %0, %1 : i32
  %all = arith.addi %sum, %2 : i32
  %c96 = arith.constant 96 : i32
  %fits = arith.cmpi sle, %all, %c96 : i32
  %positive = arith.cmpi sge, %all, %zero : i32
  %both = arith.andi %fits, %positive : i1
  %size = arith.select %both, %n, %c0 : index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: a count of bits can be the width itself (of 0), so one less
// decides nothing.
// CHECK-LABEL: func.func @bit_count_is_width(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<["<= N"]>]}
func.func @bit_count_is_width(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %x: i32)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : i32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = math.ctlz %x : i32
  %fits = arith.cmpi sle, %0, %c31 : i32
  %size = arith.select %fits, %n, %c0 : index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}
