// RUN: symshape-opt %s --symshape-fixate="function=tensors shapes='8x12, 8x4, -, 4, 4x1x6x5'" | FileCheck %s --check-prefix=TENSORS
// RUN: symshape-opt %s --symshape-fixate="function=tensors shapes='8x12, 8x0, -, 0, 1x1x6x5'" | FileCheck %s --check-prefix=EMPTY
// RUN: symshape-opt %s --symshape-fixate="function=buffers shapes='4x6, 4x6'" | FileCheck %s --check-prefix=BUFFERS
// RUN: symshape-opt %s --symshape-fixate="function=shapes shapes='6x4'" | FileCheck %s --check-prefix=SHAPES
// RUN: symshape-opt %s --symshape-fixate="function=tiles shapes='16x8, 8x32, 16x32'" | FileCheck %s --check-prefix=TILES
// RUN: symshape-opt %s --symshape-fixate="function=carried shapes='3x4, -, 5'" | FileCheck %s --check-prefix=CARRIED
// RUN: symshape-opt %s --symshape-fixate="function=changing shapes='4, -'" | FileCheck %s --check-prefix=CHANGING
// RUN: not symshape-opt %s --symshape-fixate="function=never" 2>&1 | FileCheck %s --check-prefix=NEVER

// What upstream does not make static by itself: a concatenation of casts, a splat,
// a slice that drops one of several dimensions of size 1.
// TENSORS-LABEL: func.func @tensors(
// TENSORS-SAME:    -> (tensor<8x16xf32>, tensor<4x3x4xf32>, tensor<4x1x5xf32>)
// TENSORS-NOT:   ?
// TENSORS-NOT:   tensor.cast
// TENSORS:         tensor.concat dim(1) {{.*}} -> tensor<8x16xf32>
// TENSORS-DAG:     tensor.splat %{{.*}} : tensor<4x3x4xf32>
// TENSORS-DAG:     tensor.extract_slice {{.*}} : tensor<4x1x6x5xf32> to tensor<4x1x5xf32>
// TENSORS-NOT:   tensor.cast
// TENSORS:         return
// EMPTY-LABEL: func.func @tensors(
// EMPTY-SAME:    -> (tensor<8x12xf32>, tensor<0x3x0xf32>, tensor<1x1x5xf32>)
// EMPTY:         return
func.func @tensors(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %v: f32, %n: index, %t: tensor<?x1x6x5xf32>)
    -> (tensor<?x?xf32>, tensor<?x3x?xf32>, tensor<?x1x5xf32>) {
  %c0 = arith.constant 0 : index
  %both = tensor.concat dim(1) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %splat = tensor.splat %v[%n, %n] : tensor<?x3x?xf32>
  %m = tensor.dim %t, %c0 : tensor<?x1x6x5xf32>
  %slice = tensor.extract_slice %t[0, 0, 3, 0] [%m, 1, 1, 5] [1, 1, 1, 1] : tensor<?x1x6x5xf32> to tensor<?x1x5xf32>
  return %both, %splat, %slice : tensor<?x?xf32>, tensor<?x3x?xf32>, tensor<?x1x5xf32>
}

// A buffer that is returned is as static as what it is.
// BUFFERS-LABEL: func.func @buffers(
// BUFFERS-SAME:    -> (memref<4x6xf32>, memref<6x4xf32>)
// BUFFERS-NOT:     memref.cast
// BUFFERS-NOT:     ?
// BUFFERS:         return
func.func @buffers(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> (memref<?x?xf32>, memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.copy %a, %b : memref<?x?xf32> to memref<?x?xf32>
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  %r = memref.alloc(%m, %n) : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = memref.load %b[%i, %j] : memref<?x?xf32>
      memref.store %v, %r[%j, %i] : memref<?x?xf32>
    }
  }
  return %b, %r : memref<?x?xf32>, memref<?x?xf32>
}

// A shape that is put together of sizes.
// SHAPES-LABEL: func.func @shapes(%{{.*}}: tensor<6x4xf32>) -> tensor<4x6xf32>
// SHAPES-NOT:    ?
// SHAPES:        return %{{.*}} : tensor<4x6xf32>
func.func @shapes(%t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %zeros = tensor.splat %c0 : tensor<2xindex>
  %first = tensor.insert %m into %zeros[%c0] : tensor<2xindex>
  %both = tensor.insert %n into %first[%c1] : tensor<2xindex>
  %r = tensor.reshape %t(%both) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Tiles, as upstream's tiling makes them: where they divide the sizes, all are whole.
// TILES-LABEL: func.func @tiles(
// TILES-NOT:     ?
// TILES:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<8x16xf32>) -> tensor<8x16xf32>
// TILES-NOT:     ?
// TILES:         return %{{.*}} : tensor<16x32xf32>
func.func @tiles(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c8 iter_args(%x = %c) -> (tensor<?x?xf32>) {
    %q = scf.for %j = %c0 to %n step %c16 iter_args(%y = %x) -> (tensor<?x?xf32>) {
      %rows = affine.min affine_map<(d0)[s0] -> (s0 - d0, 8)>(%i)[%m]
      %columns = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16)>(%j)[%n]
      %sa = tensor.extract_slice %a[%i, 0] [%rows, %k] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %sb = tensor.extract_slice %b[0, %j] [%k, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %sc = tensor.extract_slice %y[%i, %j] [%rows, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %p = linalg.matmul ins(%sa, %sb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%sc : tensor<?x?xf32>) -> tensor<?x?xf32>
      %z = tensor.insert_slice %p into %y[%i, %j] [%rows, %columns] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %z : tensor<?x?xf32>
    }
    scf.yield %q : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// What loops carry, also as counters of affine loops and where a loop hands it on, and
// what branches give, to elementwise ops as well.
// CARRIED-LABEL: func.func @carried(
// CARRIED-NOT:     ?
// CARRIED-NOT:     tensor.cast
// CARRIED:         scf.while {{.*}} : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CARRIED-NOT:     ?
// CARRIED-NOT:     tensor.cast
// CARRIED:         affine.for {{.*}} -> (tensor<3x4xf32>)
// CARRIED-NOT:     ?
// CARRIED-NOT:     tensor.cast
// CARRIED:         return %{{.*}} : tensor<3x4xf32>
func.func @carried(%x: tensor<?x?xf32>, %p: i1, %n: index) -> tensor<?x?xf32> {
  %first = scf.while (%a = %x) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    %e = math.exp %a : tensor<?x?xf32>
    scf.condition(%p) %e : tensor<?x?xf32>
  } do {
  ^bb0(%a: tensor<?x?xf32>):
    %e = arith.addf %a, %x : tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  }
  %second = affine.for %i = 0 to %n iter_args(%a = %first) -> (tensor<?x?xf32>) {
    %b = scf.if %p -> tensor<?x?xf32> {
      %e = arith.select %p, %a, %x : tensor<?x?xf32>
      scf.yield %e : tensor<?x?xf32>
    } else {
      %less = arith.cmpf olt, %a, %x : tensor<?x?xf32>
      %e = arith.select %less, %a, %x : tensor<?x?xi1>, tensor<?x?xf32>
      scf.yield %e : tensor<?x?xf32>
    }
    affine.yield %b : tensor<?x?xf32>
  }
  return %second : tensor<?x?xf32>
}

// Must not fire: a loop that begins with 4 elements goes on with as many as data tell.
// CHANGING-LABEL: func.func @changing(
// CHANGING:         scf.for {{.*}} -> (tensor<?xf32>)
// CHANGING:         return %{{.*}} : tensor<?xf32>
func.func @changing(%x: tensor<?xf32>, %k: tensor<index>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.extract %k[] : tensor<index>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %b = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Refused without anything that is bound: the message names no sizes.
// NEVER: error: cannot hold: 4 must equal 8
func.func @never(%t: tensor<4xf32>) -> tensor<8xf32> {
  %o = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
  %r = tensor.cast %o : tensor<?xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}
