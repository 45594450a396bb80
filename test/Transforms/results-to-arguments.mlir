// RUN: symshape-opt %s --symshape-results-to-arguments --split-input-file | FileCheck %s

// Positive: the caller allocates; what it passes on to be returned as well.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4xf32>, %[[R:[a-z0-9]+]]: memref<?x4xf32>) {
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.add {{.*}} outs(%[[R]] : memref<?x4xf32>)
// CHECK:         return{{$}}
func.func private @twice(%x: memref<?x4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %r = memref.alloc(%n) : memref<?x4xf32>
  linalg.add ins(%x, %x : memref<?x4xf32>, memref<?x4xf32>) outs(%r : memref<?x4xf32>)
  return %r : memref<?x4xf32>
}

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4xf32>) -> memref<?x4xf32>
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK:         call @twice(%[[X]], %[[A]]) : (memref<?x4xf32>, memref<?x4xf32>) -> ()
// CHECK:         %[[B:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK:         call @twice(%[[A]], %[[B]])
// CHECK:         return %[[B]]
func.func @caller(%x: memref<?x4xf32>) -> memref<?x4xf32> {
  %a = call @twice(%x) : (memref<?x4xf32>) -> memref<?x4xf32>
  %b = call @twice(%a) : (memref<?x4xf32>) -> memref<?x4xf32>
  return %b : memref<?x4xf32>
}

// -----

// Positive: a reshaped result. The allocation becomes a view of the argument.
// What is not a buffer stays a result.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    f32, %[[R:[a-z0-9]+]]: memref<?x4xf32>) -> f32
// CHECK:         memref.reinterpret_cast %[[R]] to offset: [0], sizes: [%{{.*}}, %{{.*}}, 4], strides: [%{{.*}}, 4, 1] : memref<?x4xf32> to memref<?x?x4xf32>
// CHECK:         return %{{.*}} : f32
func.func private @rows(%x: memref<?x?x4xf32>, %f: f32) -> (f32, memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?x4xf32>
  %n = memref.dim %x, %c1 : memref<?x?x4xf32>
  %r = memref.alloc(%m, %n) : memref<?x?x4xf32>
  linalg.add ins(%x, %x : memref<?x?x4xf32>, memref<?x?x4xf32>) outs(%r : memref<?x?x4xf32>)
  %v = memref.collapse_shape %r [[0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
  return %f, %v : f32, memref<?x4xf32>
}

// Positive: the result of a result of a call. The extent fits, as does each
// part of it.
// CHECK-LABEL: func.func private @middle(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: memref<?x4xf32>) {
// CHECK:         call @rows(%{{.*}}, %{{.*}}, %[[R]])
func.func private @middle(%x: memref<?x?x4xf32>, %f: f32) -> memref<?x4xf32> {
  %g, %r = call @rows(%x, %f) : (memref<?x?x4xf32>, f32) -> (f32, memref<?x4xf32>)
  return %r : memref<?x4xf32>
}
// CHECK-LABEL: func.func @outer(
// CHECK:         %[[N:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nsw> : index
// CHECK:         memref.alloc(%[[N]])
func.func @outer(%x: memref<?x?x4xf32>, %f: f32) -> memref<?x4xf32> {
  %r = call @middle(%x, %f) : (memref<?x?x4xf32>, f32) -> memref<?x4xf32>
  return %r : memref<?x4xf32>
}

// -----

// Must not fire: the extent is known only when the callee has run.
// CHECK-LABEL: func.func private @unknown(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<?xindex>) -> memref<?xf32>
func.func private @unknown(%sizes: memref<?xindex>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.load %sizes[%c0] : memref<?xindex>
  %r = memref.alloc(%n) : memref<?xf32>
  return %r : memref<?xf32>
}
func.func @asks(%sizes: memref<?xindex>) -> memref<?xf32> {
  %r = call @unknown(%sizes) : (memref<?xindex>) -> memref<?xf32>
  return %r : memref<?xf32>
}

// -----

// Must not fire: one buffer for two results, an argument, one of two buffers.
// CHECK-LABEL: func.func private @shared(
// CHECK-SAME:    ) -> (memref<4xf32>, memref<4xf32>)
func.func private @shared() -> (memref<4xf32>, memref<4xf32>) {
  %r = memref.alloc() : memref<4xf32>
  return %r, %r : memref<4xf32>, memref<4xf32>
}
// CHECK-LABEL: func.func private @argument(
// CHECK-SAME:    ) -> memref<4xf32>
func.func private @argument(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}
// CHECK-LABEL: func.func private @either(
// CHECK-SAME:    ) -> memref<4xf32>
func.func private @either(%c: i1) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^first, ^second
^first:
  return %a : memref<4xf32>
^second:
  return %b : memref<4xf32>
}
func.func @all(%x: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %a, %b = call @shared() : () -> (memref<4xf32>, memref<4xf32>)
  %d = call @argument(%x) : (memref<4xf32>) -> memref<4xf32>
  %e = call @either(%c) : (i1) -> memref<4xf32>
  linalg.add ins(%a, %d : memref<4xf32>, memref<4xf32>) outs(%e : memref<4xf32>)
  return %e : memref<4xf32>
}

// -----

// Must not fire: someone else may call it; and a part of a buffer.
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    ) -> memref<4xf32>
func.func @public() -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  return %r : memref<4xf32>
}
// CHECK-LABEL: func.func private @part(
// CHECK-SAME:    ) -> memref<4xf32>
func.func private @part() -> memref<4xf32> {
  %r = memref.alloc() : memref<8xf32>
  %v = memref.subview %r[0] [4] [1] : memref<8xf32> to memref<4xf32>
  return %v : memref<4xf32>
}
func.func @calls() -> (memref<4xf32>, memref<4xf32>) {
  %a = call @public() : () -> memref<4xf32>
  %b = call @part() : () -> memref<4xf32>
  return %a, %b : memref<4xf32>, memref<4xf32>
}
