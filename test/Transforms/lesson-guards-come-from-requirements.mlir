// RUN: symshape-opt %s --symshape-insert-guards --split-input-file | FileCheck %s

// A guard says what an op needs, and nothing about values that were seen, sizes 0
// and 1, arguments that nobody reads, or code that is not reached.

// Must not fire: likely values are no facts, and no size is special.
// CHECK-LABEL: func.func @likely.guard(
// CHECK-SAME:    symshape.messages = ["{{[^"]*}}at most 2^48 - 1{{[^"]*}}"]}
func.func @likely(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[L, 8]>}, %unused: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"L", likely = [20]>]} {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: one part of the condition is false, so what the branch needs is
// needed by nobody.
// CHECK-LABEL: func.func @never_reached.guard(
// CHECK-SAME:    symshape.messages = ["{{[^"]*}}at most 2^48 - 1{{[^"]*}}", "{{[^"]*}}(declared range)", "{{[^"]*}}(declared range)"]}
func.func @never_reached(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}, %flag: i1) -> f32
    attributes {symshape.symbols = [#symshape.symbol<"L", range = [1, 4]>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %l = tensor.dim %x, %c0 : tensor<?xf32>
  %big = arith.cmpi sge, %l, %c8 : index
  %both = arith.andi %big, %flag : i1
  %r = scf.if %both -> f32 {
    %c7 = arith.constant 7 : index
    %e = tensor.extract %x[%c7] : tensor<?xf32>
    scf.yield %e : f32
  } else {
    scf.yield %zero : f32
  }
  return %r : f32
}

// -----

// Positive: what one op needs is checked once, however many need it, and what
// follows from it not at all.
// CHECK-LABEL: func.func @once.guard(
// CHECK-SAME:    symshape.messages = ["{{[^"]*}}at most 2^48 - 1{{[^"]*}}", "{{[^"]*}}(L = {0}) must be at least 8{{[^"]*}}"]}
func.func @once(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> (tensor<2xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = tensor.extract_slice %x[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %b = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %c = tensor.extract_slice %x[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  %d = tensor.extract_slice %x[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
}
