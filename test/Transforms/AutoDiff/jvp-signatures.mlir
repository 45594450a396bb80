// RUN: symshape-opt %s --symshape-jvp="function=main wrt=0" | FileCheck %s

// What the signature of a callee declares is asserted where it is inlined, each
// time; a name may need quotes.
func.func private @product(%x: tensor<?xf32> {symshape.shape = #symshape.shape<["\"a b\""]>},
                           %y: tensor<?xf32> {symshape.shape = #symshape.shape<["\"a b\""]>}) -> tensor<?xf32> {
  %r = arith.mulf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @product(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %s = call @product(%r, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
// CHECK-LABEL: func.func @main.jvp(
// CHECK-COUNT-2: symshape.assert {{.*}}, "declared shape"
// CHECK-NOT:     call @product
// CHECK:         return
