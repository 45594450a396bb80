// RUN: symshape-opt %s --symshape-lower-structured-ops | FileCheck %s

// A loop whose turns only run loops and branches that it does not change.
// CHECK-LABEL: func.func @nest(
// CHECK-SAME:    %{{.*}}: memref<?x?x?xf32>, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index, %[[C:.*]]: i1)
func.func @nest(%b: memref<?x?x?xf32>, %m: index, %n: index, %k: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // CHECK-DAG: %[[SOME:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[K]]
  // CHECK-DAG: %[[EITHER:.*]] = arith.ori %[[SOME]], %[[C]]
  // CHECK-DAG: %[[ROWS:.*]] = arith.select %[[EITHER]], %[[N]], %[[ZERO]]
  // CHECK-DAG: %[[ANY:.*]] = arith.cmpi slt, %[[ZERO]], %[[ROWS]]
  // CHECK:     %[[ALL:.*]] = arith.select %[[ANY]], %[[M]], %[[ZERO]]
  // CHECK:     scf.for %{{.*}} = %[[ZERO]] to %[[ALL]]
  scf.for %i = %c0 to %m step %c1 {
    // CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[ROWS]]
    scf.for %j = %c0 to %n step %c1 {
      // CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[K]]
      scf.for %l = %c0 to %k step %c1 {
        memref.store %z, %b[%i, %j, %l] : memref<?x?x?xf32>
      }
      scf.if %c {
        memref.store %z, %b[%i, %j, %c0] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// Must not fire: a turn does something else, runs an inner loop in any case, or decides how often.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     arith.select
func.func @others(%b: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    memref.store %z, %b[%i, %c0] : memref<?x?xf32>
    scf.for %j = %c0 to %n step %c1 {
      memref.store %z, %b[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %z, %b[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %z, %b[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %z, %b[%i, %j] : memref<?x?xf32>
    }
  }
  // CHECK: return
  return
}

// What is only read, and a loop that runs in any case, write nothing.
// CHECK-LABEL: func.func @reads(
// CHECK-SAME:    %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<f32>, %[[M:.*]]: index, %[[N:.*]]: index)
func.func @reads(%b: memref<?x?xf32>, %s: memref<f32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N]]
  // CHECK: %[[ROWS:.*]] = arith.select %[[SOME]], %[[M]], %[[ZERO]]
  // CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[ROWS]]
  scf.for %i = %c0 to %m step %c1 {
    %f = memref.load %s[] : memref<f32>
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%a = %f) -> f32 {
      %e = memref.load %b[%i, %j] : memref<?x?xf32>
      %next = arith.addf %a, %e : f32
      scf.yield %next : f32
    }
    scf.for %k = %c0 to %c1 step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %sum, %b[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// A reduction over rows of nothing.
// CHECK-LABEL: func.func @sum(
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %[[COLUMNS:.*]], %[[C0:.*]] : index
// CHECK:         %[[END:.*]] = arith.select %[[NONE]], %{{.*}}, %{{.*}} : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} {{.*}} -> (f32, f32)
func.func @sum(%x: memref<?x?xf32>, %r: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%r : memref<f32>) dimensions = [0, 1]
  return
}
