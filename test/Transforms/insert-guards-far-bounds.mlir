// RUN: not symshape-run %s --entry=least --input=2xi64=iota 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: sed -n '/[A]FTER/,$p' %s > %t.mlir
// RUN: not symshape-run %t.mlir --entry=next --input=2xi64=iota 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: not symshape-run %t.mlir --entry=most --input=2xi64=iota 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not symshape-run %t.mlir --entry=negated --input=2xi64=iota 2>&1 | FileCheck %s --check-prefix=NEGATED

// Bounds at the ends of 64 bits: what moves to the other side may be beyond them.

// LEAST: error: requirement can never hold: element [0] of %s must be at least 9223372036854775808
func.func @least(%s: tensor<2xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %least = arith.constant -9223372036854775808 : index
  %k = tensor.extract %s[%c0] : tensor<2xi64>
  %n = arith.index_cast %k : i64 to index
  %m = arith.addi %n, %least overflow<nsw> : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}
// AFTER the one that is refused when it is compiled.
// NEXT: error: symshape: @next: element [0] of %s (0) must be at least 9223372036854775807
func.func @next(%s: tensor<2xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant -9223372036854775807 : index
  %k = tensor.extract %s[%c0] : tensor<2xi64>
  %n = arith.index_cast %k : i64 to index
  %m = arith.addi %n, %most overflow<nsw> : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}
// MOST: error: symshape: allocation refused: expected at most 2^47 bytes, but got 9223372036854775807xf32
func.func @most(%s: tensor<2xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant 9223372036854775807 : index
  %k = tensor.extract %s[%c0] : tensor<2xi64>
  %n = arith.index_cast %k : i64 to index
  %m = arith.addi %n, %most overflow<nsw> : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}
// NEGATED: error: symshape: @negated: element [0] of %s (0) must be at most -9223372036854775808
func.func @negated(%s: tensor<2xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %least = arith.constant -9223372036854775808 : index
  %k = tensor.extract %s[%c0] : tensor<2xi64>
  %n = arith.index_cast %k : i64 to index
  %m = arith.subi %least, %n overflow<nsw> : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}
