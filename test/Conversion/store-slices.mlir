// RUN: symshape-opt %s --symshape-store-slices=least=2 | FileCheck %s
// RUN: symshape-opt %s --symshape-store-slices | FileCheck %s --check-prefix=FEW

// FEW-NOT: memref.copy

// Each slice where the op was; a source may be a view.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
func.func @chain(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  // CHECK: %[[ALL:.*]] = memref.alloc(%[[N]], %[[M]]) {alignment = 64 : i64} : memref<?x?xf32>
  // CHECK: %[[A:.*]] = bufferization.to_buffer %[[X]] read_only : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  // CHECK: %[[FIRST:.*]] = memref.subview %[[ALL]][1, 0] [%[[N]], %[[M]]] [2, 1]
  // CHECK: memref.copy %[[A]], %[[FIRST]]
  // CHECK: %[[B:.*]] = bufferization.to_buffer %[[Y]] read_only
  // CHECK: %[[SECOND:.*]] = memref.subview %[[ALL]][%[[N]], 0] [1, %[[M]]] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  // CHECK: memref.copy %[[B]], %[[SECOND]]
  // CHECK: %[[R:.*]] = bufferization.to_tensor %[[ALL]] restrict writable
  // CHECK-NOT: insert_slice
  // CHECK: return %[[R]]
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %0 = tensor.insert_slice %x into %e[1, 0] [%n, %m] [2, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %1 = tensor.insert_slice %y into %0[%n, 0] [1, %m] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// One empty tensor that two chains begin with.
// CHECK-LABEL: func.func @shared(
func.func @shared(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // CHECK-NOT: insert_slice
  %e = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %x into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %y into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = tensor.insert_slice %y into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %3 = tensor.insert_slice %x into %2[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// Must not fire: what the first leaves is read, or inserted, elsewhere.
// CHECK-LABEL: func.func @read(
func.func @read(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  // CHECK-NOT: memref
  %e = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %x into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %y into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %d = tensor.empty() : tensor<4xf32>
  %2 = tensor.insert_slice %x into %d[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %f = tensor.empty() : tensor<8xf32>
  %3 = tensor.insert_slice %2 into %f[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// Must not fire: something is in the tensor before, or the slice is inserted in a
// branch or a loop.
// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<2xf32>, %t: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: memref
  %0 = tensor.insert_slice %x into %t[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %x into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %2 = tensor.insert_slice %x into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %3 = scf.if %c -> tensor<4xf32> {
    %4 = tensor.insert_slice %x into %2[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  } else {
    scf.yield %t : tensor<4xf32>
  }
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
