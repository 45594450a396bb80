// RUN: split-file %s %t
// RUN: not symshape-report --frozen %t/plain.mlir 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/plain.mlir && symshape-report --frozen %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/bound.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=BOUND < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/narrow.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=NARROW < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/wide.mlir && symshape-report --frozen %t/out.mlir
// RUN: not symshape-report --frozen --fix=%t/none.mlir %t/later.mlir 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not ls %t/none.mlir

// What nobody declared is a violation with --frozen; with --fix as well, what is
// written verifies, and has no violation left.

// PLAIN: note: to accept it, name dim 0 of %a 's0', dim 0 of %b 's1', and declare symshape.assume = [#symshape.fact<"s0 == s1">]
// BOUND: %b: tensor<?xf32> {symshape.shape = #symshape.shape<[s1]>}
// BOUND-SAME: #symshape.fact<"s1 <= 8">
// BOUND-SAME: #symshape.fact<"s0 == s1">
// NARROW: arith.index_cast {{.*}} : i8 to index
// NARROW: symshape.assert
// LATER: error: expected no requirement beyond what is declared
// LATER: to accept it, assert it before the op, or branch on it

//--- plain.mlir
// Not an attribute of the dialect anywhere, so nobody has loaded it.
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- bound.mlir
// A dim of which a bound is declared gets a name, and keeps the bound.
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32> {symshape.shape = #symshape.shape<["<= 8"]>}) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- narrow.mlir
// What is asserted is an index; the size is none.
func.func @f(%n: i8) -> tensor<?xf32> {
  %m = arith.index_cast %n : i8 to index
  %r = tensor.empty(%m) : tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- wide.mlir
func.func @f(%t: tensor<i64>) -> tensor<?xf32> {
  %n = tensor.extract %t[] : tensor<i64>
  %m = arith.index_cast %n : i64 to index
  %r = tensor.empty(%m) : tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- later.mlir
// The sizes of the reshape have no value before it: nothing can be asserted there.
func.func @f(%t: tensor<?x12xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  %r = tensor.reshape %t(%s) : (tensor<?x12xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
