// call: index=7 index=5
// prints: index: 5
func.func @main(%n: index, %e: index) -> index {
  %0 = symshape.truncate_size %n, %e : index
  return %0 : index
}
