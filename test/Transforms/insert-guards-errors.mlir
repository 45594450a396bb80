// RUN: symshape-opt %s --symshape-insert-guards --split-input-file --verify-diagnostics

// Negative: no argument can meet the assert.
// expected-note@+1 {{declared range: 1 <= N}}
func.func @assert_always_fails(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>})
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  // expected-error@+3 {{assert always fails: must be empty}}
  // expected-note@+2 {{needed by symshape.assert at}}
  // expected-note@+1 {{to accept it, declare #symshape.symbol<"N", range = [0, 64]>}}
  symshape.assert "N == 0", "must be empty"
  return
}

// -----

// Negative: no argument can meet what the op requires.
// expected-note@+1 {{declared range: 8 <= N}}
func.func @never_holds(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<4xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [8, 64]>]} {
  // expected-error@+3 {{requirement can never hold: extent of argument #0 dim 0 (N) must equal 4}}
  // expected-note@+2 {{needed by tensor.cast at}}
  // expected-note@+1 {{to accept it, declare #symshape.symbol<"N", range = [0, 64]>}}
  %c = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Negative: the call passes what the callee refuses; the error is at the call.
func.func private @small(%x: index) {
  // expected-note@+1 {{needed by symshape.assert at}}
  symshape.assert "x <= 4" (x = %x), "small"
  return
}
func.func @caller() {
  %c5 = arith.constant 5 : index
  // expected-error@+1 {{assert always fails: small}}
  call @small(%c5) : (index) -> ()
  return
}

// -----

// Negative: the last turn of a loop with a constant number of turns, in a
// function without dims that a guard could check.
func.func @constant_loop(%t: tensor<3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> f32 {
    // expected-error@+2 {{requirement can never hold: }}
    // expected-note@+1 {{needed by tensor.extract at}}
    %x = tensor.extract %t[%i] : tensor<3xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// Must not fire: the branch may not be taken.
func.func @in_branch(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %flag: i1)
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 64]>]} {
  scf.if %flag {
    symshape.assert "N == 0", "must be empty"
  }
  return
}

// -----

// Must not fire: the loop has no turns when N is 0, which is a guard.
func.func @loop_of_dims(%t: tensor<?xf32>, %u: tensor<0xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %x = tensor.extract %u[%i] : tensor<0xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// Negative: inside of a body, a loop decides how often the obligation arises.
func.func @loop_in_body(%table: tensor<50xf32>, %ids: tensor<?xi64>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %v = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> f32 {
      %p = arith.addi %row, %i : index
      // expected-error@+1 {{cannot be checked before linalg.generic runs}}
      %w = tensor.extract %table[%p] : tensor<50xf32>
      %s = arith.addf %a, %w : f32
      scf.yield %s : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Negative: it depends on what the op itself accumulates.
func.func @accumulator(%ids: tensor<?xi64>, %e: tensor<i64>) -> tensor<i64> {
  %c50 = arith.constant 50 : i64
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%ids : tensor<?xi64>) outs(%e : tensor<i64>) {
  ^bb0(%id: i64, %out: i64):
    %small = arith.cmpi slt, %out, %c50 : i64
    // expected-error@+1 {{cannot be checked before linalg.generic runs}}
    cf.assert %small, "too large"
    %s = arith.addi %id, %out : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}

// -----

// Negative: the name has a value in the branch alone.
func.func @bound_in_branch(%s: tensor<index>, %v: tensor<?xf32>, %flag: i1) -> tensor<?xf32> {
  scf.if %flag {
    %k = tensor.extract %s[] : tensor<index>
    %e = tensor.empty(%k) : tensor<?xf32>
    %b = symshape.bind_shape %e [M] : tensor<?xf32>
  }
  // expected-error@+1 {{cannot check at run time what symshape.bind_shape at}}
  %u = symshape.bind_shape %v [M] : tensor<?xf32>
  return %u : tensor<?xf32>
}

// -----

// Negative: elements of buffers, which what comes before may write.
func.func @buffers(%ids: memref<?xi64>, %e: memref<?xi64>) {
  %c50 = arith.constant 50 : i64
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : memref<?xi64>) outs(%e : memref<?xi64>) {
  ^bb0(%id: i64, %out: i64):
    %small = arith.cmpi slt, %id, %c50 : i64
    // expected-error@+1 {{cannot be checked before linalg.generic runs}}
    cf.assert %small, "too large"
    linalg.yield %id : i64
  }
  return
}

// -----

// Negative: the body of a named op has no place of its own; the op has.
func.func @divisor_of_memref(%x: memref<4xi32>, %y: memref<4xi32>) {
  // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.div runs}}
  linalg.div ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%x : memref<4xi32>)
  return
}

// -----

func.func @unsigned_divisor_of_memref(%x: memref<?x4xi8>, %y: memref<?x4xi8>) {
  // expected-error@+1 {{'arith.divui' op cannot be checked before linalg.div_unsigned runs}}
  linalg.div_unsigned ins(%x, %y : memref<?x4xi8>, memref<?x4xi8>) outs(%x : memref<?x4xi8>)
  return
}

// -----

func.func @divisor_in_branch(%x: memref<4xi64>, %y: memref<4xi64>, %c: i1) {
  scf.if %c {
    // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.div runs}}
    linalg.div ins(%x, %y : memref<4xi64>, memref<4xi64>) outs(%x : memref<4xi64>)
  }
  return
}

// -----

func.func @divisor_of_map(%x: memref<4xi32>, %y: memref<4xi32>) {
  // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.map runs}}
  linalg.map { arith.divsi } ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%x : memref<4xi32>)
  return
}

// -----

// Numbers that do not fit are told as they are, whatever divides them.

func.func @slice_of_constants(%x: tensor<4xf32>) -> tensor<6xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  // expected-error@+2 {{requirement can never hold: 6 must be at most 4}}
  // expected-note@+1 {{slice of dimension 0}}
  %a = tensor.extract_slice %y[0] [6] [1] : tensor<?xf32> to tensor<6xf32>
  return %a : tensor<6xf32>
}

// -----

func.func @cast_of_constants(%x: tensor<4xf32>) -> tensor<6xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  // expected-error@+2 {{requirement can never hold: 4 must equal 6}}
  // expected-note@+1 {{dimension 0}}
  %z = tensor.cast %y : tensor<?xf32> to tensor<6xf32>
  return %z : tensor<6xf32>
}

// -----

func.func @negative_size() -> tensor<?xf32> {
  %c = arith.constant -3 : index
  // expected-error@+2 {{requirement can never hold: -3 must be at least 0}}
  // expected-note@+1 {{size of dimension 0}}
  %z = tensor.empty(%c) : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @of_nothing(%x: tensor<0xf32>) -> f32 {
  %c = arith.constant 0 : index
  // expected-error@+2 {{requirement can never hold: 0 must be at least 1}}
  // expected-note@+1 {{index of dimension 0}}
  %a = tensor.extract %x[%c] : tensor<0xf32>
  return %a : f32
}

// -----

// What the body of an op on buffers divides by cannot be looked at before it: the
// error is at the op, whose body is not in the file.

func.func @divides_unsigned(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) {
  // expected-error@+1 {{'arith.divui' op cannot be checked before linalg.div_unsigned runs}}
  linalg.div_unsigned ins(%x, %y : memref<?xi32>, memref<?xi32>) outs(%z : memref<?xi32>)
  return
}

// -----

func.func @divides_signed(%x: memref<4xi32>, %y: memref<4xi32>, %z: memref<4xi32>) {
  // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.div runs}}
  linalg.div ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%z : memref<4xi32>)
  return
}

// -----

func.func @divides_elements(%x: memref<4xi8>, %y: memref<4xi8>, %z: memref<4xi8>) {
  // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.elementwise runs}}
  linalg.elementwise kind=#linalg.elementwise_kind<div> ins(%x, %y : memref<4xi8>, memref<4xi8>) outs(%z : memref<4xi8>)
  return
}

// -----

func.func @maps(%x: memref<4xi8>, %y: memref<4xi8>, %z: memref<4xi8>) {
  // expected-error@+1 {{'arith.remsi' op cannot be checked before linalg.map runs}}
  linalg.map { arith.remsi } ins(%x, %y : memref<4xi8>, memref<4xi8>) outs(%z : memref<4xi8>)
  return
}

// -----

func.func @reduces(%x: memref<4xi8>, %z: memref<i8>) {
  // expected-error@+1 {{'arith.divsi' op cannot be checked before linalg.reduce runs}}
  linalg.reduce { arith.divsi } ins(%x : memref<4xi8>) outs(%z : memref<i8>) dimensions = [0]
  return
}

// -----

func.func @looks_up(%x: memref<4xf32>, %z: memref<4xf32>, %i: memref<4xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : memref<4xindex>) outs(%z : memref<4xf32>) {
  ^bb0(%a: index, %b: f32):
    // expected-error@+1 {{'memref.load' op cannot be checked before linalg.generic runs}}
    %v = memref.load %x[%a] : memref<4xf32>
    linalg.yield %v : f32
  }
  return
}
