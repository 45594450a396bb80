// Products of extents beyond 64 bits, beside an extent of 0: conditions are decided
// as those of integers, with a message of their own above the largest extent.

// DEFINE: %{x} = 1x1xi8=zeros
// DEFINE: %{y} = 0xi8=zeros
// DEFINE: %{run} = sh -c "symshape-run %s --input=%{x} --input=%{y}; echo exit $?" 2>&1

// 2^47 * 2^47 * 2^0 wraps to 0 in 64 bits; an extent of 0 makes both tensors empty.
// REDEFINE: %{x} = 0x140737488355328x140737488355328xi8=zeros
// RUN: %{run} | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0xi8: []
// EMPTY-NEXT: exit 0

// The largest extent that there is, and the one after it.
// REDEFINE: %{x} = 0x281474976710655x3xi8=zeros
// RUN: %{run} | FileCheck %s --check-prefix=EMPTY
// REDEFINE: %{x} = 0x281474976710656x3xi8=zeros
// RUN: %{run} | FileCheck %s --check-prefix=BOUND
// BOUND: error: symshape: @main: guard failed: each extent must be at most 2^48 - 1: %x dim 0 (0), %x dim 1 (281474976710656), %x dim 2 (3), %y dim 0 (0)
// BOUND: exit 3

// The product is not the extent of the other, whatever its last 64 bits are.
// REDEFINE: %{x} = 0x281474976710655x281474976710655xi8=zeros
// REDEFINE: %{y} = 1xi8=zeros
// RUN: %{run} | FileCheck %s --check-prefix=UNEQUAL
// UNEQUAL: error: symshape: @main: guard failed: A*B*C (0) must equal extent of %y dim 0 (N = 1)
// UNEQUAL: exit 3

func.func @main(%x: tensor<?x?x?xi8> {symshape.shape = #symshape.shape<[A, B, C]>}, %y: tensor<?xi8> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xi8> {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x?xi8> into tensor<?xi8>
  %r = linalg.add ins(%f, %y : tensor<?xi8>, tensor<?xi8>) outs(%y : tensor<?xi8>) -> tensor<?xi8>
  return %r : tensor<?xi8>
}
