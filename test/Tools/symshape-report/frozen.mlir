// RUN: split-file %s %t
// RUN: not symshape-report --frozen %t/plain.mlir 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/plain.mlir && symshape-report --frozen %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/bound.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=BOUND < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/narrow.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=NARROW < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/wide.mlir && symshape-report --frozen %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/expression.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=EXPRESSION < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/inner.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=INNER < %t/out.mlir
// RUN: symshape-report --frozen --fix=%t/out.mlir %t/data.mlir && symshape-report --frozen %t/out.mlir
// RUN: FileCheck %s --check-prefix=DATA < %t/out.mlir
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
// EXPRESSION: symshape.assume = [#symshape.fact<"s0 + 1 == s2">]
// EXPRESSION: symshape.assume = [#symshape.fact<"2*N == s0">]
// INNER:      module @inner
// INNER-NEXT: symshape.assume = [#symshape.fact<"s0 == s1">]
// DATA:       symshape.assert "v0 <= v1" (v0 = %n, v1 = %{{.*}}), "what tensor.extract needs"
// DATA:       symshape.assume = [#symshape.fact<"8 | s0">]
// DATA:       symshape.assume = [#symshape.fact<"s0*s1 == s2">]
// DATA:       scf.if
// DATA:         symshape.assert "v0 == v1" (v0 = %{{.*}}, v1 = %{{.*}}), "what linalg.add needs"
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

//--- expression.mlir
// A dim that is declared as more than a name has no other: the fact is about what
// is declared.
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32> {symshape.shape = #symshape.shape<["s0 + 1"]>}, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%b, %c : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @g(%a: tensor<?xf32> {symshape.shape = #symshape.shape<["2*N"]>}, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- inner.mlir
// A module inside of another one.
module @inner {
  func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
    %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}

//--- data.mlir
// In a loop, of a quotient, of a product, in a function that one branch calls.
func.func @loop(%a: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {
    %v = tensor.extract %a[%i] : tensor<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}
func.func @quotient(%a: tensor<?xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %l = tensor.dim %a, %c0 : tensor<?xf32>
  %n = arith.divui %l, %c8 : index
  %r = tensor.expand_shape %a [[0, 1]] output_shape [%n, 8] : tensor<?xf32> into tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @product(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = linalg.add ins(%f, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @branch(%a: tensor<?xf32>, %b: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  %r = scf.if %p -> tensor<?xf32> {
    %q = func.call @added(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func private @added(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
