// call: index=4 i32=5
// prints: index: 4
func.func @main(%n: index, %m: i32) -> index {
  %0 = symshape.assume %n ["n <= 4", "2 | n"] (n) : index
  %1:2 = symshape.assume %0, %m ["n <= m"] (n, m) : index, i32
  return %1#0 : index
}
