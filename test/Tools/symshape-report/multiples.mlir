// RUN: symshape-report %s | FileCheck %s
// RUN: not symshape-run %s --entry=ceil --input=3xf32=zeros 2>&1 | FileCheck %s --check-prefix=CALL

// That halves make up the whole is said as what it means: 2 divides it.
// CHECK-LABEL: @floor
// CHECK:         guard: 2 must divide extent of %t dim 0 (S)
func.func @floor(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %h = arith.divsi %n, %c2 : index
  %r = tensor.expand_shape %t [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// CHECK-LABEL: @ceil
// CHECK:         guard: 2 must divide extent of %t dim 0 (S)
// CALL:          guard failed: 2 must divide extent of %t dim 0 (S = 3)
func.func @ceil(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[S]>}) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %h = arith.ceildivsi %n, %c2 : index
  %r = tensor.expand_shape %t [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// CHECK-LABEL: @stated
// CHECK:         guard: 8 must divide S + T
// CHECK:         guard: 4 must divide extent of %t dim 0 (S)
func.func @stated(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[S, T]>}) {
  symshape.assert "8*((S + T) floordiv 8) == S + T", "blocks"
  symshape.assert "S <= 4*(S floordiv 4)", "quarters"
  return
}

// Must not fire: a sum of two quotients, or a number that is rounded up.
// CHECK-LABEL: @other
// CHECK-NOT:     must divide
func.func @other(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[S, T]>}) {
  symshape.assert "2*(S floordiv 2) + 2*(T floordiv 2) == S + T", "halves"
  symshape.assert "2*(S floordiv 4) == T", "other"
  return
}

// So is that they do not, wherever the terms stand.
// CHECK-LABEL: @negated
// CHECK:         guard: 5 must not divide extent of %t dim 0 (S)
// CHECK:         guard: 3 must divide extent of %t dim 1 (T)
func.func @negated(%t: tensor<?x?xf32> {symshape.shape = #symshape.shape<[S, T]>}) {
  symshape.assert "S mod 5 != 0", "no fives"
  symshape.assert "2 == T - 3*(T floordiv 3) + 2", "threes"
  return
}

// A multiple is not divided and multiplied again, in a guard after the one that
// says so.
// CHECK-LABEL: @after
// CHECK:         guard: 8 must divide extent of %x dim 0
// CHECK:         guard: extent of %y dim 0 must equal extent of %x dim 0
// CHECK:         guard: extent of %z dim 0 must equal 2*(v1 floordiv 8)
func.func @after(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[8*K]>},
                 %y: tensor<?xf32> {symshape.shape = #symshape.shape<[8*K]>},
                 %z: tensor<?xf32> {symshape.shape = #symshape.shape<[2*K]>}) {
  return
}
