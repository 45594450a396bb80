// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s

// What holds of all extents is no guard, even if what comes before it, true but
// beyond the engine, has used up what proofs may cost.
// CHECK-LABEL: func.func @always.guard(
// CHECK-NOT:     floordiv
// CHECK-NOT:     min(
// CHECK:         return
func.func @always(%x: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[A, B, C]>},
                  %y: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[D, E, F]>}) {
  symshape.assert "A*A*A + B*B*B != 9*C*C*C + 4", "cubes"
  symshape.assert "D*D*D + B*B*B != 9*C*C*C + 4", "cubes"
  symshape.assert "A*A*A + E*E*E != 9*C*C*C + 4", "cubes"
  symshape.assert "A*A*A + B*B*B != 9*F*F*F + 5", "cubes"
  symshape.assert "D*D*D + E*E*E != 9*F*F*F + 4", "cubes"
  symshape.assert "D*D*D + E*E*E != 9*C*C*C + 5", "cubes"
  symshape.assert "(A + B) floordiv 8 <= A floordiv 8 + B floordiv 8 + 1", "of quotients"
  symshape.assert "A mod 6 + B mod 6 + C mod 6 - (A + B + C) mod 6 <= 15", "of remainders"
  symshape.assert "min(A, B) + min(C, D) <= min(A + C, B + D)", "of minima"
  return
}

// Must not fire: these hold of most extents.
// CHECK-LABEL: func.func @often.guard(
// CHECK-SAME:    (A + B) floordiv 8 ({0}) must be at most A floordiv 8 + B floordiv 8
func.func @often(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, B]>}) {
  symshape.assert "(A + B) floordiv 8 <= A floordiv 8 + B floordiv 8", "of quotients"
  return
}

// Nor what follows from the operands of the ops themselves, or from a type.
// CHECK-LABEL: func.func @lengths.guard(
// CHECK-NOT:     floordiv
// CHECK-NOT:     needed by
// CHECK:         return
func.func @lengths(%x: tensor<?x6xf32> {symshape.shape = #symshape.shape<[A, 6]>}) {
  symshape.assert "A*A + 1 >= A", "a square"
  symshape.assert "(A + 5) floordiv 6 * 6 >= A", "rounded up"
  symshape.assert "A floordiv 2 + (A + 1) floordiv 2 == A", "two halves"
  symshape.assert "A ceildiv 4 <= A", "quarters"
  return
}

// Must not fire: one of them fails where A is 1.
// CHECK-LABEL: func.func @nearly.guard(
// CHECK-SAME:    (A + 3) floordiv 4 ({0}) must be at most A floordiv 2
func.func @nearly(%x: tensor<?x6xf32> {symshape.shape = #symshape.shape<[A, 6]>}) {
  symshape.assert "A ceildiv 4 <= A floordiv 2", "quarters"
  return
}
