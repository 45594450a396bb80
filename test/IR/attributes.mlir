// RUN: symshape-opt %s | FileCheck %s
// RUN: symshape-opt %s | symshape-opt | FileCheck %s
// RUN: symshape-opt %s --mlir-print-op-generic | symshape-opt | FileCheck %s

// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    tensor<?x?x64xf32> {symshape.name = "q", symshape.shape = #symshape.shape<[B, L, 64]>}
// CHECK-SAME:    tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, S, 64]>, symshape.weight = "k.weight"}
// CHECK-SAME:    -> (tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[B, L, "<= S"]>})
// CHECK-SAME:    symshape.assume = [#symshape.fact<"L <= S">]
// CHECK-SAME:    symshape.symbols = [#symshape.symbol<"B", range = [1, 64]>, #symshape.symbol<"S", range = [0, 4096], multiple_of = 8, likely = [128, 1024]>]
func.func @scores(
    %q: tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, L, 64]>, symshape.name = "q"},
    %k: tensor<?x?x64xf32> {symshape.shape = #symshape.shape<[B, S, 64]>, symshape.weight = "k.weight"})
    -> (tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[B, L, "<= S"]>})
    attributes {
      symshape.symbols = [#symshape.symbol<"B", range = [1, 64]>,
                          #symshape.symbol<"S", range = [0, 4096], multiple_of = 8, likely = [128, 1024]>],
      symshape.assume = [#symshape.fact<"L <= S">]} {
  %c0 = arith.constant 0 : index
  // CHECK: tensor.empty({{.*}}) {symshape.extents = [#symshape.shape<[0, ?, "<= 4"]>]}
  %e = tensor.empty(%c0, %c0, %c0) {symshape.extents = [#symshape.shape<[0, ?, "<= 4"]>]} : tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// The forms of a symbol, each printed in its canonical one.
// CHECK-LABEL: func.func private @symbols()
// CHECK-SAME:    #symshape.symbol<"a">
// CHECK-SAME:    #symshape.symbol<"b">
// CHECK-SAME:    #symshape.symbol<"c", range = [-inf, inf]>
// CHECK-SAME:    #symshape.symbol<"d", range = [-8, -2], residue = [3, 5]>
// CHECK-SAME:    #symshape.symbol<"e", multiple_of = 16>
// CHECK-SAME:    #symshape.symbol<"f", range = [0, 0]>
// CHECK-SAME:    #symshape.symbol<"g", policy = dynamic, likely = [8]>
// CHECK-SAME:    #symshape.symbol<"h", policy = static>
// CHECK-SAME:    #symshape.symbol<"i">
func.func private @symbols() attributes {symshape.symbols = [
    #symshape.symbol<"a">,
    #symshape.symbol<"b", range = [0, inf], multiple_of = 1, likely = []>,
    #symshape.symbol<"c", range = [-inf, inf]>,
    #symshape.symbol<"d", range = [-8, -2], residue = [-2, 5]>,
    #symshape.symbol<"e", residue = [16, 16]>,
    #symshape.symbol<"f", range = [0, 0]>,
    #symshape.symbol<"g", likely = [8], policy = dynamic>,
    #symshape.symbol<"h", policy = static>,
    #symshape.symbol<"i", policy = auto>]}

// Expressions are held in canonical form; a quoted extent reads the same.
// CHECK-LABEL: func.func private @expressions(
// CHECK-SAME:    #symshape.shape<[2*L, L floordiv 2, bc(A, B), max(A, B)]>
// CHECK-SAME:    #symshape.shape<[L + 1, 0]>
// CHECK-SAME:    #symshape.shape<[]>
func.func private @expressions(
    tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[L + L, (L) floordiv 2, bc(A, B), max(B, A)]>},
    memref<?x0xf32> {symshape.shape = #symshape.shape<["L+1", L - L]>},
    tensor<f32> {symshape.shape = #symshape.shape<[]>})

// A name that is no plain identifier keeps its quotes.
// CHECK-LABEL: func.func private @quoted_names(
// CHECK-SAME:    #symshape.shape<["%q.0"]>
func.func private @quoted_names(tensor<?xf32> {symshape.shape = #symshape.shape<["%q.0"]>})

// CHECK-LABEL: func.func private @facts(
// CHECK-SAME:    #symshape.fact<"L <= S">
// CHECK-SAME:    #symshape.fact<"L + 1 <= S">
// CHECK-SAME:    #symshape.fact<"8 | S">
// CHECK-SAME:    #symshape.fact<"L != S">
// CHECK-SAME:    #symshape.fact<"L == 2*S">
func.func private @facts(tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, S]>})
    attributes {symshape.assume = [#symshape.fact<"S >= L">, #symshape.fact<"L < S">,
                                   #symshape.fact<"8 | S">, #symshape.fact<"L != S">,
                                   #symshape.fact<"L == S + S">]}

// Relations under and, or, not, as guards are.
// CHECK-LABEL: func.func private @formulas(
// CHECK-SAME:    #symshape.fact<"L == 1 or L == S">
// CHECK-SAME:    #symshape.fact<"(L == 1 and not 2 | S) or S <= L">
// CHECK-SAME:    #symshape.fact<"L != S">
func.func private @formulas(tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, S]>})
    attributes {symshape.assume = [#symshape.fact<"L == 1 or (L == S)">,
                                   #symshape.fact<"(L == 1 and not 2 | S) or L >= S">,
                                   #symshape.fact<"not (L == S)">]}

// A name in quotes may be anything; a word of problem files prints in quotes.
// CHECK-LABEL: func.func private @names_in_quotes(
// CHECK-SAME:    #symshape.shape<["\22batch size\22", "B - \22push\22"]>
func.func private @names_in_quotes(
    tensor<?x?xf32> {symshape.shape = #symshape.shape<["\22batch size\22", B - push]>},
    tensor<?xf32> {symshape.shape = #symshape.shape<[B]>},
    tensor<?xf32> {symshape.shape = #symshape.shape<[push]>})

// Versions; sides of an equality stay where they were written.
// CHECK-LABEL: func.func private @versions(
// CHECK-SAME:    symshape.versions = [#symshape.version<"decode", ["1 == L"]>, #symshape.version<"wide", ["16 | L", "B + 1 <= 8"]>]
func.func private @versions(tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>})
    attributes {symshape.versions = [#symshape.version<"decode", ["1 == L"]>, #symshape.version<"wide", ["16 | L", "B < 8"]>]}
