// RUN: symshape-opt %s --symshape-lift-loops | FileCheck %s

// Positive: a loop becomes one, and nothing of its blocks is left.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.while
// CHECK-NOT:     ub.poison
// CHECK-NOT:     {{ }}cf.
// CHECK:         return
func.func @loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, tensor<?xf32>)
^head(%i: index, %t: tensor<?xf32>):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %u = arith.addf %t, %t : tensor<?xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, tensor<?xf32>)
^exit:
  return %t : tensor<?xf32>
}

// Positive: with two exits.
// CHECK-LABEL: func.func @two_exits(
// CHECK:         scf.while
// CHECK-NOT:     ub.poison : tensor
// CHECK-NOT:     {{ }}cf.
// CHECK:         return
func.func @two_exits(%x: tensor<?xf32>, %n: index, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, tensor<?xf32>)
^head(%i: index, %t: tensor<?xf32>):
  cf.cond_br %c, ^early, ^check
^check:
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit(%t : tensor<?xf32>)
^body:
  %u = arith.addf %t, %t : tensor<?xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, tensor<?xf32>)
^early:
  %v = arith.negf %t : tensor<?xf32>
  cf.br ^exit(%v : tensor<?xf32>)
^exit(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}

// Must not fire: blocks without a loop.
// CHECK-LABEL: func.func @branches(
// CHECK:         cf.cond_br
// CHECK-NOT:     {{ }}scf.
// CHECK:         return
func.func @branches(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  cf.cond_br %c, ^a, ^b(%x : tensor<?xf32>)
^a:
  %u = arith.negf %x : tensor<?xf32>
  cf.br ^b(%u : tensor<?xf32>)
^b(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}
