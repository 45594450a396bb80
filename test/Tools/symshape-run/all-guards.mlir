// A refused call is told all the guards that fail, the first one first, with the
// values as they are, however large.

// RUN: sh -c "symshape-run %s --entry=three --input=2x3xf32=iota --input=2x4xf32=iota --input=5x3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=THREE
// THREE:      error: symshape: @three: guard failed: extent of %x dim 1 (N = 3) must equal extent of %y dim 1 (P = 4)
// THREE-NEXT:   needed by linalg.add at
// THREE-NEXT: symshape: {{.*}}observed = 3 != 4
// THREE-NEXT: @three: guard failed: extent of %x dim 0 (M = 2) must equal extent of %z dim 0 (Q = 5)
// THREE-NEXT:   needed by linalg.add at
// THREE-NEXT: symshape: {{.*}}observed = 2 != 5
// THREE-NEXT: exit 3

// Must not fire: what holds is not told.
// RUN: sh -c "symshape-run %s --entry=three --input=2x3xf32=iota --input=2x3xf32=iota --input=5x3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not="guard failed"
// ONE:      error: symshape: @three: guard failed: extent of %x dim 0 (M = 2) must equal extent of %z dim 0 (Q = 5)
// ONE:      exit 3
// RUN: symshape-run %s --entry=three --input=2x3xf32=iota --input=2x3xf32=iota --input=2x3xf32=iota | FileCheck %s --check-prefix=NONE
// NONE: 2x3xf32: [

// In the line for tools, too: 2^64 is not 0.
// RUN: sh -c "symshape-run %s --entry=view --input=4294967296x4294967296x0xi8=zeros --input=1xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW:      error: symshape: @view: guard failed: A*B (18446744073709551616) must be at most 9223372036854775807
// VIEW:        needed by tensor.collapse_shape at
// VIEW:      @view: guard failed: A*B (18446744073709551616) must equal extent of %y dim 0 (N = 1)
// VIEW:      observed = 18446744073709551616 != 1

// The bound of extents goes first, and alone.
// RUN: sh -c "symshape-run %s --entry=product --input=0x281474976710656x3xi8=zeros --input=1xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=BOUND --implicit-check-not="guard failed"
// BOUND: error: symshape: @product: guard failed: each extent must be at most 2^48 - 1: %x dim 0 (0), %x dim 1 (281474976710656), %x dim 2 (3), %y dim 0 (1)
// BOUND: exit 3

// 2^64, (2^48 - 1)^2 and a product of three of these.
// RUN: sh -c "symshape-run %s --entry=empty --input=4294967296x4294967296x0xi8=zeros --input=0x0x0xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WRAPPED
// WRAPPED: A*B (18446744073709551616) must
// RUN: sh -c "symshape-run %s --entry=empty --input=281474976710655x281474976710655x0xi8=zeros --input=0x0x0xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=LARGEST
// LARGEST: A*B (79228162514263774643590529025) must
// RUN: sh -c "symshape-run %s --entry=cubes --input=281474976710655x281474976710655x281474976710655x0xi8=zeros; echo exit $?" 2>&1 | FileCheck %s --check-prefix=CUBE
// CUBE: (22300745198530385457048175480480005804261375

// What a later guard implies is told where its op is the first that fails, and then
// before it.
// RUN: sh -c "symshape-run %s --entry=slices --input=3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=FIRST --implicit-check-not="guard failed"
// FIRST:      error: symshape: @slices: guard failed: extent of %x dim 0 (L = 3) must be at least 4
// FIRST-NEXT:   needed by tensor.extract_slice at {{.*}}:[[#FIRST:]]:8
// FIRST:      @slices: guard failed: extent of %x dim 0 (L = 3) must be at least 8
// FIRST-NEXT:   needed by tensor.extract_slice at {{.*}}:[[#FIRST+2]]:8
// RUN: sh -c "symshape-run %s --entry=slices --input=5xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=MIDDLE --implicit-check-not="guard failed"
// MIDDLE:     error: symshape: @slices: guard failed: extent of %x dim 0 (L = 5) must be at least 6
// MIDDLE:     @slices: guard failed: extent of %x dim 0 (L = 5) must be at least 8
// RUN: sh -c "symshape-run %s --entry=slices --input=7xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=LAST --implicit-check-not="guard failed"
// LAST:       error: symshape: @slices: guard failed: extent of %x dim 0 (L = 7) must be at least 8
// RUN: sh -c "symshape-run %s --entry=divisors --input=7xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ODD --implicit-check-not="guard failed"
// ODD:        error: symshape: @divisors: guard failed: 2 must divide extent of %x dim 0 (L = 7)
// ODD:        @divisors: guard failed: 6 must divide extent of %x dim 0 (L = 7)
// RUN: sh -c "symshape-run %s --entry=divisors --input=8xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=EVEN --implicit-check-not="guard failed"
// EVEN:       error: symshape: @divisors: guard failed: 6 must divide extent of %x dim 0 (L = 8)
// RUN: sh -c "symshape-run %s --entry=chain --input=2xf32=iota --input=3xf32=iota --input=3xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN:      error: symshape: @chain: guard failed: extent of %x dim 0 (X = 2) must equal extent of %y dim 0 (Y = 3)
// CHAIN-NEXT:   needed by linalg.add at {{.*}}:{{[0-9]+}}:8

func.func @slices(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> (tensor<4xf32>, tensor<6xf32>, tensor<8xf32>) {
  %0 = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %1 = tensor.extract_slice %x[0] [6] [1] : tensor<?xf32> to tensor<6xf32>
  %2 = tensor.extract_slice %x[0] [8] [1] : tensor<?xf32> to tensor<8xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<6xf32>, tensor<8xf32>
}
func.func @divisors(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> (tensor<?x2xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %l = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divui %l, %c2 : index
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%m, 2] : tensor<?xf32> into tensor<?x2xf32>
  %n = arith.divui %l, %c6 : index
  %1 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 6] : tensor<?xf32> into tensor<?x6xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x6xf32>
}
func.func @chain(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[X]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[Y]>}, %z: tensor<?xf32> {symshape.shape = #symshape.shape<[Z]>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%y, %z : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func @three(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}, %y: tensor<?x?xf32> {symshape.shape = #symshape.shape<[O, P]>},
                 %z: tensor<?x?xf32> {symshape.shape = #symshape.shape<[Q, R]>}) -> tensor<?x?xf32> {
  %a = linalg.add ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = linalg.add ins(%a, %z : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %b : tensor<?x?xf32>
}
func.func @product(%x: tensor<?x?x?xi8> {symshape.shape = #symshape.shape<[A, B, C]>}, %y: tensor<?xi8> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xi8> {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x?xi8> into tensor<?xi8>
  %r = linalg.add ins(%f, %y : tensor<?xi8>, tensor<?xi8>) outs(%y : tensor<?xi8>) -> tensor<?xi8>
  return %r : tensor<?xi8>
}
func.func @view(%x: tensor<?x?x0xi8> {symshape.shape = #symshape.shape<[A, B, 0]>}, %y: tensor<?xi8> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x0xi8> {
  %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x0xi8> into tensor<?x0xi8>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xi8>
  %e = tensor.empty(%n) : tensor<?x0xi8>
  %r = linalg.add ins(%f, %e : tensor<?x0xi8>, tensor<?x0xi8>) outs(%e : tensor<?x0xi8>) -> tensor<?x0xi8>
  return %r : tensor<?x0xi8>
}
func.func @empty(%x: tensor<?x?x?xi8> {symshape.shape = #symshape.shape<[A, B, C]>}, %y: tensor<?x?x?xi8> {symshape.shape = #symshape.shape<[D, E, F]>}) -> tensor<?x?x?xi8>
    attributes {symshape.assume = [#symshape.fact<"A*B <= 1000">]} {
  return %y : tensor<?x?x?xi8>
}
func.func @cubes(%x: tensor<?x?x?x?xi8> {symshape.shape = #symshape.shape<[A, B, C, D]>}) -> tensor<?x?x?x?xi8>
    attributes {symshape.assume = [#symshape.fact<"A*B*C <= 1000">]} {
  return %x : tensor<?x?x?x?xi8>
}
