// RUN: symshape-opt %s --symshape-parallelize-loops=min-work=100 --split-input-file | FileCheck %s

// Positive: the body becomes a function of a range. The constant is its own; the
// buffers and the extent go through the struct; three ops cost 3.
// CHECK: llvm.func @symshape_rt_parallel(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xf32>, %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[CONTEXT:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK:         %[[WORK:.*]] = arith.constant 100 : index
// CHECK:         %[[GRAIN:.*]] = arith.ceildivui %[[WORK]]
// CHECK-NOT:     scf.parallel
// CHECK:         %[[BODY:.*]] = constant @rows_parallel
// CHECK:         %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK:         %[[GRAIN64:.*]] = arith.index_cast %[[GRAIN]] : index to i64
// CHECK:         llvm.call @symshape_rt_parallel(%[[POINTER]], %[[CONTEXT]], %{{.*}}, %[[GRAIN64]])
// CHECK-LABEL: func.func private @rows_parallel(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: !llvm.ptr, %[[BEGIN:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64)
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK:         arith.constant 2.000000e+00 : f32
// CHECK:         llvm.load
// CHECK:         %[[FIRST:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK:         %[[LAST:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK:           memref.load
// CHECK:           arith.mulf
// CHECK:           memref.store
func.func @rows(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %a[%i] : memref<?xf32>
    %1 = arith.mulf %0, %two : f32
    memref.store %1, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: two dimensions are one range, from bounds and steps that are values.
// CHECK-LABEL: func.func private @nest_parallel(
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[J:.*]] = arith.remui %[[K]], %[[TRIPS:.*]] : index
// CHECK:           %[[I:.*]] = arith.divui %[[K]], %[[TRIPS]] : index
// CHECK:           arith.muli %[[J]]
// CHECK:           arith.muli %[[I]]
func.func @nest(%a: memref<?x?xf32>, %from: index, %m: index, %n: index, %by: index, %v: f32) {
  scf.parallel (%i, %j) = (%from, %from) to (%m, %n) step (%by, %by) {
    memref.store %v, %a[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// Positive: a forall on buffers.
// CHECK-LABEL: func.func @forall(
// CHECK:         llvm.call @symshape_rt_parallel
func.func @forall(%a: memref<?xf32>, %n: index, %v: f32) {
  scf.forall (%i) in (%n) {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// The cost of an iteration: the trips of the loop inside times its op, plus the
// loop itself; then a loop whose end the body computes counts 8.
// CHECK-LABEL: func.func @cost(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index
// CHECK:         arith.subi %[[N]]
// CHECK:         arith.ceildivui
// CHECK:         arith.constant 8 : index
// CHECK:         arith.ceildivui
// CHECK:         llvm.call @symshape_rt_parallel
func.func @cost(%a: memref<?x?xf32>, %m: index, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
    scf.for %j = %c0 to %i step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Only the outermost loop is handed out.
// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-1: llvm.call @symshape_rt_parallel
// CHECK-LABEL: func.func private @nested_parallel(
// CHECK:         scf.parallel
// CHECK-NOT:     llvm.call
func.func @nested(%a: memref<?x?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Must not fire: the order of a reduction's parts would depend on the threads.
// CHECK-NOT: symshape_rt_parallel
// CHECK-LABEL: func.func @reduction(
// CHECK:         scf.parallel
func.func @reduction(%a: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %0 = memref.load %a[%i] : memref<?xf32>
    scf.reduce(%0 : f32) {
    ^bb0(%l: f32, %r: f32):
      %1 = arith.addf %l, %r : f32
      scf.reduce.return %1 : f32
    }
  }
  return %sum : f32
}

// -----

// Must not fire: there is nothing to do.
// CHECK-NOT: symshape_rt_parallel
// CHECK-LABEL: func.func @serial(
func.func @serial(%a: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// Must not fire: a tensor has no form in memory.
// CHECK-LABEL: func.func @tensor(
// CHECK:         scf.parallel
func.func @tensor(%a: memref<?xf32>, %t: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = tensor.extract %t[%i] : tensor<?xf32>
    memref.store %0, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// A function that says what its calls cost: 3 times its first and third argument.
// The first is computed inside, from a bound that is known; what is not known at
// all counts 8: the second call has a cost of 3 * 8 * 8.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: i64
// CHECK:         %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         %[[ROWS:.*]] = arith.muli %[[N]], %[[THREE]] : index
// CHECK:         %[[TERMS:.*]] = arith.index_cast %[[M]] : i64 to index
// CHECK:         arith.muli %[[ROWS]], %[[TERMS]] : index
// CHECK:         %[[UNKNOWN:.*]] = arith.constant 192 : index
// CHECK:         arith.addi %{{.*}}, %[[UNKNOWN]] : index
// CHECK:         llvm.call @symshape_rt_parallel
// CHECK:       func.func private @kernel(i64, memref<?xf32>, i64)
// CHECK-NOT:     call_cost
func.func @calls(%n: index, %m: i64, %a: memref<?xf32>, %b: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %left = arith.subi %n, %i : index
    %rows = arith.minsi %left, %n : index
    %rows64 = arith.index_cast %rows : index to i64
    func.call @kernel(%rows64, %a, %m) : (i64, memref<?xf32>, i64) -> ()
    %found = memref.load %b[%i] : memref<?xi64>
    func.call @kernel(%found, %a, %found) : (i64, memref<?xf32>, i64) -> ()
  }
  return
}
func.func private @kernel(i64, memref<?xf32>, i64) attributes {call_cost = array<i64: 3, 0, 2>}

// -----

// The runtime is declared in the module that the loop is in.
// CHECK-NOT:   symshape_rt_parallel
// CHECK-LABEL: module @inner
// CHECK-NEXT:    llvm.func @symshape_rt_parallel(
// CHECK:         llvm.call @symshape_rt_parallel(
module @inner {
  func.func @nested(%a: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant 2.0 : f32
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %two, %a[%i] : memref<?xf32>
      scf.reduce
    }
    return
  }
}
