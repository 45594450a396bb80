// RUN: symshape-opt %s --symshape-form-kernels --canonicalize --cse | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// A thread for four elements, if the rows are a multiple of that; else one for each.
// CHECK-LABEL: func.func @elements(
// CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %c4
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4xf32>
// CHECK: else
// CHECK: %[[COUNT:.*]] = arith.muli
// CHECK: %[[BLOCKS:.*]] = arith.divui
// CHECK: gpu.launch blocks({{.*}} = %[[BLOCKS]], {{.*}}) threads({{.*}} = %c256
// CHECK: arith.cmpi ult, %{{.*}}, %[[COUNT]]
// CHECK: arith.addf
// CHECK: memref.store
func.func @elements(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// Known divisors, and types, make one kernel; what only a row has is read once.
// CHECK-LABEL: func.func @known_rows(
// CHECK-NOT: scf.if
// CHECK: gpu.launch
// CHECK: vector.load {{.*}} : memref<?x8xbf16>, vector<4xbf16>
// CHECK: vector.store {{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK-NOT: gpu.launch
func.func @known_rows(%a: memref<?x8xbf16>, %r: memref<?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"],
                  gpu.divisors = array<i64: 1, 8>}
      ins(%a, %r : memref<?x8xbf16>, memref<?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: bf16, %y: f32, %out: f32):
    %w = arith.extf %x : bf16 to f32
    %s = arith.addf %w, %y : f32
    linalg.yield %s : f32
  }
  return
}

// What is laid out with strides is not in chunks.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT: vector.load
// CHECK: return
func.func @strided(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>, %b: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x8xf32, strided<[?, 1], offset: ?>>) outs(%b : memref<?x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A warp for each row: what neighbouring threads read is next to each other.
// CHECK-LABEL: func.func @rows(
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} step %c32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store
func.func @rows(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A loop that reads elements is one thread; what it yields goes through a buffer.
// CHECK-LABEL: func.func @nest(
// CHECK: %[[PLACE:.*]] = memref.alloc() : memref<index>
// CHECK: gpu.launch blocks({{.*}} = %c1{{.*}}) threads({{.*}} = %c1
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: memref.store %[[SUM]], %[[PLACE]][]
// CHECK: %[[READ:.*]] = memref.load %[[PLACE]][]
// CHECK: memref.dealloc %[[PLACE]]
// CHECK: return %[[READ]]
func.func @nest(%a: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xindex>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
    %x = memref.load %a[%i] : memref<?xindex>
    %t = arith.addi %s, %x : index
    scf.yield %t : index
  }
  return %sum : index
}

// Must not fire: a loop around a kernel stays on the host.
// CHECK-LABEL: func.func @around(
// CHECK: scf.for
// CHECK: gpu.launch
func.func @around(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  }
  return
}
