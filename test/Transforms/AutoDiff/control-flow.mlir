// RUN: symshape-opt %s --symshape-jvp="function=power wrt=0" | FileCheck %s --check-prefix=JVP
// RUN: symshape-opt %s --symshape-vjp="function=power wrt=0" --canonicalize --cse | FileCheck %s --check-prefix=VJP
// RUN: symshape-opt %s --symshape-linearize="function=power wrt=0" --canonicalize --cse | FileCheck %s --check-prefix=LIN
// RUN: symshape-opt %s --symshape-vjp="function=grow wrt=0" --canonicalize --cse | FileCheck %s --check-prefix=GROW
// RUN: symshape-opt %s --symshape-vjp="function=choose wrt=0" --canonicalize --cse | FileCheck %s --check-prefix=IF
// RUN: symshape-opt %s --symshape-linearize="function=ignores" | FileCheck %s --check-prefix=IGNORES

// Tangents are carried beside values.
// JVP: func.func @power.jvp(
// JVP: scf.for {{.*}} -> (tensor<?xf64>, tensor<?xf64>)
// JVP-NOT: scf.for
// JVP: func.func @grow(

// What is carried is stored, one row per iteration; the initial value is no
// residual, though the extents of tangents are its own.
// VJP: func.func private @power.fwd({{.*}}) -> (tensor<?xf64>, tensor<?xf64>, index, index, tensor<?x?xf64>, index, index)
// VJP: scf.for {{.*}} -> (tensor<?xf64>, tensor<?x?xf64>)
// VJP: tensor.insert_slice
// VJP: func.func private @power.transpose(
// Backwards, with the sum of what the invariant gets.
// VJP: scf.for {{.*}} -> (tensor<?xf64>, tensor<?xf64>)
// VJP: arith.subi
// VJP: tensor.extract_slice
// VJP-NOT: symshape.with_extents

// LIN: func.func @power.lin(
// LIN: scf.for
// LIN: symshape.with_extents
func.func @power(%x: tensor<?xf64>, %c: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c) -> tensor<?xf64> {
    %p = arith.mulf %a, %x : tensor<?xf64>
    scf.yield %p : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// What changes its extents is computed again, from the first iteration on.
// GROW: func.func private @grow.transpose(
// GROW: scf.for
// GROW: scf.for
// GROW: tensor.concat
// GROW: tensor.extract_slice
func.func @grow(%x: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf64> {
    %p = arith.mulf %a, %a : tensor<?xf64>
    %q = tensor.concat dim(0) %p, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %q : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// The condition is a residual; a branch without a tangent gives zeros.
// IF: func.func private @choose.transpose({{.*}}: i1
// IF: scf.if
// IF: arith.negf
// IF: else
// IF: linalg.fill
func.func @choose(%x: tensor<?xf64>, %y: tensor<?xf64>, %p: i1) -> tensor<?xf64> {
  %r = scf.if %p -> tensor<?xf64> {
    %a = arith.negf %x : tensor<?xf64>
    scf.yield %a : tensor<?xf64>
  } else {
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// What a body does not use of what it carries is not stored.
// IGNORES: func.func @ignores.fwd({{.*}} -> (tensor<2x4xf64>, index)
// IGNORES: func.func @ignores.lin(
func.func @ignores(%x: tensor<2x4xf64>, %y: tensor<2x4xf64>, %n: index) -> tensor<2x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<2x4xf64>) {
    %t = arith.negf %y : tensor<2x4xf64>
    scf.yield %t : tensor<2x4xf64>
  }
  return %r : tensor<2x4xf64>
}
