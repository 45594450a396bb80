// RUN: symshape-opt %s --symshape-insert-guards | FileCheck %s

// A number that its type or its op keeps in a table is not checked again: upstream's
// integer ranges know as much.
// CHECK-LABEL: func.func @bytes(
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @bytes(%t: tensor<256xf32>, %b: i8, %n: index) -> (f32, f32, f32, f32, f32) {
  %c255 = arith.constant 255 : index
  %c256 = arith.constant 256 : index
  %wide = arith.extui %b : i8 to i32
  %i0 = arith.index_cast %wide : i32 to index
  %0 = tensor.extract %t[%i0] : tensor<256xf32>
  %i1 = arith.index_castui %b : i8 to index
  %1 = tensor.extract %t[%i1] : tensor<256xf32>
  %i2 = arith.andi %n, %c255 : index
  %2 = tensor.extract %t[%i2] : tensor<256xf32>
  %i3 = arith.remui %n, %c256 : index
  %3 = tensor.extract %t[%i3] : tensor<256xf32>
  %i4 = index.castu %b : i8 to index
  %4 = tensor.extract %t[%i4] : tensor<256xf32>
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// The same through shifts, a choice, a loop of unsigned bytes and the elements of a vector.
// CHECK-LABEL: func.func @derived(
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @derived(%t: tensor<256xf32>, %b: i8, %p: i1, %w: i32, %v: vector<4xi8>) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : i32
  %zero = arith.constant 0.0 : f32
  %top = arith.shrui %w, %c24 : i32
  %i0 = arith.index_cast %top : i32 to index
  %0 = tensor.extract %t[%i0] : tensor<256xf32>
  %wide = arith.extui %b : i8 to i32
  %either = arith.select %p, %wide, %top : i32
  %i1 = arith.index_castui %either : i32 to index
  %1 = tensor.extract %t[%i1] : tensor<256xf32>
  %n = arith.index_castui %b : i8 to index
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %x = tensor.extract %t[%i] : tensor<256xf32>
    %y = arith.addf %s, %x : f32
    scf.yield %y : f32
  }
  %wides = arith.extui %v : vector<4xi8> to vector<4xi32>
  %element = vector.extract %wides[2] : i32 from vector<4xi32>
  %i3 = arith.index_cast %element : i32 to index
  %3 = tensor.extract %t[%i3] : tensor<256xf32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// Must not fire: signed bytes may be negative, and a table may be too short by one.
// CHECK-LABEL: func.func @signed(
// CHECK:         symshape.fail
// CHECK:         return
func.func @signed(%t: tensor<256xf32>, %b: i8) -> f32 {
  %i = arith.index_cast %b : i8 to index
  %r = tensor.extract %t[%i] : tensor<256xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @short(
// CHECK:         symshape.fail
// CHECK:         return
func.func @short(%t: tensor<255xf32>, %b: i8) -> f32 {
  %i = arith.index_castui %b : i8 to index
  %r = tensor.extract %t[%i] : tensor<255xf32>
  return %r : f32
}
