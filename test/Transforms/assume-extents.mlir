// RUN: symshape-opt %s --symshape-insert-guards --symshape-assume-extents="function=f extents=4,-1,4" --split-input-file | FileCheck %s

// Types stay; dims without a name get one; a negative extent says nothing. What
// is required is still checked.
// CHECK-LABEL: func.func @f.guard(
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, [[B:s[0-9]+]]]>}
// CHECK-SAME:    %{{.*}}: tensor<?xf32> {symshape.shape = #symshape.shape<[[[C:.*]]]>}
// CHECK-SAME:    symshape.assume = [{{.*}}#symshape.fact<"A == 4">
// CHECK-NOT:     [[B]] ==
// CHECK:         call @f.guard(
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, "s7"]>}, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.extract_slice %x[0, 0] [%c, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %r = linalg.add ins(%e, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Must not fire: with these extents the guards refuse the call.
// CHECK-LABEL: func.func @f(
// CHECK-NOT:     == 4
func.func @f(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, 5]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[A + 1]>}) {
  return
}

// -----

// Calls from inside may have other extents.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    #symshape.fact<"s0 == 4">
// CHECK:         call @f_0(
// CHECK-LABEL: func.func private @f_0(
// CHECK-NOT:     s0 == 4
// CHECK:         call @f_0(
// CHECK-LABEL: func.func @other(
// CHECK:         call @f_0(
func.func @f(%x: tensor<?xf32>, %y: tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %go = arith.cmpi ugt, %d, %c0 : index
  scf.if %go {
    %z = tensor.extract_slice %x[0] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %s = tensor.cast %z : tensor<1xf32> to tensor<?xf32>
    func.call @f(%s, %y) : (tensor<?xf32>, tensor<?x?xf32>) -> ()
  }
  return
}
func.func @other(%x: tensor<?xf32>, %y: tensor<?x?xf32>) {
  call @f(%x, %y) : (tensor<?xf32>, tensor<?x?xf32>) -> ()
  return
}

// RUN: echo 'func.func @f(%x: tensor<?xf32>) { return }' | not symshape-opt --symshape-assume-extents="function=f extents=1,2" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: expected 1 extents, one per dynamic dim of an argument, but got 2
// RUN: echo 'module {}' | not symshape-opt --symshape-assume-extents="function=f extents=1,2" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a function with a body, but got 'f'
