// RUN: symshape-opt %s --symshape-canonicalize --split-input-file | FileCheck %s

// Nothing runs behind a failure, which may be all that is left of a check.

// Positive: the arm ends there, and gives what nobody reads.
// CHECK-LABEL: func.func @arm(
// CHECK:         scf.if
// CHECK-NEXT:      symshape.fail "never"
// CHECK-NOT:       symshape.pad
// CHECK-NOT:       arith.addi
// CHECK:           scf.yield %{{.*}} : tensor<?xf32>
// CHECK:         else
// CHECK-NEXT:      scf.yield
func.func @arm(%c: i1, %x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index) {
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.if %c -> (tensor<?xf32>, index) {
    scf.if %true {
      symshape.fail "never"
    }
    %p = symshape.pad %x, %zero low [-4] high [1] interior [0] : tensor<?xf32> to tensor<?xf32>
    %m = arith.addi %n, %n : index
    scf.yield %p, %m : tensor<?xf32>, index
  } else {
    scf.yield %x, %n : tensor<?xf32>, index
  }
  return %r#0, %r#1 : tensor<?xf32>, index
}

// -----

// Positive: a turn.
// CHECK-LABEL: func.func @turn(
// CHECK:         scf.for
// CHECK-NEXT:      symshape.fail "never"
// CHECK-NEXT:      tensor.empty
// CHECK-NEXT:      scf.yield
func.func @turn(%n: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    symshape.fail "never"
    %s = arith.addf %a, %b : tensor<4xf32>
    scf.yield %s, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Must not fire: the call goes on, or the failure is one of an arm of its own.
// CHECK-LABEL: func.func @goes_on(
// CHECK:         symshape.fail "kept" {continues}
// CHECK-NEXT:    arith.addf
// CHECK:         symshape.fail "perhaps"
// CHECK:         arith.addf
func.func @goes_on(%c: i1, %d: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    symshape.fail "kept" {continues}
    %s = arith.addf %x, %x : tensor<4xf32>
    scf.if %d {
      symshape.fail "perhaps"
    }
    %t = arith.addf %s, %x : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Must not fire: what is stored in memory is not looked into.
// CHECK-LABEL: func.func @memory(
// CHECK:         symshape.fail "never"
// CHECK-NEXT:    memref.store
func.func @memory(%c: i1, %v: f32, %m: memref<f32>) {
  scf.if %c {
    symshape.fail "never"
    memref.store %v, %m[] : memref<f32>
  }
  return
}

// -----

// Positive: a function, too.
// CHECK-LABEL: func.func @whole(
// CHECK:         symshape.fail "never"
// CHECK-NOT:     linalg.exp
// CHECK:         return
func.func @whole(%x: tensor<?xf32>) -> (tensor<?xf32>, f32) {
  %zero = arith.constant 0 : index
  symshape.fail "never"
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %e = tensor.extract %r[%zero] : tensor<?xf32>
  return %r, %e : tensor<?xf32>, f32
}
