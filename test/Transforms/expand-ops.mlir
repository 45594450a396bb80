// RUN: symshape-opt %s --symshape-expand-ops --canonicalize | FileCheck %s

// Positive: a size of operands and of names of the signature, in 64 bits where
// the ranges say that they suffice.
// CHECK-LABEL: func.func @size_of_names(
// CHECK-NOT:     i128
// CHECK:         %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         %[[R:.*]] = arith.index_cast %[[P]] : i64 to index
// CHECK:         return %[[R]]
func.func @size_of_names(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>}) -> index
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [0, 64]>, #symshape.symbol<"L", range = [0, 4096]>]} {
  %s = symshape.size "B * L"
  return %s : index
}

// Positive: the sum of two integers that may be any is computed in 128 bits, so
// that the comparison is of the exact sum; and so is what is told of it.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: index, %[[Y:.*]]: index)
// CHECK-DAG:     %[[X64:.*]] = arith.index_cast %[[X]] : index to i64
// CHECK-DAG:     %[[XW:.*]] = arith.extsi %[[X64]] : i64 to i128
// CHECK-DAG:     %[[Y64:.*]] = arith.index_cast %[[Y]] : index to i64
// CHECK-DAG:     %[[YW:.*]] = arith.extsi %[[Y64]] : i64 to i128
// CHECK:         %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i128
// CHECK:         %[[FAILS:.*]] = arith.cmpi sgt, %[[S]], %{{.*}} : i128
// CHECK:         scf.if %[[FAILS]] {
// CHECK:           symshape.fail "@sum: assert failed: sum: x + y <= 9, but got {0:2} and {2}\0A  needed by symshape.assert at {{.*}}expand-ops.mlir:[[#@LINE+2]]:3"
func.func @sum(%x: index, %y: index) {
  symshape.assert "x + y <= 9" (x = %x, y = %y), "sum"
  return
}

// Positive: three factors of 64 bits need 192 bits.
// CHECK-LABEL: func.func @product(
// CHECK:         arith.muli %{{.*}}, %{{.*}} : i192
// CHECK:         arith.cmpi {{.*}} : i192
func.func @product(%x: index, %y: index, %z: index) {
  symshape.assert "x*y*z == 8" (x = %x, y = %y, z = %z), "product"
  return
}

// Positive: a division rounds to minus infinity, and one by zero does not trap.
// CHECK-LABEL: func.func @quotient(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %{{.*}}
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[D]]
// CHECK:         %[[Q:.*]] = arith.divsi %{{.*}}, %[[SAFE]]
// CHECK:         %[[LOWER:.*]] = arith.subi %[[Q]]
// CHECK:         arith.select %{{.*}}, %[[LOWER]], %[[Q]]
func.func @quotient(%x: index, %y: index) -> index {
  %s = symshape.size "x floordiv y" (x = %x, y = %y)
  return %s : index
}

// Positive: 0 divides 0 alone, also where the 0 is written down.
// CHECK-LABEL: func.func @zero_divides(
// CHECK-SAME:    %[[X:.*]]: index)
// CHECK:         %[[FAILS:.*]] = arith.cmpi ne
// CHECK:         scf.if %[[FAILS]]
// CHECK-NEXT:      symshape.fail
func.func @zero_divides(%x: index) {
  symshape.assert "0 | x" (x = %x), "zero"
  return
}

// Positive: a divisor that is not known may be zero.
// CHECK-LABEL: func.func @divides(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %{{.*}} : i128
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[D]]
// CHECK:         arith.remsi %{{.*}}, %[[SAFE]]
// CHECK:         arith.select
// CHECK:         symshape.fail
func.func @divides(%d: index, %x: index) {
  symshape.assert "d | x" (d = %d, x = %x), "multiple"
  return
}

// Positive: cf.assert, its message without placeholders of its own.
// CHECK-LABEL: func.func @cf_assert(
// CHECK-SAME:    %[[OK:.*]]: i1)
// CHECK:         %[[FAILS:.*]] = arith.xori %[[OK]]
// CHECK:         scf.if %[[FAILS]] {
// CHECK-NEXT:      symshape.fail "@cf_assert: assert failed: {{[{][{]}}braces}
func.func @cf_assert(%ok: i1) {
  cf.assert %ok, "{braces}"
  return
}

// Positive: what only carries facts is erased.
// CHECK-LABEL: func.func @carriers(
// CHECK-SAME:    %[[T:.*]]: tensor<?xf32>, %[[X:.*]]: index)
// CHECK-NEXT:    return %[[T]], %[[X]]
func.func @carriers(%t: tensor<?xf32>, %x: index) -> (tensor<?xf32>, index) {
  %u = symshape.bind_shape %t [N] : tensor<?xf32>
  %y = symshape.assume %x ["y <= 4"] (y) : index
  return %u, %y : tensor<?xf32>, index
}

// Positive: a name that an op binds, in 128 bits because it may be any extent.
// CHECK-LABEL: func.func @bound_by_op(
// CHECK-SAME:    %[[T:.*]]: tensor<?xf32>)
// CHECK:         %[[D:.*]] = tensor.dim %[[T]]
// CHECK-NOT:     symshape
// CHECK:         return
func.func @bound_by_op(%t: tensor<?xf32>) -> index {
  %u = symshape.bind_shape %t [N] : tensor<?xf32>
  %s = symshape.size "2*N + 1"
  return %s : index
}

// Positive: a name that is the quotient of a dim.
// CHECK-LABEL: func.func @quotient_of_dim(
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         %[[Q:.*]] = arith.divsi
// CHECK:         return
func.func @quotient_of_dim(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[8*N]>}) -> index {
  %s = symshape.size "N"
  return %s : index
}

// Positive: an operand hides a name of the signature.
// CHECK-LABEL: func.func @hides(
// CHECK-SAME:    %{{.*}}: tensor<?xf32>{{.*}}, %[[X:.*]]: index)
// CHECK-NEXT:    return %[[X]]
func.func @hides(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %x: index) -> index {
  %s = symshape.size "N" (N = %x)
  return %s : index
}

// Positive: inside of regions.
// CHECK-LABEL: func.func @in_branch(
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:             symshape.fail
func.func @in_branch(%x: index, %flag: i1) {
  scf.if %flag {
    symshape.assert "x <= 4" (x = %x), "small"
  }
  return
}

// What a program assumes has been used by now, and is in the way of buffers.
// CHECK-LABEL: func.func @assumed
// CHECK-NOT:     llvm.intr.assume
// CHECK:         return
func.func @assumed(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.cmpi sle, %n, %d : index
  llvm.intr.assume %c : i1
  return %x : tensor<?xf32>
}

// Positive: what is declared of a name that nothing binds is erased, but not
// where a version is chosen by it: symshape-specialize refuses that one.
// CHECK-LABEL: func.func @unbound_in_version(
// CHECK-SAME:    symshape.symbols = [#symshape.symbol<"n", range = [1, inf]>]
// CHECK-SAME:    symshape.versions = [#symshape.version<"v", ["n == 1"]>]
func.func @unbound_in_version(%n: index) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"m">, #symshape.symbol<"n", range = [1, inf]>],
                symshape.versions = [#symshape.version<"v", ["n == 1"]>]} {
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = symshape.bind_shape %e [n] : tensor<?xf32>
  return %y : tensor<?xf32>
}
