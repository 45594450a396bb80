// RUN: symshape-opt %s --symshape-place-data --split-input-file --verify-diagnostics

// Negative: what lies between the rows would be sent, and rows left out.
// expected-error@+1 {{expected arguments, results and constants that are dense arrays of numbers, but got 'memref<4x?xf32, strided<[?, 1]>>'}}
func.func @strided(%a: memref<4x?xf32, strided<[?, 1]>>) {
  linalg.copy ins(%a : memref<4x?xf32, strided<[?, 1]>>) outs(%a : memref<4x?xf32, strided<[?, 1]>>)
  return
}

// -----

// Negative: rows of 8 that are 9 apart.
// expected-error@+1 {{dense arrays of numbers, but got 'memref<4x8xf32, strided<[9, 1]>>'}}
func.func @padded(%a: memref<4x8xf32, strided<[9, 1]>>) -> memref<4x8xf32, strided<[9, 1]>> {
  return %a : memref<4x8xf32, strided<[9, 1]>>
}

// -----

// Negative: vectors, and arrays without a rank.
// expected-error@+1 {{dense arrays of numbers, but got 'memref<?xvector<4xf32>>'}}
func.func @vectors(%a: memref<?xvector<4xf32>>) {
  return
}

// -----

// expected-error@+1 {{dense arrays of numbers, but got 'memref<*xf32>'}}
func.func @unranked(%a: memref<*xf32>) {
  return
}

// -----

// Negative: a constant.
memref.global "private" @table : memref<2xvector<2xf32>> = uninitialized
func.func @constant(%a: memref<?xf32>) {
  // expected-error@+1 {{dense arrays of numbers, but got 'memref<2xvector<2xf32>>'}}
  %0 = memref.get_global @table : memref<2xvector<2xf32>>
  return
}

// -----

// Must not fire: dense from another place on.
func.func @offset(%a: memref<4x8xf32, strided<[8, 1], offset: ?>>) {
  linalg.copy ins(%a : memref<4x8xf32, strided<[8, 1], offset: ?>>) outs(%a : memref<4x8xf32, strided<[8, 1], offset: ?>>)
  return
}
