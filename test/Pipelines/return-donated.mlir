// RUN: symshape-opt %s --symshape-return-donated --split-input-file | FileCheck %s

// Positive: a copy of a donated argument, as the result that this names.
// CHECK-LABEL: func.func @copy_of_donated(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xf32>
func.func @copy_of_donated(%a: memref<?xf32> {symshape.donated = 1 : i64},
                           %i: index) -> (index, memref<?xf32>) {
  // CHECK-NOT: bufferization.clone
  // CHECK: return %{{.*}}, %[[A]]
  %r = bufferization.clone %a : memref<?xf32> to memref<?xf32>
  return %i, %r : index, memref<?xf32>
}

// -----

// Positive: of another type than the argument.
// CHECK-LABEL: func.func @cast_of_donated(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<4xf32>
func.func @cast_of_donated(%a: memref<4xf32> {symshape.donated = 0 : i64}) -> memref<?xf32> {
  // CHECK: %[[R:.*]] = memref.cast %[[A]] : memref<4xf32> to memref<?xf32>
  // CHECK: return %[[R]]
  %r = bufferization.clone %a : memref<4xf32> to memref<?xf32>
  return %r : memref<?xf32>
}

// -----

// Must not fire: the result is another one, the argument is not donated, or the
// copy is written to by somebody else.
// CHECK-LABEL: func.func @copies_that_stay(
func.func @copies_that_stay(%a: memref<?xf32> {symshape.donated = 1 : i64}, %b: memref<?xf32>,
                            %c: memref<?xf32> {symshape.donated = 2 : i64})
    -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
  // CHECK-COUNT-3: bufferization.clone
  %0 = bufferization.clone %a : memref<?xf32> to memref<?xf32>
  %1 = bufferization.clone %b : memref<?xf32> to memref<?xf32>
  %2 = bufferization.clone %c : memref<?xf32> to memref<?xf32>
  %f = arith.constant 1.0 : f32
  linalg.fill ins(%f : f32) outs(%2 : memref<?xf32>)
  return %0, %1, %2 : memref<?xf32>, memref<?xf32>, memref<?xf32>
}
