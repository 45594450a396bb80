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
