// RUN: symshape-run %s --input=8xi64=iota --input=index=2 | FileCheck %s
// RUN: not symshape-run %s --input=8xi64=iota --input=index=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not symshape-run %s --input=8xi64=iota --input=index=64 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not symshape-run %s --entry=constant --input=8xi64=iota 2>&1 | FileCheck %s --check-prefix=CONSTANT

// A shift by as many bits as there are, or by a negative number, has no value:
// whatever a check makes of it would be arbitrary.
// CHECK:    4xi64: [0, 1, 2, 3]
// NEGATIVE: error: symshape: @main: {{.*}} (-2) must be at least 0
// LARGE:    error: symshape: @main: {{.*}} (64) must be
// CONSTANT: error: requirement can never hold: {{.*}}-2{{.*}}
func.func @main(%x: tensor<?xi64>, %n: index) -> tensor<?xi64> {
  %c1 = arith.constant 1 : index
  %s = arith.shli %c1, %n : index
  %e = tensor.extract_slice %x[0] [%s] [1] : tensor<?xi64> to tensor<?xi64>
  return %e : tensor<?xi64>
}
func.func @constant(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c = arith.constant -2 : index
  %c5 = arith.constant 5 : index
  %s = index.shrs %c5, %c
  %e = tensor.extract_slice %x[0] [%s] [1] : tensor<?xi64> to tensor<?xi64>
  return %e : tensor<?xi64>
}
