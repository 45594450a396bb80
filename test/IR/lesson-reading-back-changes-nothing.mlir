// RUN: symshape-opt %s > %t.once
// RUN: FileCheck %s < %t.once
// RUN: symshape-opt %t.once | diff %t.once -
// RUN: symshape-opt %s --emit-bytecode -o %t.bc
// RUN: symshape-opt %t.bc | diff %t.once -

// What is written is read as what it was: a range from 0 stays one, a quotient a
// quotient, and parentheses stay where they matter.

// CHECK:      #symshape.shape<[S, (S + 1) floordiv 2, 3*((S + T) floordiv 4), min(S, T)]>
// CHECK-SAME: symshape.assume = [#symshape.fact<"2*(T floordiv 2) == T">
// CHECK-SAME: #symshape.symbol<"S">
// CHECK-SAME: #symshape.symbol<"T", range = [0, 1]
// CHECK-SAME: #symshape.symbol<"U">
func.func @main(%x: tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[S, (S + 1) floordiv 2, 3*((S + T) floordiv 4), min(S, T)]>},
                %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[T, U]>})
    attributes {symshape.symbols = [#symshape.symbol<"S", range = [0, inf]>, #symshape.symbol<"T", range = [0, 1], residue = [1, 2]>, #symshape.symbol<"U">],
                symshape.assume = [#symshape.fact<"(T floordiv 2)*2 == T">]} {
  return
}
