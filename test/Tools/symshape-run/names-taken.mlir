// RUN: symshape-run %s --input=3xf32=iota --input=2xf32=iota --verbose 2>&1 | FileCheck %s
// RUN: symshape-run %s --dynamic=never --input=3xf32=iota --input=2xf32=iota | FileCheck %s --check-prefix=RESULT
// RUN: not symshape-run %s --input=3xf32=iota --input=5xf32=iota 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not symshape-run %s --input=9xf32=iota --input=2xf32=iota 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: symshape-opt %s --symshape-insert-guards --symshape-specialize | FileCheck %s --check-prefix=OPT

// Functions of the user with names that passes or the runtime would give.
// CHECK:  version few
// CHECK:  3xf32: [0, 2.7182{{[0-9]*}}, 14.778{{[0-9]*}}]
// RESULT: 3xf32: [0, 2.7182{{[0-9]*}}, 14.778{{[0-9]*}}]
// INNER:  error: symshape: @main.guard: %k (4)
// INNER-SAME: must be less than extent of %x dim 0
// GUARD:  error: symshape: @main: guard failed: extent of %x dim 0 (N = 9) must be at most 8
// OPT:    func.func @main.guard_0(%{{.*}}: index, %{{.*}}: index) -> i32
// OPT:    func.func private @main.guard.tell_0(
// OPT:    call @main.guard_0(
// OPT:    func.func private @main.few_0(
// OPT:    func.func private @main.guard(
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %i: tensor<?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 8]>],
                symshape.versions = [#symshape.version<"few", ["N <= 4"]>]} {
  %0 = call @main.guard(%x, %i) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = call @main.guard.tell(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = call @main.version(%1) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = call @main.few(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = call @malloc(%3) : (tensor<?xf32>) -> tensor<?xf32>
  %5 = call @symshape.shared.0(%4) : (tensor<?xf32>) -> tensor<?xf32>
  %6 = call @exp(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %7 = call @main.prepare(%5, %6) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %7 : tensor<?xf32>
}
// As many elements as the last one of %i says.
func.func private @main.guard(%x: tensor<?xf32>, %i: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %i, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c1 : index
  %f = tensor.extract %i[%m] : tensor<?xf32>
  %k = arith.fptosi %f : f32 to i32
  %j = arith.index_cast %k : i32 to index
  %e = tensor.extract %x[%j] : tensor<?xf32>
  return %x : tensor<?xf32>
}
func.func private @main.guard.tell(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func private @main.version(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func private @main.few(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func private @malloc(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func private @symshape.shared.0(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func private @exp(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @main.prepare(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  %0 = arith.mulf %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
