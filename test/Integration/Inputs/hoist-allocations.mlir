// Programs that allocate in loops. Each says what the pass has to report of it:
// `fires`, or the words of the remark that says why not. check_passes.py runs
// them before and after, and counts allocations.

// program: tile fires
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c32 {
    %size = affine.min affine_map<(d0)[s0] -> (32, s0 - d0)>(%i)[%n]
    %t = memref.alloc(%size) : memref<?xf32>
    %from = memref.subview %a[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %to = memref.subview %b[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.mul ins(%from, %from : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) outs(%t : memref<?xf32>)
    linalg.add ins(%t, %from : memref<?xf32>, memref<?xf32, strided<[1], offset: ?>>) outs(%to : memref<?xf32, strided<[1], offset: ?>>)
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// The tail of a row: the first iteration of the inner loop needs most.
// program: tails fires
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?x?xf32> to memref<?x?xf32>
  %b = memref.alloc(%m, %n) : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%b : memref<?x?xf32>)
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %size = arith.subi %n, %j : index
      %t = memref.alloc(%size) : memref<?xf32>
      %from = memref.subview %a[%i, %j] [1, %size] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
      %to = memref.subview %b[%i, %j] [1, %size] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
      linalg.add ins(%from, %to : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) outs(%t : memref<?xf32>)
      memref.copy %t, %to : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    }
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----
// Rows of a declared width, in every second iteration only.
// program: branch fires
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?x?xf32> to memref<?x?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  scf.for %i = %c0 to %m step %c1 {
    %parity = arith.remui %i, %c2 : index
    %odd = arith.cmpi ne, %parity, %c0 : index
    scf.if %odd {
      %t = memref.alloc(%n) : memref<?xf32>
      %row = memref.subview %a[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
      linalg.add ins(%row, %b : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32>) outs(%t : memref<?xf32>)
      memref.copy %t, %b : memref<?xf32> to memref<?xf32>
    }
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// Without the declaration nothing bounds the rows, which not every iteration
// needs.
// program: undeclared N) must be at most
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?x?xf32> to memref<?x?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  scf.for %i = %c0 to %m step %c1 {
    %parity = arith.remui %i, %c2 : index
    %odd = arith.cmpi ne, %parity, %c0 : index
    scf.if %odd {
      %t = memref.alloc(%n) : memref<?xf32>
      %row = memref.subview %a[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
      linalg.add ins(%row, %b : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32>) outs(%t : memref<?xf32>)
      memref.copy %t, %b : memref<?xf32> to memref<?xf32>
    }
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// Halves until one element is left: a loop without a counter.
// program: halving fires
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 100]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %last = scf.while (%k = %n) : (index) -> index {
    %more = arith.cmpi sgt, %k, %c1 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %half = arith.divsi %k, %c2 : index
    %room = arith.minsi %half, %n : index
    %t = memref.alloc(%room) : memref<?xf32>
    %to = memref.subview %b[0] [%room] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    linalg.add ins(%to, %to : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>) outs(%t : memref<?xf32>)
    memref.copy %t, %to : memref<?xf32> to memref<?xf32, strided<[1]>>
    scf.yield %half : index
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// The buffer of one iteration is read in the next.
// program: carried 'scf.yield' may keep the buffer
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %b) -> memref<?xf32> {
    %t = memref.alloc(%n) : memref<?xf32>
    linalg.add ins(%old, %a : memref<?xf32>, memref<?xf32>) outs(%t : memref<?xf32>)
    scf.yield %t : memref<?xf32>
  }
  %r = bufferization.to_tensor %last restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// program: parallel each iteration of 'scf.parallel' needs a buffer of its own
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c32) {
    %size = affine.min affine_map<(d0)[s0] -> (32, s0 - d0)>(%i)[%n]
    %t = memref.alloc(%size) : memref<?xf32>
    %from = memref.subview %a[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %to = memref.subview %b[%i] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.mul ins(%from, %from : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) outs(%t : memref<?xf32>)
    memref.copy %t, %to : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
