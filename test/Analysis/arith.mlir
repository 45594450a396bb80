// RUN: symshape-opt %s --symshape-infer-shapes=annotate --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s --check-prefix=GUARD

// Positive: sums and products of dims are exact, since a dim has at most 48 bits.
// CHECK-LABEL: func.func @sums(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M + N, N - 1, 3*N]>]}
func.func @sums(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %sum = arith.addi %n, %m : index
  %difference = arith.subi %n, %c1 : index
  %product = arith.muli %n, %c3 : index
  %e = tensor.empty(%sum, %difference, %product) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: the dims of one tensor multiply to its size, which fits.
// CHECK-LABEL: func.func @size_of_tensor(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[M*N]>]}
func.func @size_of_tensor(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %product = arith.muli %n, %m : index
  %e = tensor.empty(%product) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: the dims of two tensors may multiply to more than an index holds.
// CHECK-LABEL: func.func @product_may_wrap(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @product_may_wrap(%t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %product = arith.muli %n, %m : index
  %e = tensor.empty(%product) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: the third dim may be 0, and then the other two multiply to
// anything.
// CHECK-LABEL: func.func @part_of_size_may_wrap(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @part_of_size_may_wrap(%t: tensor<?x?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?x?xf32>
  %product = arith.muli %n, %m : index
  %e = tensor.empty(%product) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: the declared ranges keep i32 arithmetic in range.
// CHECK-LABEL: func.func @i32_in_range(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[10*N + 7]>]}
func.func @i32_in_range(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 1000]>]} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %c10 = arith.constant 10 : i32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %product = arith.muli %i, %c10 : i32
  %sum = arith.addi %product, %c7 : i32
  %size = arith.index_cast %sum : i32 to index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: the sum fits i32 for N <= 127 only where it is computed in i32;
// in i8, 127 + 1 is -128.
// CHECK-LABEL: func.func @i8_wraps(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
func.func @i8_wraps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 127]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i8
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i8
  %sum = arith.addi %i, %c1 : i8
  %size = arith.index_cast %sum : i8 to index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: a product of i32 wraps; a flag that says so for unsigned numbers
// alone says nothing of signed ones.
// CHECK-LABEL: func.func @i32_wraps(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @i32_wraps(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 100000]>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %square = arith.muli %i, %i : i32
  %unsigned = arith.muli %i, %i overflow<nuw> : i32
  %size0 = arith.index_cast %square : i32 to index
  %size1 = arith.index_cast %unsigned : i32 to index
  %e = tensor.empty(%size0, %size1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: the flag says that the product does not wrap.
// CHECK-LABEL: func.func @no_signed_wrap(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N*N, 2*N, 4*N]>]}
func.func @no_signed_wrap(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %square = arith.muli %n, %n overflow<nsw> : index
  %twice = arith.addi %n, %n overflow<nsw, nuw> : index
  %shifted = arith.shli %n, %c2 overflow<nsw> : index
  %e = tensor.empty(%square, %twice, %shifted) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: on dims, which are not negative, all divisions by a positive constant
// round as they are called.
// CHECK-LABEL: func.func @quotients(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv 4, N floordiv 4, N floordiv 4, (N + 3) floordiv 4, (N + 3) floordiv 4]>]}
func.func @quotients(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = arith.divsi %n, %c4 : index
  %1 = arith.divui %n, %c4 : index
  %2 = arith.floordivsi %n, %c4 : index
  %3 = arith.ceildivsi %n, %c4 : index
  %4 = arith.ceildivui %n, %c4 : index
  %e = tensor.empty(%0, %1, %2, %3, %4) : tensor<?x?x?x?x?xf32>
  return %e : tensor<?x?x?x?x?xf32>
}

// -----

// Positive: remainders of dims, and a mask of low bits, are the same number.
// CHECK-LABEL: func.func @remainders(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N - 8*(N floordiv 8), N - 8*(N floordiv 8), N - 8*(N floordiv 8)]>]}
func.func @remainders(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = arith.remsi %n, %c8 : index
  %1 = arith.remui %n, %c8 : index
  %2 = arith.andi %n, %c7 : index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: a division of a negative number rounds to zero, one of a positive
// number by a negative one too: (3 - 10) / 2 = -3, (N + 7) / -2 is -(N + 7)/2.
// CHECK-LABEL: func.func @rounds_to_zero(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[3, 4, 1, (N + 1) floordiv 2 + 3]>]}
func.func @rounds_to_zero(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %minus2 = arith.constant -2 : index
  %minus7 = arith.constant -7 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  // -7 / 2 = -3; -7 floordiv 2 = -4; -7 rem 2 = -1.
  %q = arith.divsi %minus7, %two : index
  %f = arith.floordivsi %minus7, %two : index
  %r = arith.remsi %minus7, %two : index
  %m = arith.addi %n, %c7 : index
  %h = arith.divsi %m, %minus2 : index
  %0 = arith.subi %c0, %q : index
  %1 = arith.subi %c0, %f : index
  %2 = arith.subi %c0, %r : index
  %3 = arith.subi %c0, %h : index
  %e = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xf32>
  return %e : tensor<?x?x?x?xf32>
}

// -----

// Must not fire: the quotient of a number of unknown sign rounds to zero, so it
// is not the floor: (1 - N) / 2 is -((N - 1) floordiv 2) for N >= 1, else 0.
// CHECK-LABEL: func.func @quotient_of_any_sign(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N - max(0, N - 1) floordiv 2]>]}
func.func @quotient_of_any_sign(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %d = arith.subi %c1, %n : index
  %q = arith.divsi %d, %c2 : index
  %size = arith.addi %q, %n : index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: read as unsigned, a negative number is a large one. The lesser of it
// and 2 is at most 2 all the same.
// CHECK-LABEL: func.func @unsigned_of_negative(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?, ?, "<= 2", ?]>]}
func.func @unsigned_of_negative(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %d = arith.subi %n, %c1 : index
  %0 = arith.divui %d, %c2 : index
  %1 = arith.shrui %d, %c1 : index
  %2 = arith.maxui %d, %c2 : index
  %3 = arith.minui %d, %c2 : index
  %i = arith.index_cast %d : index to i64
  %w = arith.trunci %i : i64 to i32
  %x = arith.extui %w : i32 to i64
  %4 = arith.index_cast %x : i64 to index
  %e = tensor.empty(%0, %1, %2, %3, %4) : tensor<?x?x?x?x?xf32>
  return %e : tensor<?x?x?x?x?xf32>
}

// -----

// Positive: of a number of any sign and one that is not negative, the lesser as
// unsigned is not negative, and at most the latter.
// GUARD-LABEL: func.func @unsigned_min_of_any_sign(
// GUARD-NOT: symshape.fail
// GUARD: return
func.func @unsigned_min_of_any_sign(%t: tensor<4xf32>, %d: index, %m: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %0 = arith.minui %d, %c4 : index
  %1 = arith.minui %c4, %m : index
  %a = tensor.extract_slice %t[0] [%0] [1] : tensor<4xf32> to tensor<?xf32>
  %b = tensor.extract_slice %t[0] [%1] [1] : tensor<4xf32> to tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

// Must not fire: nothing is known of the lesser of two numbers of any sign, nor
// is the greater one bounded.
// GUARD-LABEL: func.func @unsigned_min_of_any_signs(
// GUARD-COUNT-4: symshape.fail
func.func @unsigned_min_of_any_signs(%t: tensor<4xf32>, %d: index, %m: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c4 = arith.constant 4 : index
  %0 = arith.minui %d, %m : index
  %1 = arith.maxui %d, %c4 : index
  %a = tensor.extract_slice %t[0] [%0] [1] : tensor<4xf32> to tensor<?xf32>
  %b = tensor.extract_slice %t[0] [%1] [1] : tensor<4xf32> to tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

// Positive: a divisor that may be 0 is checked, since 0 is an ordinary extent.
// GUARD-LABEL: func.func @divisor.guard(
// GUARD-SAME: extent of argument #1 dim 0 (M{{.*}} must not be 0{{.*}}needed by arith.divsi
// CHECK-LABEL: func.func @divisor(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N floordiv M]>]}
func.func @divisor(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                   %u: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %q = arith.divsi %n, %m : index
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: a divisor that is not 0 needs no check.
// GUARD-LABEL: func.func @divisor_is_positive.guard(
// GUARD-NOT: needed by arith.divsi
// GUARD-LABEL: func.func @divisor_is_positive(
func.func @divisor_is_positive(%t: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %m1 = arith.addi %m, %c1 : index
  %q = arith.divsi %n, %m1 : index
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Must not fire: by a divisor of unknown sign, rounding to zero is neither the
// floor nor the ceiling. It must be neither 0 nor, for the least number, -1.
// CHECK-LABEL: func.func @divisor_of_any_sign(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?]>]}
// GUARD-LABEL: func.func @divisor_of_any_sign(
// GUARD: symshape.fail "@divisor_of_any_sign: argument #1 ({0}) must not be 0{{.*}}needed by arith.divsi
// GUARD: arith.divsi
func.func @divisor_of_any_sign(%t: tensor<?xf32>, %d: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %q = arith.divsi %n, %d : index
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: shifts by constants are products and quotients by powers of two.
// CHECK-LABEL: func.func @shifts(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[8*N, N floordiv 8, N floordiv 8]>]}
func.func @shifts(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = arith.shli %n, %c3 : index
  %1 = arith.shrsi %n, %c3 : index
  %2 = arith.shrui %n, %c3 : index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Must not fire: a shift by 20 may push bits of a dim out of the index; one by
// any number is not a division by a constant.
// CHECK-LABEL: func.func @shift_too_far(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @shift_too_far(%t: tensor<?xf32>, %k: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %0 = arith.shli %n, %c20 : index
  %1 = arith.shrui %n, %k : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: minima and maxima of numbers that are not negative, of either sign
// reading.
// CHECK-LABEL: func.func @extrema(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[min(M, N), max(M, N), min(M, N), max(M, N)]>]}
func.func @extrema(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[N, M]>})
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %0 = arith.minsi %n, %m : index
  %1 = arith.maxsi %n, %m : index
  %2 = arith.minui %n, %m : index
  %3 = arith.maxui %n, %m : index
  %e = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xf32>
  return %e : tensor<?x?x?x?xf32>
}

// -----

// Positive: casts keep what fits.
// CHECK-LABEL: func.func @casts(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N, N, N]>]}
func.func @casts(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 100]>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %narrow = arith.trunci %i : i64 to i8
  %signed = arith.extsi %narrow : i8 to i32
  %0 = arith.index_cast %signed : i32 to index
  %unsigned = arith.extui %narrow : i8 to i32
  %1 = arith.index_castui %unsigned : i32 to index
  %same = arith.bitcast %i : i64 to i64
  %2 = arith.index_cast %same : i64 to index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Must not fire: 200 as i8 is -56.
// CHECK-LABEL: func.func @cast_cuts(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[?, ?]>]}
func.func @cast_cuts(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 200]>]} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %narrow = arith.trunci %i : i64 to i8
  %0 = arith.index_cast %narrow : i8 to index
  %direct = arith.index_cast %n : index to i8
  %1 = arith.index_castui %direct : i8 to index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// Positive: constants of narrow types are read as signed: 255 : i8 is -1, and
// true is -1 where it is widened as signed.
// CHECK-LABEL: func.func @constants(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N + 1, N + 1, N + 1]>]}
func.func @constants(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %byte = arith.constant 255 : i8
  %true = arith.constant true
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %b = arith.index_cast %byte : i8 to index
  %0 = arith.subi %n, %b : index
  %s = arith.index_cast %true : i1 to index
  %1 = arith.subi %n, %s : index
  %u = arith.index_castui %true : i1 to index
  %2 = arith.addi %n, %u : index
  %e = tensor.empty(%0, %1, %2) : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// -----

// Positive: on tensors, each op of arith keeps the extents of its operands, whose
// equality is required.
// CHECK-LABEL: func.func @elementwise(
// CHECK: arith.addf {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.truncf {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.muli {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.floordivsi {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.ceildivsi {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.cmpi {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.extui {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// CHECK: arith.sitofp {{.*}} {symshape.extents = [#symshape.shape<[M]>]}
// GUARD-LABEL: func.func @elementwise.guard(
// GUARD-SAME: extent of argument #0 dim 0 (N{{.*}} must equal extent of argument #1 dim 0 (M{{.*}}needed by arith.addf
func.func @elementwise(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                       %b: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>},
                       %i: tensor<?xi64> {symshape.shape = #symshape.shape<[N]>})
    -> (tensor<?xf16>, tensor<?xf32>) {
  %sum = arith.addf %a, %b : tensor<?xf32>
  %half = arith.truncf %sum : tensor<?xf32> to tensor<?xf16>
  %product = arith.muli %i, %i : tensor<?xi64>
  %down = arith.floordivsi %product, %i : tensor<?xi64>
  %up = arith.ceildivsi %down, %i : tensor<?xi64>
  %less = arith.cmpi slt, %up, %i : tensor<?xi64>
  %bits = arith.extui %less : tensor<?xi1> to tensor<?xi32>
  %float = arith.sitofp %bits : tensor<?xi32> to tensor<?xf32>
  return %half, %float : tensor<?xf16>, tensor<?xf32>
}

// -----

// Positive: the elements of a constant are known where it is read at a constant
// position.
// CHECK-LABEL: func.func @element_of_constant(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[7*N]>]}
func.func @element_of_constant(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sizes = arith.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xindex>
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %seven = tensor.extract %sizes[%c1, %c0] : tensor<2x2xindex>
  %size = arith.muli %n, %seven : index
  %e = tensor.empty(%size) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Positive: without its sign a narrow number is itself modulo 2^8; so are the
// upper bits of a wide one, and what is cut from them again has a sign.
// CHECK-LABEL: func.func @unsigned_is_modular(
// CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[N - 256*((N + 255) floordiv 256) + 255, (N + 15) floordiv 16 + 3]>]}
func.func @unsigned_is_modular(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 60]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c4_i64 = arith.constant 4 : i64
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %d = arith.subi %n, %c1 : index
  %i = arith.index_cast %d : index to i64
  %b = arith.trunci %i : i64 to i8
  %u = arith.extui %b : i8 to i16
  %0 = arith.index_castui %u : i16 to index
  %s = arith.shrui %i, %c4_i64 : i64
  %top = arith.trunci %s : i64 to i60
  %v = arith.index_cast %top : i60 to index
  %1 = arith.addi %v, %c4 : index
  %e = tensor.empty(%0, %1) : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
