// RUN: symshape-opt %s --symshape-declare="spec='f: arg 0 dim 0 = B dynamic [1, 64]; %%y dim 0 static; arg 1 dim 1 multiple_of 8 [0, inf]; g: arg 0 dim 0 [-inf, 9]'" | FileCheck %s

// A name that is given, one that is there, and one that is made.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    tensor<?x?x4xf32> {symshape.shape = #symshape.shape<[B, ?, 4]>}
// CHECK-SAME:    tensor<?x?xf32> {symshape.name = "%y", symshape.shape = #symshape.shape<[L, d1_1]>}
// CHECK-SAME:    symshape.symbols = [#symshape.symbol<"K", range = [0, 3]>, #symshape.symbol<"B", range = [1, 64], policy = dynamic>,
// CHECK-SAME:      #symshape.symbol<"L", range = [2, 9], policy = static, likely = [4]>, #symshape.symbol<"d1_1", multiple_of = 8>]
func.func @f(%x: tensor<?x?x4xf32>, %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, ?]>, symshape.name = "%y"})
    attributes {symshape.symbols = [#symshape.symbol<"K", range = [0, 3]>, #symshape.symbol<"L", range = [2, 9], likely = [4]>]} {
  return
}

// CHECK-LABEL: func.func @g(
// CHECK-SAME:    #symshape.symbol<"N", range = [-inf, 9]>
func.func @g(%x: memref<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  return
}
