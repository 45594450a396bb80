// RUN: symshape-opt %s --symshape-check-allocations | FileCheck %s
// RUN: not symshape-run %s --entry=outer --input=4194304xi8=zeros --input=4194304xi8=zeros --input=4194304xi8=zeros 2>&1 \
// RUN:     | FileCheck %s --check-prefix=REFUSED
// RUN: not symshape-run %s --entry=outer --plan-memory=off --input=65536xi8=zeros --input=65536xi8=zeros --input=65536xi8=zeros 2>&1 \
// RUN:     | FileCheck %s --check-prefix=REFUSED
// RUN: symshape-run %s --entry=outer --input=0xi8=zeros --input=4194304xi8=zeros --input=4194304xi8=zeros | FileCheck %s --check-prefix=EMPTY
// RUN: not symshape-run %s --entry=large 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not symshape-run %s --entry=large --compile=quick 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not symshape-run %s --entry=ones 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not symshape-run %s --entry=many --input=i64=4611686018427387904 2>&1 | FileCheck %s --check-prefix=MANY

// Positive: a product of extents; of one, scaled.
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index)
// CHECK:         arith.muli {{.*}} : i128
// CHECK:         arith.minsi {{.*}} : i128
// CHECK:         arith.muli {{.*}} : i128
// CHECK:         %[[TOTAL:.*]] = arith.minsi {{.*}} : i128
// CHECK:         %[[MOST:.*]] = arith.constant 140737488355328 : i128
// CHECK:         %[[BAD:.*]] = arith.cmpi ugt, %[[TOTAL]], %[[MOST]] : i128
// CHECK:         scf.if %[[BAD]]
// CHECK:           symshape.fail "allocation refused: expected at most 2^47 bytes, but got {0}x3x{1}xf32" (%[[M]], %[[N]])
// CHECK:         memref.alloc(%[[M]], %[[N]])
// CHECK-LABEL: func.func @scaled(
// CHECK:         symshape.fail
func.func @product(%m: index, %n: index) -> memref<?x3x?xf32> {
  %x = memref.alloc(%m, %n) : memref<?x3x?xf32>
  return %x : memref<?x3x?xf32>
}
func.func @scaled(%m: index) -> memref<?xf32> {
  %x = memref.alloc(%m) : memref<?xf32>
  return %x : memref<?xf32>
}

// Must not fire: an arena, whose size the runtime sees itself, and what is static
// and small.
// CHECK-LABEL: func.func @bytes(
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @bytes(%m: index) -> (memref<?xi8>, memref<3xf32>) {
  %most = arith.constant 281474976710656 : index
  %n = arith.minsi %m, %most : index
  %x = memref.alloc(%n) : memref<?xi8>
  %y = memref.alloc() : memref<3xf32>
  return %x, %y : memref<?xi8>, memref<3xf32>
}

// Positive: static extents whose product is 2^64, or that are too many bytes.
// CHECK-LABEL: func.func @static(
// CHECK:         symshape.fail "allocation refused: expected at most 2^47 bytes, but got 2097152x2097152x4194304xf32"
// CHECK:         symshape.fail "allocation refused: expected at most 2^47 bytes, but got 9223372036854775807xi1"
// CHECK-NOT:     symshape.fail
// CHECK:         return
func.func @static() -> (memref<2097152x2097152x4194304xf32>, memref<9223372036854775807xi1>, memref<9223372036854775807x0xf32>) {
  %x = memref.alloc() : memref<2097152x2097152x4194304xf32>
  %y = memref.alloc() : memref<9223372036854775807xi1>
  %z = memref.alloc() : memref<9223372036854775807x0xf32>
  return %x, %y, %z : memref<2097152x2097152x4194304xf32>, memref<9223372036854775807xi1>, memref<9223372036854775807x0xf32>
}

// Positive: what may not fit the stack leaves it. Must not fire: what fits.
// CHECK-LABEL: func.func @stack(
// CHECK:         memref.alloc({{.*}}) : memref<?xf32>
// CHECK:         memref.alloc() : memref<16385xf32>
// CHECK:         memref.alloca() : memref<16384xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:         return
func.func @stack(%m: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %x = memref.alloca(%m) : memref<?xf32>
  %y = memref.alloca() : memref<16385xf32>
  %z = memref.alloca() : memref<16384xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  memref.store %v, %y[%c0] : memref<16385xf32>
  memref.store %v, %z[%c0] : memref<16384xf32>
  %w = memref.alloc() : memref<3xf32>
  memref.dealloc %w : memref<3xf32>
  return
}

// The numbers of bytes are 2^66 and 2^48; without a check, 2^66 wraps to 0.
// REFUSED: allocation refused: expected at most 2^47 bytes, but got
// EMPTY: 0x4194304x4194304xi8
#a = affine_map<(i, j, k) -> (i)>
#b = affine_map<(i, j, k) -> (j)>
#c = affine_map<(i, j, k) -> (k)>
#d = affine_map<(i, j, k) -> (i, j, k)>
func.func @outer(%x: tensor<?xi8>, %y: tensor<?xi8>, %z: tensor<?xi8>) -> tensor<?x?x?xi8> {
  %c0 = arith.constant 0 : index
  %i = tensor.dim %x, %c0 : tensor<?xi8>
  %j = tensor.dim %y, %c0 : tensor<?xi8>
  %k = tensor.dim %z, %c0 : tensor<?xi8>
  %e = tensor.empty(%i, %j, %k) : tensor<?x?x?xi8>
  %r = linalg.generic {indexing_maps = [#a, #b, #c, #d], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y, %z : tensor<?xi8>, tensor<?xi8>, tensor<?xi8>) outs(%e : tensor<?x?x?xi8>) {
  ^bb0(%p: i8, %q: i8, %s: i8, %o: i8):
    %0 = arith.addi %p, %q : i8
    %1 = arith.addi %0, %s : i8
    linalg.yield %1 : i8
  } -> tensor<?x?x?xi8>
  return %r : tensor<?x?x?xi8>
}

// An extent of 2^62, four bytes each.
// MANY: allocation refused: expected at most 2^47 bytes, but got 4611686018427387904xf32
func.func @many(%n: i64) -> tensor<?xf32> {
  %f = arith.constant 1.0 : f32
  %m = arith.index_cast %n : i64 to index
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A static size beyond 64 bits; and a constant of that size, which is filled.
// LARGE: allocation refused: expected at most 2^47 bytes, but got 9223372036854775807xf32
func.func @large() -> tensor<9223372036854775807xf32> {
  %f = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<9223372036854775807xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  return %r : tensor<9223372036854775807xf32>
}
func.func @ones() -> tensor<9223372036854775807xf32> {
  %r = arith.constant dense<1.0> : tensor<9223372036854775807xf32>
  return %r : tensor<9223372036854775807xf32>
}
