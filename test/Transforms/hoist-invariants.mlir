// RUN: symshape-opt %s --symshape-hoist-invariants --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-hoist-invariants=on-buffers --split-input-file | FileCheck %s --check-prefix=BUFFERS

// In bounds for what is declared: before the loop, which may not turn.
// CHECK-LABEL: func.func @in_bounds(
// CHECK:         tensor.extract
// CHECK:         scf.for
func.func @in_bounds(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %n: index) -> f32
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [1, 100]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %e = tensor.extract %x[%c0] : tensor<?xf32>
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// Must not fire: a call with an empty tensor and no turn is right.
// CHECK-LABEL: func.func @maybe_empty(
// CHECK:         scf.for
// CHECK:           tensor.extract
func.func @maybe_empty(%x: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %e = tensor.extract %x[%c0] : tensor<?xf32>
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// Of one extent, and no larger than what is there. The empty tensor follows,
// and stays for the op that does not leave.
// CHECK-LABEL: func.func @equal_extents(
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[S:.*]] = linalg.add {{.*}} outs(%[[E]]
// CHECK:         scf.for
// CHECK:           tensor.empty
// CHECK:           linalg.add ins(%{{.*}}, %[[S]]
func.func @equal_extents(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>},
                         %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.empty(%d) : tensor<?xf32>
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %t = linalg.add ins(%a, %s : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Must not fire: nothing says that the extents are equal.
// CHECK-LABEL: func.func @other_extents(
// CHECK:         scf.for
// CHECK:           linalg.add
func.func @other_extents(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.empty(%d) : tensor<?xf32>
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A product of extents is made only where the loop turns.
// CHECK-LABEL: func.func @large(
// CHECK:         linalg.fill
// CHECK:         scf.for
// CHECK-NOT:       linalg.fill
// CHECK:         scf.for
// CHECK:           linalg.fill
func.func @large(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %y, %c0 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %one) -> f32 {
    %e = tensor.empty(%a, %b) : tensor<?x?xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %v = tensor.extract %f[%i, %c0] : tensor<?x?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> f32 {
    %e = tensor.empty(%a, %b) : tensor<?x?xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %v = tensor.extract %f[%i, %c0] : tensor<?x?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r, %q : f32, f32
}

// -----

// What is packed leaves two loops.
// CHECK-LABEL: func.func @packed(
// CHECK:         linalg.pack
// CHECK:         scf.for
// CHECK:           scf.for
func.func @packed(%x: tensor<?x8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %p = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%d]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> f32 {
      %e = tensor.empty(%p) : tensor<?x8x16xf32>
      %k = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [16] into %e : tensor<?x8xf32> -> tensor<?x8x16xf32>
      %v = tensor.extract %k[%j, %i, %c0] : tensor<?x8x16xf32>
      %s = arith.addf %b, %v : f32
      scf.yield %s : f32
    }
    scf.yield %q : f32
  }
  return %r : f32
}

// -----

// A loop that ends after up to 2^63 iterations stays in one that may not turn,
// and leaves one that does.
// CHECK-LABEL: func.func @slow(
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK-NOT:       scf.for
// CHECK:         return
// BUFFERS-LABEL: func.func @slow(
// BUFFERS:         arith.addi
// BUFFERS-NEXT:    scf.for
// BUFFERS-NEXT:      scf.for
// BUFFERS:         scf.for
// BUFFERS-NEXT:      scf.for
// BUFFERS:         return
func.func @slow(%n: index, %m: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m) -> index {
    %k = arith.addi %m, %m : index
    %q = scf.for %j = %m to %c4 step %c1 iter_args(%b = %c1) -> index {
      %t = arith.xori %b, %k : index
      scf.yield %t : index
    }
    scf.yield %q : index
  }
  %u = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %m) -> index {
    %q = scf.for %j = %m to %c4 step %c1 iter_args(%b = %c1) -> index {
      %t = arith.xori %b, %m : index
      scf.yield %t : index
    }
    scf.yield %q : index
  }
  return %r, %u : index, index
}
