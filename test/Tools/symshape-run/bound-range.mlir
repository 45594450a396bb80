// RUN: symshape-run %s --input=9xf32=iota --input=i64=3 | FileCheck %s
// RUN: not symshape-run %s --input=9xf32=iota --input=i64=7 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not symshape-run %s --entry=dim --input=7xf32=iota 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not symshape-run %s --entry=assumed --input=7xf32=iota 2>&1 | FileCheck %s --check-prefix=ASSUMED

// What is declared of a name that the body binds is checked where it is bound:
// what is proved from it, such as the assert, is no longer checked.
// CHECK:   3xf32: [0, 1, 2]
// DATA:    error: symshape: @main: {{.*}} (7) must be at most 4
// DIM:     error: symshape: @dim: guard failed: extent of %x dim 0 (s0 = 7) must be at most 4
// ASSUMED: error: symshape: @assumed: guard failed: extent of %x dim 0 (s0 = 7) must be at most 4
func.func @main(%x: tensor<?xf32>, %i: i64) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 4]>]} {
  %n = arith.index_cast %i : i64 to index
  %e = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %b = symshape.bind_shape %e [N] : tensor<?xf32>
  %k = symshape.size "N"
  %c5 = arith.constant 5 : index
  %ok = arith.cmpi ult, %k, %c5 : index
  cf.assert %ok, "small"
  return %b : tensor<?xf32>
}
func.func @dim(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 4]>]} {
  %b = symshape.bind_shape %x [N] : tensor<?xf32>
  return %b : tensor<?xf32>
}
func.func @assumed(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N">], symshape.assume = [#symshape.fact<"N <= 4">]} {
  %b = symshape.bind_shape %x [N] : tensor<?xf32>
  return %b : tensor<?xf32>
}
