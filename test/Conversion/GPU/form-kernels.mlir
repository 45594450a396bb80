// RUN: symshape-opt %s --symshape-form-kernels --canonicalize --cse | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// Equal arrays are lines: a thread for four elements, the last one for what is left.
// CHECK-LABEL: func.func @elements(
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]]
// CHECK: %[[CHUNKS:.*]] = arith.ceildivui %[[SIZE:.*]], %c4
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[CHUNKS]], %c256
// CHECK: gpu.launch blocks({{.*}} = %[[BLOCKS]], {{.*}} threads({{.*}} = %c256
// CHECK: arith.cmpi ule, %{{.*}}, %[[SIZE]]
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: else
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: memref.store
// CHECK-NOT: gpu.launch
func.func @elements(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A thread for four elements, if the rows are a multiple of that; else one for each.
// CHECK-LABEL: func.func @repeated(
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
func.func @repeated(%a: memref<?x?xf32>, %r: memref<?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %r : memref<?x?xf32>, memref<?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
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

// Where a thread runs loops inside of loops, it gets more registers than by default.
// CHECK-LABEL: func.func @nested(
// CHECK: gpu.launch
// CHECK-COUNT-2: scf.for
// CHECK: nvvm.minctasm = 5
func.func @nested(%a: memref<?x?x?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a : memref<?x?x?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  return
}

// A group is one kernel: of a warp for each row, or of a block where rows are long, with
// chunks of 16 bytes or without.
// CHECK-LABEL: func.func @together(
// CHECK: arith.remui %{{.*}}, %c4
// CHECK: arith.cmpi sgt, %{{.*}}, %c1024
// CHECK: gpu.launch
// CHECK: vector.load
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: vector.store
// CHECK: gpu.launch
// CHECK: vector.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK: vector.store
// CHECK: gpu.launch
// CHECK-NOT: vector.load
// CHECK: gpu.launch
// CHECK-NOT: vector.load
// CHECK-NOT: gpu.launch
// CHECK: memref.dealloc
func.func @together(%a: memref<?x?xf32>, %b: memref<?xf32>, %spare: memref<?xf32>) {
  linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"],
                  symshape.together = [0, 1]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %out, %x : f32
    linalg.yield %s : f32
  }
  memref.dealloc %spare : memref<?xf32>
  linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"],
                  symshape.together = [0, 1]}
      ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%a : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.divf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

// A tile goes through shared memory if both loops are long enough.
// CHECK-LABEL: func.func @transposed(
// CHECK: arith.cmpi sge, %{{.*}}, %c16
// CHECK: gpu.launch {{.*}} workgroup(%[[TILE:.*]] : memref<32x33xf32
// CHECK-COUNT-4: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[TILE]]
// CHECK: else
// CHECK: gpu.launch
// CHECK-NOT: workgroup
// CHECK: return
func.func @transposed(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.transpose ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) permutation = [1, 0]
  return
}

// Rows by number: no two iterations write the same one, so a thread has a chunk of a row.
// CHECK-LABEL: func.func @gathered(
// CHECK: arith.muli %{{.*}}, %c2
// CHECK: gpu.launch {{.*}} threads({{.*}} = %c256
// CHECK: vector.store
// CHECK-NOT: gpu.launch
func.func @gathered(%a: memref<?x8xf32>, %i: memref<?xindex>, %b: memref<?x8xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %m step %c1 {
    %row = memref.load %i[%k] : memref<?xindex>
    %from = memref.subview %a[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %b[%k, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %from, %to : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

// Rows that numbers choose to be written may be the same: a thread has a column, and all rows.
// CHECK-LABEL: func.func @scattered(
// CHECK: gpu.launch {{.*}} threads({{.*}} = %c64
// CHECK: scf.for {{.*}} = %c0 to %{{.*}} step %c1
func.func @scattered(%a: memref<?x?xf32>, %i: memref<?xindex>, %b: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %m step %c1 {
    %row = memref.load %i[%k] : memref<?xindex>
    %from = memref.subview %b[%k, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %to = memref.subview %a[%row, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.copy %from, %to : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  }
  return
}

// Must not fire: what an iteration writes the next one reads.
// CHECK-LABEL: func.func @carried(
// CHECK: gpu.launch {{.*}} threads({{.*}} = %c1
// CHECK: scf.for {{.*}} = %c0 to
func.func @carried(%a: memref<?xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %m step %c1 {
    %x = memref.load %a[%k] : memref<?xf32>
    %next = arith.addi %k, %c1 : index
    memref.store %x, %a[%next] : memref<?xf32>
  }
  return
}

// Must not fire: the same array, seen in another way.
// CHECK-LABEL: func.func @viewed(
// CHECK: gpu.launch {{.*}} threads({{.*}} = %c1
// CHECK: scf.for {{.*}} = %c0 to
func.func @viewed(%a: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %line = memref.collapse_shape %a [[0, 1]] : memref<8x4xf32> into memref<32xf32>
  scf.for %k = %c0 to %c32 step %c1 {
    %x = memref.load %a[%c0, %c1] : memref<8x4xf32>
    memref.store %x, %line[%k] : memref<32xf32>
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
