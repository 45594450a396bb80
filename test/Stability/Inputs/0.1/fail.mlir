// call: index=1
// prints: index: 1
func.func @main(%n: index) -> index {
  %c4 = arith.constant 4 : index
  %bad = arith.cmpi ugt, %n, %c4 : index
  scf.if %bad {
    symshape.fail "expected at most {0}, but got {1}" (%c4, %n)
  }
  return %n : index
}
