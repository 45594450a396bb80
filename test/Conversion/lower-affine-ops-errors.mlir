// RUN: symshape-opt %s --symshape-lower-affine-ops --split-input-file --verify-diagnostics

// Negative: the last value, whichever that is.
func.func @last(%x: f32) -> f32 {
  // expected-error@+1 {{expected reductions that begin with a number, but got 'assign'}}
  %0 = affine.parallel (%i) = (0) to (4) reduce ("assign") -> f32 {
    affine.yield %x : f32
  }
  return %0 : f32
}

// -----

// Negative: beside a sum.
func.func @both(%x: f32, %n: i32) -> (i32, f32) {
  // expected-error@+1 {{expected reductions that begin with a number, but got 'assign'}}
  %0:2 = affine.parallel (%i) = (0) to (4) reduce ("addi", "assign") -> (i32, f32) {
    affine.yield %n, %x : i32, f32
  }
  return %0#0, %0#1 : i32, f32
}

// -----

// Must not fire.
func.func @greatest(%x: f32) -> f32 {
  %0 = affine.parallel (%i) = (0) to (4) reduce ("maximumf") -> f32 {
    affine.yield %x : f32
  }
  return %0 : f32
}

// -----

// Negative: upstream says so, and would leave the op.
func.func @modulo_zero(%n: index) -> index {
  // expected-error@+1 {{modulo by non-positive value is not supported}}
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 mod (s0 - s0))>(%n)[%n]
  return %0 : index
}
