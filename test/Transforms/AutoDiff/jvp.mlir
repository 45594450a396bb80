// RUN: symshape-opt %s --symshape-jvp="function=f wrt=0" | FileCheck %s
// RUN: symshape-opt %s --symshape-jvp="function=unused wrt=0,1" | FileCheck %s --check-prefix=UNUSED
// RUN: symshape-opt %s --symshape-jvp="function=through wrt=0" | FileCheck %s --check-prefix=INTEGERS
// RUN: symshape-opt %s --symshape-jvp="function=caller wrt=0" | FileCheck %s --check-prefix=CALLS

// The size has no tangent, and is the same for the tangent. An inactive operand
// of the product gives no term.
// CHECK: func.func @f(
// CHECK: func.func @f.jvp(%[[X:[a-z0-9]+]]: tensor<?xf64>, %[[S:[a-z0-9]+]]: f64, %[[DX:[a-z0-9]+]]: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>)
// CHECK: %[[T:.*]] = symshape.dynamic_truncate %[[X]], %[[S]] axis 0
// CHECK: %[[N:.*]] = symshape.truncate_size %[[S]], %{{.*}} : f64
// CHECK: %[[DT:.*]] = symshape.dynamic_truncate %[[DX]], %[[N]] axis 0
// CHECK: math.exp %[[T]]
// CHECK: %[[P:.*]] = arith.mulf %[[T]], %[[E:.*]] : tensor<?xf64>
// CHECK-DAG: arith.mulf %[[DT]], %[[E]]
// CHECK: return %[[P]], %{{.*}}
func.func @f(%x: tensor<?xf64>, %s: f64) -> tensor<?xf64> {
  %t = symshape.dynamic_truncate %x, %s axis 0 : tensor<?xf64>, f64 to tensor<?xf64>
  %e = math.exp %t : tensor<?xf64>
  %p = arith.mulf %t, %e : tensor<?xf64>
  return %p : tensor<?xf64>
}

// A result that depends on no argument of wrt has zeros of its extents; what is
// on no path needs no rule.
// UNUSED: func.func @unused.jvp(
// UNUSED: %[[R:.*]] = linalg.fill
// UNUSED: return %{{.*}}, %{{.*}}, %[[R]]
func.func @unused(%x: f64, %y: tensor<?xf64>, %z: tensor<?xf64>) -> (f64, tensor<?xf64>) {
  %j = arith.fptosi %x : f64 to i32
  %u = math.fpowi %x, %j : f64, i32
  %i = arith.fptosi %u : f64 to i64
  return %x, %z : f64, tensor<?xf64>
}

// Integers have no tangents: the chain through one gives zeros.
// INTEGERS: func.func @through.jvp(%{{.*}}: f64, %{{.*}}: f64) -> (f64, f64)
// INTEGERS: %[[Z:.*]] = arith.constant 0.0
// INTEGERS: return %{{.*}}, %[[Z]]
func.func @through(%x: f64) -> f64 {
  %i = arith.fptosi %x : f64 to i64
  %r = arith.sitofp %i : i64 to f64
  return %r : f64
}

// CALLS: func.func @caller.jvp(
// CALLS-NOT: call
// CALLS: return
func.func private @square(%x: f64) -> f64 {
  %r = arith.mulf %x, %x : f64
  return %r : f64
}
func.func @caller(%x: f64) -> f64 {
  %0 = call @square(%x) : (f64) -> f64
  %1 = call @square(%0) : (f64) -> f64
  return %1 : f64
}

// RUN: symshape-opt %s --symshape-jvp="function=largest wrt=0" | FileCheck %s --check-prefix=LARGEST

// All elements that reach the maximum share; an empty axis has none, which is
// checked.
// LARGEST: func.func @largest.jvp(%[[X:[a-z0-9]+]]: tensor<?xf64>, %[[DX:[a-z0-9]+]]: tensor<?xf64>)
// LARGEST: %[[R:.*]] = linalg.reduce { arith.maximumf }
// LARGEST: symshape.assert "n >= 1" (n = %{{.*}}), {{.*}} {symshape.triple = "{primitive = reduce_max, field = operand.shape[axis], observed = 0}"}
// LARGEST: ins(%[[X]], %[[DX]], %[[R]] :
// LARGEST: arith.cmpf oeq
// LARGEST: arith.select
// LARGEST: ins(%[[X]], %[[R]] :
// LARGEST: arith.divf
func.func @largest(%x: tensor<?xf64>) -> tensor<f64> {
  %low = arith.constant dense<0xFFF0000000000000> : tensor<f64>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf64>) outs(%low : tensor<f64>) dimensions = [0]
  return %r : tensor<f64>
}

// RUN: symshape-opt %s --symshape-jvp="function=stopped wrt=0" | FileCheck %s --check-prefix=STOP

// What a stop_gradient reads has no tangent, though the extremum of an empty
// axis would ask for an element.
// STOP: func.func @stopped.jvp(%[[X:[a-z0-9]+]]: tensor<?xf64>, %[[DX:[a-z0-9]+]]: tensor<?xf64>)
// STOP-NOT: needs an element
// STOP: %[[S:.*]] = symshape.stop_gradient
// STOP: arith.mulf %[[X]], %{{.*}} : tensor<?xf64>
// STOP: %[[T:.*]] = arith.mulf %[[DX]], %{{.*}} : tensor<?xf64>
// STOP: return %{{.*}}, %[[T]]
func.func @stopped(%x: tensor<?xf64>) -> tensor<?xf64> {
  %z = arith.constant 0xFFF0000000000000 : f64
  %e = tensor.empty() : tensor<f64>
  %0 = linalg.fill ins(%z : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %most = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf64>) outs(%0 : tensor<f64>) dimensions = [0]
  %s = symshape.stop_gradient %most : tensor<f64>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %b = symshape.broadcast %s to [%n] dims [] expanding [] : tensor<f64> to tensor<?xf64>
  %r = arith.mulf %x, %b : tensor<?xf64>
  return %r : tensor<?xf64>
}
