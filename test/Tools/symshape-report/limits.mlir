// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --format=json | FileCheck %s --check-prefix=JSON

// Of a range only the ends are shown that say more than that an extent is one;
// programs get both.
// CHECK:      symbol A: %x dim 0
// CHECK-NEXT: symbol B in [0, 64]: %x dim 1
// CHECK-NEXT: symbol C >= 3: %x dim 2
// CHECK-NEXT: symbol D in [5, 9]: %x dim 3
// CHECK-NEXT: symbol E in [0, 281474976710654]: %x dim 4
// JSON:     "range": "[0, 281474976710655]"
// JSON:     "range": "[0, 64]"
// JSON:     "range": "[3, 281474976710655]"
// JSON:     "range": "[5, 9]"
func.func @limits(%x: tensor<?x?x?x?x?xf32> {symshape.shape = #symshape.shape<[A, B, C, D, E]>})
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [0, 64]>, #symshape.symbol<"C", range = [3, 281474976710655]>,
                                    #symshape.symbol<"D", range = [5, 9]>, #symshape.symbol<"E", range = [0, 281474976710654]>]} {
  return
}
