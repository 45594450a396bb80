// How a refused call is explained: in the user's names, with the values.

// Positive: scalars in an expression have the names of their arguments.
// RUN: sh -c "symshape-run %s --entry=window --input=5xf32=iota --input=index=2 --input=index=7; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WINDOW
// WINDOW:      error: symshape: @window: %i + %n (9) must be at most extent of %a dim 0 (s0 = 5)
// WINDOW-NEXT:   %i = 2
// WINDOW-NEXT:   %n = 7
// WINDOW-NEXT:   needed by tensor.extract_slice at {{.*}}messages.mlir:[[#@LINE + 23]]:
// WINDOW-NEXT: symshape: {primitive = slice, field = operand.shape[0], observed = 9 > 5}
// WINDOW-NEXT: exit 3

// Positive: an integer division of tensors by an element that is 0 does not trap.
// RUN: sh -c "symshape-run %s --entry=divide --input=3xi32=iota --input=3xi32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE:      error: symshape: @divide: element of %b (0) must not be 0 at position [0]
// DIVIDE-NEXT:   needed by arith.divsi
// DIVIDE-NEXT: symshape: {primitive = arith.divsi, field = operand[1], observed = 0}
// DIVIDE-NEXT: exit 3

// Positive: the op of the file is named, not the one that is made for its body.
// RUN: sh -c "symshape-run %s --entry=named --input=2xi32=iota --input=2xi32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED:      error: symshape: @named: element of %b (0) must not be 0 at position [0]
// NAMED-NEXT:   needed by linalg.div at
// NAMED-NEXT: symshape: {primitive = arith.divsi, field = operand[1], observed = 0}
// NAMED-NEXT: exit 3

// Must not fire: nothing is divided.
// RUN: symshape-run %s --entry=divide --input=0xi32=iota --input=0xi32=iota | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0xi32: []

func.func @window(%a: tensor<?xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %a[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @divide(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divsi %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @named(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %r = linalg.div ins(%a, %b : tensor<?xi32>, tensor<?xi32>)
      outs(%e : tensor<?xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
