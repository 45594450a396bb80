// RUN: symshape-opt %s --symshape-lower-affine-ops=only-if-arrays | FileCheck %s
// RUN: symshape-opt %s --symshape-lower-affine-ops | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @loop(
// CHECK-NOT: affine.
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: affine.
// CHECK: return
func.func @loop(%t: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = affine.for %i = 0 to %n iter_args(%a = %t) -> (tensor<?xf32>) {
    %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %b = affine.if affine_set<(d0)[s0] : (s0 - d0 >= 0)>(%j)[%n] -> tensor<?xf32> {
      affine.yield %a : tensor<?xf32>
    } else {
      affine.yield %t : tensor<?xf32>
    }
    affine.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Deallocation does not know what becomes of a buffer that a loop carries.
// CHECK-LABEL: func.func @buffers(
// CHECK-NOT: affine.
// CHECK: scf.for
func.func @buffers(%m: memref<?xi64>, %n: index, %x: i64) {
  affine.for %i = 0 to %n iter_args(%a = %m) -> (memref<?xi64>) {
    memref.store %x, %a[%i] : memref<?xi64>
    affine.yield %a : memref<?xi64>
  }
  return
}

// Must not fire: a loop that carries numbers.
// CHECK-LABEL: func.func @numbers(
// CHECK: affine.for
// CHECK: affine.load
func.func @numbers(%m: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to %n iter_args(%a = %zero) -> (f32) {
    %x = affine.load %m[%i] : memref<?xf32>
    %y = arith.addf %a, %x : f32
    affine.yield %y : f32
  }
  return %r : f32
}

// Must not fire: no loop.
// CHECK-LABEL: func.func @map(
// CHECK: affine.min
func.func @map(%t: tensor<?xf32>, %n: index) -> index {
  %r = affine.min affine_map<(d0) -> (d0, 4)>(%n)
  return %r : index
}

// Products of a rewritten map may wrap; those that the user wrote stay as they are.
// CHECK-LABEL: func.func @products(
// CHECK:         affine.apply
// ALL-LABEL: func.func @products(
// ALL-DAG:     arith.muli %{{.*}} overflow<nsw>
// ALL-DAG:     arith.muli %{{.*}}, %{{.*}} : index
// ALL-DAG:     arith.muli %{{.*}}, %{{.*}} : index
// ALL:         return
func.func @products(%a: index, %b: index) -> (index, index) {
  %x = affine.apply affine_map<()[s0] -> (s0 * -2 + (s0 floordiv 2) * 4)>()[%a]
  %y = arith.muli %a, %b overflow<nsw> : index
  return %x, %y : index, index
}

// A loop without dimensions runs once.
// ALL-LABEL: func.func @no_dimensions(
// ALL-SAME:    %[[X:.*]]: f32
// ALL-NOT:     parallel
// ALL:         memref.store %[[X]]
// ALL:         return %[[X]]
func.func @no_dimensions(%x: f32, %m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = affine.parallel () = () to () reduce ("addf") -> f32 {
    memref.store %x, %m[%c0] : memref<4xf32>
    affine.yield %x : f32
  }
  return %0 : f32
}
