// RUN: not symshape-run %s --entry=chosen --input=3xf32=iota --input=i1=1 --input=index=17 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: not symshape-run %s --entry=counted --input=3xf32=iota --input=4xindex=iota 2>&1 | FileCheck %s --check-prefix=COUNTED
// RUN: not symshape-run %s --entry=carried --input=3xf32=iota --input=index=4 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: not symshape-run %s --entry=calls --input=3xf32=iota --input=f32=7.0 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: symshape-opt %s --emit-bytecode -o %t.mlirbc && not symshape-run %t.mlirbc --entry=chosen --input=3xf32=iota --input=i1=1 --input=index=17 2>&1 | FileCheck %s --check-prefix=NONE

// Messages name values as the program's text does.

// CHOSEN: @chosen: %place (17) must be less than extent of %x dim 0 (s0 = 3)
// NONE:   @chosen: the result of arith.select (17) must be less than extent of argument #0 dim 0 (s0 = 3)
func.func @chosen(%x: tensor<?xf32>, %yes: i1, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %place = arith.select %yes, %i, %c0 : index
  %v = tensor.extract %x[%place] : tensor<?xf32>
  return %v : f32
}

// COUNTED: @counted: %turn (3) must be less than extent of %x dim 0 (s0 = 3)
func.func @counted(%x: tensor<?xf32>, %n: tensor<?xindex>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %end = tensor.dim %n, %c0 : tensor<?xindex>
  %sum = scf.for %turn = %c0 to %end step %c1 iter_args(%so_far = %zero) -> f32 {
    %at = tensor.extract %n[%turn] : tensor<?xindex>
    %wanted = arith.cmpi eq, %at, %turn : index
    %next = scf.if %wanted -> f32 {
      %v = tensor.extract %x[%turn] : tensor<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %so_far : f32
    }
    scf.yield %next : f32
  }
  return %sum : f32
}

// Of several results, one.
// CARRIED: @carried: %pair#1 (4) must be less than extent of %x dim 0 (s0 = 3)
func.func @carried(%x: tensor<?xf32>, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %pair:2 = scf.while (%a = %c1, %b = %c1) : (index, index) -> (index, index) {
    %more = arith.cmpi slt, %b, %n : index
    scf.condition(%more) %a, %b : index, index
  } do {
  ^bb0(%a: index, %b: index):
    %next = arith.addi %b, %a : index
    scf.yield %a, %next : index, index
  }
  %v = tensor.extract %x[%pair#1] : tensor<?xf32>
  return %v : f32
}

// Those of the function that needs it.
// CALLS: @callee: %y (7) must be less than extent of %x dim 0 (s0 = 3)
func.func private @callee(%x: tensor<?xf32>, %f: f32) -> f32 {
  %y = arith.fptosi %f : f32 to i32
  %i = arith.index_cast %y : i32 to index
  %v = tensor.extract %x[%i] : tensor<?xf32>
  return %v : f32
}
func.func @calls(%y: tensor<?xf32>, %f: f32) -> f32 {
  %v = call @callee(%y, %f) : (tensor<?xf32>, f32) -> f32
  return %v : f32
}
