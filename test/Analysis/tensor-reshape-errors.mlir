// RUN: symshape-opt %s --symshape-insert-guards --verify-diagnostics

// Negative: from a buffer of unknown elements, the extents are known only once the
// reshape has run, so its element count cannot be checked before.
func.func @reshape_unknown(%t: memref<?xf32>, %shape: memref<2xindex>) -> memref<?x?xf32> {
  // expected-error@+1 {{(element count) needs: expected values for all symbols, but got 's0 == %d*%d_0', where %d is the result of memref.reshape dim 0, and %d_0 is the result of memref.reshape dim 1}}
  %0 = memref.reshape %t(%shape) : (memref<?xf32>, memref<2xindex>) -> memref<?x?xf32>
  return %0 : memref<?x?xf32>
}
