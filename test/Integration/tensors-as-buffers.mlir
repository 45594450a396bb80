// What becomes a buffer keeps its values while tensors are computed after it, in
// programs that are partly on buffers already. The argument is 0, 1, 2, and the
// result (x + 1) x^2, or as it says.

// RUN: symshape-run %s --entry=straight --input=3xi64=iota | FileCheck %s
// RUN: symshape-run %s --entry=straight --input=3xi64=iota --compile=quick | FileCheck %s
// RUN: symshape-run %s --entry=straight --input=3xi64=iota --plan-memory=off | FileCheck %s
// RUN: symshape-run %s --entry=straight --input=3xi64=iota --dynamic=never | FileCheck %s
// RUN: symshape-run %s --entry=read_only --input=3xi64=iota | FileCheck %s
// RUN: symshape-run %s --entry=caller --input=3xi64=iota | FileCheck %s
// RUN: symshape-run %s --entry=branch --input=3xi64=iota --input=i1=1 | FileCheck %s
// RUN: symshape-run %s --entry=loop --input=3xi64=iota --input=index=2 | FileCheck %s --check-prefix=LOOP
// RUN: symshape-run %s --entry=straight --input=0xi64=iota | FileCheck %s --check-prefix=EMPTY
// CHECK: 3xi64: [0, 2, 12]
// LOOP:  3xi64: [0, 1, 2]
// EMPTY: 0xi64: []

func.func private @sum(%x: memref<?xi64, strided<[?], offset: ?>>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xi64>
  %b = bufferization.to_buffer %y read_only : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
  %o = memref.alloc(%n) : memref<?xi64>
  linalg.mul ins(%x, %b : memref<?xi64, strided<[?], offset: ?>>, memref<?xi64, strided<[?], offset: ?>>) outs(%o : memref<?xi64>)
  %r = bufferization.to_tensor %o restrict : memref<?xi64> to tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func private @after(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %b = bufferization.to_buffer %x read_only : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
  %s = linalg.mul ins(%y, %y : tensor<?xi64>, tensor<?xi64>) outs(%x : tensor<?xi64>) -> tensor<?xi64>
  %r = call @sum(%b, %s) : (memref<?xi64, strided<[?], offset: ?>>, tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @straight(%x: tensor<?xi64>) -> tensor<?xi64> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %ones = tensor.splat %one[%n] : tensor<?xi64>
  %a = arith.addi %x, %ones : tensor<?xi64>
  %b = bufferization.to_buffer %a : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
  %s = arith.muli %x, %x : tensor<?xi64>
  %r = call @sum(%b, %s) : (memref<?xi64, strided<[?], offset: ?>>, tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @read_only(%x: tensor<?xi64>) -> tensor<?xi64> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %ones = tensor.splat %one[%n] : tensor<?xi64>
  %a = linalg.add ins(%x, %ones : tensor<?xi64>, tensor<?xi64>) outs(%ones : tensor<?xi64>) -> tensor<?xi64>
  %b = bufferization.to_buffer %a read_only : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
  %s = linalg.mul ins(%x, %x : tensor<?xi64>, tensor<?xi64>) outs(%a : tensor<?xi64>) -> tensor<?xi64>
  %r = call @sum(%b, %s) : (memref<?xi64, strided<[?], offset: ?>>, tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @caller(%x: tensor<?xi64>) -> tensor<?xi64> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %ones = tensor.splat %one[%n] : tensor<?xi64>
  %a = arith.addi %x, %ones : tensor<?xi64>
  %r = call @after(%a, %x) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @branch(%x: tensor<?xi64>, %c: i1) -> tensor<?xi64> {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %ones = tensor.splat %one[%n] : tensor<?xi64>
  %a = arith.addi %x, %ones : tensor<?xi64>
  %b = scf.if %c -> memref<?xi64, strided<[?], offset: ?>> {
    %i = bufferization.to_buffer %a : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
    scf.yield %i : memref<?xi64, strided<[?], offset: ?>>
  } else {
    %i = bufferization.to_buffer %x : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
    scf.yield %i : memref<?xi64, strided<[?], offset: ?>>
  }
  %s = arith.muli %x, %x : tensor<?xi64>
  %r = func.call @sum(%b, %s) : (memref<?xi64, strided<[?], offset: ?>>, tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// The sum of what the state was before each turn: x, then 0 times x.
func.func @loop(%x: tensor<?xi64>, %turns: index) -> tensor<?xi64> {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %o = memref.alloc(%n) : memref<?xi64>
  linalg.fill ins(%zero : i64) outs(%o : memref<?xi64>)
  %zeros = tensor.splat %zero[%n] : tensor<?xi64>
  %last = scf.for %i = %c0 to %turns step %c1 iter_args(%state = %x) -> tensor<?xi64> {
    %b = bufferization.to_buffer %state read_only : tensor<?xi64> to memref<?xi64, strided<[?], offset: ?>>
    %next = linalg.mul ins(%state, %zeros : tensor<?xi64>, tensor<?xi64>) outs(%state : tensor<?xi64>) -> tensor<?xi64>
    linalg.add ins(%b, %o : memref<?xi64, strided<[?], offset: ?>>, memref<?xi64>) outs(%o : memref<?xi64>)
    scf.yield %next : tensor<?xi64>
  }
  %s = bufferization.to_tensor %o restrict : memref<?xi64> to tensor<?xi64>
  %r = arith.addi %s, %last : tensor<?xi64>
  return %r : tensor<?xi64>
}
