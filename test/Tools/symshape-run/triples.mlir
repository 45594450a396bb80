// The last line of a failure names the primitive, the part and what was found, of
// upstream ops too.
//
// RUN: sh -c "symshape-run %s --entry=add --input=3xf32=iota --input=4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ADD
// ADD:      needed by arith.addf
// ADD-NEXT: symshape: {primitive = add, field = operand[1].shape[0], observed = 3 != 4}
// ADD-NEXT: exit 3
//
// RUN: sh -c "symshape-run %s --entry=dot --input=2x3xf32=iota --input=4x5xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=DOT
// DOT:      needed by linalg.matmul
// DOT-NEXT: symshape: {primitive = dot_general, field = operand[1].shape[0], observed = 3 != 4}
// DOT-NEXT: exit 3
//
// RUN: sh -c "symshape-run %s --entry=join --input=2x3xf32=iota --input=2x4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN:      needed by tensor.concat
// JOIN-NEXT: symshape: {primitive = concatenate, field = operand[1].shape[1], observed = 3 != 4}
// JOIN-NEXT: exit 3
//
// RUN: sh -c "symshape-run %s --entry=pick --input=4xf32=iota --input=index=4; echo exit $?" 2>&1 | FileCheck %s --check-prefix=PICK
// PICK:      needed by tensor.extract
// PICK-NEXT: symshape: {primitive = tensor.extract, field = operand.shape[0], observed = 5 > 4}
// PICK-NEXT: exit 3
//
// In a function that is called, the op is the one that needs it.
// RUN: sh -c "symshape-run %s --entry=call --input=3xf32=iota --input=4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=CALL
// CALL:      symshape: {primitive = add, field = operand[1].shape[0], observed = 3 != 4}
// CALL-NEXT: exit 3
//
// A declaration has no op.
// RUN: sh -c "symshape-run %s --entry=declared --input=3xf32=iota --input=4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED:      needed by the signature
// DECLARED-NEXT: exit 3

func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @dot(%a: tensor<2x?xf32>, %b: tensor<?x5xf32>) -> tensor<2x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2x?xf32>, tensor<?x5xf32>) outs(%zero : tensor<2x5xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

func.func @join(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>) -> tensor<4x?xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

func.func @pick(%a: tensor<?xf32>, %i: index) -> f32 {
  %r = tensor.extract %a[%i] : tensor<?xf32>
  return %r : f32
}

func.func @call(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = func.call @add(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @declared(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                    %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) {
  return
}
