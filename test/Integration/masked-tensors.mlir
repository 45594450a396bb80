// Lanes that are masked off keep what lies there, or are padded, although upstream's folds look at the mask of an op
// alone and not at one around it: a read of what was written before, a write of what was read, a write over another,
// a read that repeats a row, and a write through a cast.

// RUN: symshape-opt %s --symshape-canonicalize | FileCheck %s --check-prefix=IR
// RUN: symshape-run %s --entry=read --input=4xi64=iota --input=i64=2 | FileCheck %s --check-prefix=READ
// RUN: symshape-run %s --entry=read --input=4xi64=iota --input=i64=2 --compile=quick | FileCheck %s --check-prefix=READ
// RUN: symshape-run %s --entry=write --input=4xi64=iota --input=i64=2 | FileCheck %s --check-prefix=WRITE
// RUN: symshape-run %s --entry=write --input=4xi64=iota --input=i64=2 --plan-memory=off | FileCheck %s --check-prefix=WRITE
// RUN: symshape-run %s --entry=over --input=4xi64=iota --input=i64=2 | FileCheck %s --check-prefix=OVER
// RUN: symshape-run %s --entry=repeat --input=4xi64=iota --input=i64=2 | FileCheck %s --check-prefix=REPEAT
// RUN: symshape-run %s --entry=through --input=4xi64=iota --input=i64=2 | FileCheck %s --check-prefix=THROUGH
// RUN: symshape-run %s --entry=through --input=4xi64=iota --input=i64=0 --compile=quick | FileCheck %s --check-prefix=NONE
// READ: 4xi64: [0, 2, -1, -1]
// WRITE: 4xi64: [0, 1, -1, -1]
// OVER: 4xi64: [0, 4, 4, 6]
// REPEAT: 2x4xi64: {{\[}}[0, 2, -1, -1], [0, 2, -1, -1]]
// THROUGH: 4xi64: [0, 2, 2, 3]
// NONE: 4xi64: [0, 1, 2, 3]

// IR-LABEL: @read
// IR: vector.mask
// IR-LABEL: @over
// IR-COUNT-2: vector.transfer_write
// IR-LABEL: @repeat
// IR: vector.mask

func.func @read(%x: tensor<4xi64>, %k: i64) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %n = arith.index_cast %k : i64 to index
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64>
  %z = arith.addi %v, %v : vector<4xi64>
  %w = vector.transfer_write %z, %x[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64>
  %r = vector.mask %m { vector.transfer_read %w[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64> } : vector<4xi1> -> vector<4xi64>
  %e = tensor.empty() : tensor<4xi64>
  %o = vector.transfer_write %r, %e[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64>
  return %o : tensor<4xi64>
}

func.func @write(%x: tensor<4xi64>, %k: i64) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %n = arith.index_cast %k : i64 to index
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64>
  %z = arith.addi %v, %v : vector<4xi64>
  %r = vector.mask %m { vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64> } : vector<4xi1> -> vector<4xi64>
  %o = vector.transfer_write %r, %x[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64>
  return %o : tensor<4xi64>
}

func.func @over(%x: tensor<4xi64>, %k: i64) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %n = arith.index_cast %k : i64 to index
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64>
  %z = arith.addi %v, %v : vector<4xi64>
  %w = vector.transfer_write %z, %x[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64>
  %d = arith.addi %z, %z : vector<4xi64>
  %o = vector.mask %m { vector.transfer_write %d, %w[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64> } : vector<4xi1> -> tensor<4xi64>
  return %o : tensor<4xi64>
}

func.func @repeat(%x: tensor<4xi64>, %k: i64) -> tensor<2x4xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %n = arith.index_cast %k : i64 to index
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64>
  %z = arith.addi %v, %v : vector<4xi64>
  %w = vector.transfer_write %z, %x[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<4xi64>
  %r = vector.mask %m { vector.transfer_read %w[%c0], %pad {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>} : tensor<4xi64>, vector<2x4xi64> } : vector<4xi1> -> vector<2x4xi64>
  %e = tensor.empty() : tensor<2x4xi64>
  %o = vector.transfer_write %r, %e[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi64>, tensor<2x4xi64>
  return %o : tensor<2x4xi64>
}

func.func @through(%x: tensor<4xi64>, %k: i64) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1 : i64
  %n = arith.index_cast %k : i64 to index
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : tensor<4xi64>, vector<4xi64>
  %z = arith.addi %v, %v : vector<4xi64>
  %t = tensor.cast %x : tensor<4xi64> to tensor<?xi64>
  %o = vector.mask %m { vector.transfer_write %z, %t[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<?xi64> } : vector<4xi1> -> tensor<?xi64>
  return %o : tensor<?xi64>
}
