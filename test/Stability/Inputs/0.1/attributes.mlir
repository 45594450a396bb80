// call: 2x8xf32=iota 1x8xf32=iota
// prints: 2x8xf32: [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
func.func @main(
    %x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, S]>, symshape.name = "x"},
    %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[(B + 1) floordiv 2, 2*(S floordiv 2)]>})
    -> (tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, "<= max(S, 8)"]>})
    attributes {
      symshape.symbols = [
        #symshape.symbol<"B", range = [1, 64]>,
        #symshape.symbol<"S", range = [0, 4096], multiple_of = 8, likely = [128, 1024], policy = dynamic>],
      symshape.assume = [#symshape.fact<"B <= S or not 2 | B">, #symshape.fact<"S != 16">],
      symshape.versions = [#symshape.version<"one", ["B == 1", "16 | S"]>]} {
  return %x : tensor<?x?xf32>
}
