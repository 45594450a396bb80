// Programs with masked vectors. Each says what the pass has to report of it:
// `fires`, or the words of the remark that says why not. check_passes.py runs
// them before and after.

// program: multiple fires
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", multiple_of = 8>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %v = vector.transfer_read %a[%i], %zero : memref<?xf32>, vector<8xf32>
    %w = vector.transfer_read %a[%i], %zero, %m {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
    %uv = arith.addf %u, %v : vector<8xf32>
    %s = arith.addf %uv, %w : vector<8xf32>
    vector.maskedstore %b[%i], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// program: any_length 8 must divide extent of x dim 0 (N)
func.func @main(%x: tensor<?xf32> {symshape.name = "x", symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %v = vector.transfer_read %a[%i], %zero : memref<?xf32>, vector<8xf32>
    %s = arith.addf %u, %v : vector<8xf32>
    vector.maskedstore %b[%i], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// A main loop of whole vectors, and what is left over.
// program: peeled fires
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %whole = affine.apply affine_map<()[s0] -> (s0 - s0 mod 8)>()[%n]
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %whole step %c8 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %s = arith.addf %u, %u : vector<8xf32>
    vector.maskedstore %b[%i], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  scf.for %i = %whole to %n step %c8 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<8xi1>
    %u = vector.maskedload %a[%i], %m, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %s = arith.addf %u, %u : vector<8xf32>
    vector.maskedstore %b[%i], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// The branch that is taken for long inputs needs no mask; nor may the other one
// lose its own.
// program: branch_on_length fires
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %long = arith.cmpi sge, %n, %c8 : index
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?xf32>)
  scf.if %long {
    %m = vector.create_mask %n : vector<8xi1>
    %u = vector.transfer_read %a[%c0], %zero, %m : memref<?xf32>, vector<8xf32>
    vector.transfer_write %u, %b[%c0] : vector<8xf32>, memref<?xf32>
  } else {
    %m = vector.create_mask %n : vector<8xi1>
    %u = vector.transfer_read %a[%c0], %zero, %m : memref<?xf32>, vector<8xf32>
    vector.transfer_write %u, %b[%c0] : vector<8xf32>, memref<?xf32>
  }
  %r = bufferization.to_tensor %b restrict writable : memref<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
// program: unknown_length extent of x dim 0 (N) must be at least 8
func.func @main(%x: tensor<?xf32> {symshape.name = "x", symshape.shape = #symshape.shape<[N]>}) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = vector.create_mask %n : vector<8xi1>
  %a = bufferization.to_buffer %x read_only : tensor<?xf32> to memref<?xf32>
  %b = memref.alloc() : memref<8xf32>
  %u = vector.transfer_read %a[%c0], %zero, %m {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  vector.transfer_write %u, %b[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  %r = bufferization.to_tensor %b restrict writable : memref<8xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----
// Columns that all rows have; the number of rows is not known.
// program: columns fires
func.func @main(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%ri = %x) -> tensor<?x16xf32> {
    %rj = scf.for %j = %c0 to %c16 step %c8 iter_args(%rj = %ri) -> tensor<?x16xf32> {
      %v = vector.transfer_read %rj[%i, %j], %zero : tensor<?x16xf32>, vector<8xf32>
      %w = arith.addf %v, %v : vector<8xf32>
      %t = vector.transfer_write %w, %rj[%i, %j] : vector<8xf32>, tensor<?x16xf32>
      scf.yield %t : tensor<?x16xf32>
    }
    scf.yield %rj : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}
