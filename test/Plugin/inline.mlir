// MLIR's inliner keeps calls of functions whose signature it would lose, also in
// stock mlir-opt, which registers MLIR's own interface before it loads a plug-in.
// REQUIRES: plugin
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --inline | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(inline{inlining-threshold=1000000},canonicalize,cse,inline)' | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(symshape-infer-shapes,inline,symshape-insert-guards)' | FileCheck %s --check-prefix=OPS
// RUN: symshape-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func private @residue(
// CHECK-SAME:    multiple_of = 8
// CHECK-LABEL: func.func private @fact(
// CHECK-SAME:    symshape.assume
// CHECK-LABEL: func.func private @returns(
// CHECK-NOT:   func.func private @plain(
// CHECK-LABEL: func.func @main(
// CHECK:         call @residue(
// CHECK:         call @fact(
// CHECK-NOT:     call @plain(
// CHECK:         call @returns(

// Where signatures are ops first, all is inlined, and what they said is checked.
// OPS-NOT:   call @residue(
// OPS:       func.func @main(
// OPS:         symshape.guard_function = @main.guard
func.func private @residue(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64], multiple_of = 8>]} {
  return %x : tensor<?xf32>
}
func.func private @fact(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                        %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?xf32>
    attributes {symshape.assume = [#symshape.fact<"N <= M">]} {
  return %x : tensor<?xf32>
}
func.func private @returns(%x: tensor<?xf32>) -> (tensor<?xf32> {symshape.shape = #symshape.shape<[8]>}) {
  return %x : tensor<?xf32>
}
func.func private @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @residue(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @fact(%x, %0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = call @plain(%1) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = call @returns(%2) : (tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}
