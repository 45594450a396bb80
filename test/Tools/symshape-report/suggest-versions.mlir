// RUN: symshape-report %s --suggest-versions --cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: symshape-report %s --suggest-versions --cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: symshape-report %s --suggest-versions --cpu=x86-64-v4 --format=json | FileCheck %s --check-prefix=JSON
// RUN: not symshape-report %s --suggest-versions --cpu=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed '/^func.func @scores/,$d' %s | symshape-report - --suggest-versions | FileCheck %s --check-prefix=NONE

// Rows are no columns; the columns of the callee are those of its caller; half of
// the width divides the half of the columns. Of what is declared already, and of
// what no call meets, nothing is said.
// CHECK-NOT:    "M
// WIDE:         @scores: #symshape.version<"K_24", ["24 | K"]>
// NARROW:       @scores: #symshape.version<"K_12", ["12 | K"]>
// CHECK-NEXT:     {{[12]}} of {{[34]}} contractions with a dynamic number of columns gain: panels of three vectors, each of them whole
// WIDE:         @scores: #symshape.version<"N_48", ["48 | N"]>
// NARROW:       @scores: #symshape.version<"N_24", ["24 | N"]>
// CHECK-NEXT:     {{[12]}} of {{[34]}} contractions
// WIDE:         @plain: name dim 1 of %y 's0', and declare #symshape.version<"s0_48", ["48 | s0"]>
// NARROW:       @plain: name dim 1 of %y 's0', and declare #symshape.version<"s0_24", ["24 | s0"]>
// CHECK-NOT:    {{^}}@
// JSON:         "contractions": 1,
// JSON-NEXT:    "declaration": "#symshape.version<\"K_24\", [\"24 | K\"]>",
// JSON-NEXT:    "divisor": 24,
// JSON-NEXT:    "function": "scores",
// JSON-NEXT:    "of": 4,
// JSON-NEXT:    "symbol": "K"
// UNKNOWN:      error: {{.*}}'abacus'
// NONE:         no version of which code generation would make use
func.func @rows(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[M, 8]>}, %w: tensor<8x32xf32>,
                %unnamed: tensor<?xf32> {symshape.shape = #symshape.shape<[?]>}) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
func.func @scores(%x: tensor<3x8xf32>, %y: tensor<8x?xf32> {symshape.weight = "y", symshape.shape = #symshape.shape<[8, 2*K]>},
                  %z: tensor<8x?xf32> {symshape.weight = "z", symshape.shape = #symshape.shape<[8, N]>},
                  %odd: tensor<8x?xf32> {symshape.weight = "odd", symshape.shape = #symshape.shape<[8, O]>})
    -> (tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"O", residue = [1, 2]>]} {
  %0 = call @product(%x, %y) : (tensor<3x8xf32>, tensor<8x?xf32>) -> tensor<3x?xf32>
  %1 = call @product(%x, %z) : (tensor<3x8xf32>, tensor<8x?xf32>) -> tensor<3x?xf32>
  %2 = call @product(%x, %odd) : (tensor<3x8xf32>, tensor<8x?xf32>) -> tensor<3x?xf32>
  return %0, %1, %2 : tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xf32>
}
func.func private @product(%x: tensor<3x8xf32>, %y: tensor<8x?xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %y, %c1 : tensor<8x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x8xf32>, tensor<8x?xf32>) outs(%f : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
func.func @plain(%x: tensor<3x8xf32>, %y: tensor<8x?xf32> {symshape.weight = "y"}) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %y, %c1 : tensor<8x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x8xf32>, tensor<8x?xf32>) outs(%f : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
// Must not fire: what is not packed runs in panels of two vectors.
func.func @by_panel(%x: tensor<3x8xf32>, %y: tensor<8x?xf32> {symshape.shape = #symshape.shape<[8, P]>}) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %y, %c1 : tensor<8x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x8xf32>, tensor<8x?xf32>) outs(%f : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
