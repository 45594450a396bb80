// RUN: symshape-opt %s --symshape-hoist-weights --split-input-file | FileCheck %s

// A transposed weight of a private function moves to its callers, and from the
// entry to a function of the weights.
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<8x8xf32>, %[[T:.*]]: tensor<8x8xf32> {bufferization.writable = false})
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.matmul ins(%[[X]], %[[T]]
func.func private @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @main.prepare(
// CHECK-SAME:    %[[P0:.*]]: tensor<8x8xf32> {symshape.weight = "a"}, %[[P1:.*]]: tensor<8x8xf32> {symshape.weight = "b"})
// CHECK:         %[[T0:.*]] = linalg.transpose ins(%[[P0]]
// CHECK:         %[[T1:.*]] = linalg.transpose ins(%[[P1]]
// CHECK:         return %[[T0]], %[[T1]]

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %{{.*}}: tensor<?x8xf32>, %[[W0:.*]]: tensor<8x8xf32> {symshape.weight = "a"}, %[[W1:.*]]: tensor<8x8xf32> {symshape.weight = "b"}
// CHECK-SAME:    %[[N0:[a-z0-9]+]]: tensor<8x8xf32> {bufferization.writable = false}, %[[N1:[a-z0-9]+]]: tensor<8x8xf32> {bufferization.writable = false})
// CHECK:         call @layer(%{{.*}}, %[[W0]], %[[N0]])
// CHECK:         call @layer(%{{.*}}, %[[W1]], %[[N1]])
func.func @main(%x: tensor<?x8xf32>, %a: tensor<8x8xf32> {symshape.weight = "a"},
                %b: tensor<8x8xf32> {symshape.weight = "b"}) -> tensor<?x8xf32> {
  %0 = call @layer(%x, %a) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %1 = call @layer(%0, %b) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Must not fire: at one call the argument is no weight.
// CHECK-NOT: @main.prepare
// CHECK-LABEL: func.func private @layer(
// CHECK:         linalg.transpose
func.func private @layer(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32>, %a: tensor<8x8xf32> {symshape.weight = "a"}) -> tensor<8x8xf32> {
  %0 = call @layer(%x, %a) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @layer(%x, %0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Must not fire: a fill alone, and a view, cost nothing.
// CHECK-NOT: @views.prepare
func.func @views(%x: tensor<4xf32>, %a: tensor<2x2xf32> {symshape.weight = "a"}) -> tensor<4xf32> {
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %0 = linalg.add ins(%x, %v : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What versions compute from a weight is computed once for all of them, outside
// of the choice.
// CHECK-LABEL: func.func @chosen.prepare(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[T]] :
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: tensor<8x8xf32> {bufferization.writable = false})
// CHECK-NOT:     linalg.transpose
// CHECK:           call @chosen.a(%{{.*}}, %{{.*}}, %[[N]])
// CHECK:           call @chosen.b(%{{.*}}, %{{.*}}, %[[N]])
// CHECK:       func.func private @chosen.a(
func.func @chosen(%x: tensor<?x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}, %n: index) -> tensor<?x8xf32> {
  %r = scf.index_switch %n -> tensor<?x8xf32>
  case 0 {
    %0 = func.call @chosen.a(%x, %w) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    scf.yield %0 : tensor<?x8xf32>
  }
  default {
    %0 = func.call @chosen.b(%x, %w) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    scf.yield %0 : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
func.func private @chosen.a(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func private @chosen.b(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// A function that computes on weights in each call does so where it is needed:
// here, under the condition. It has a caller, and hence no function of weights.
// CHECK-LABEL: func.func @called(
// CHECK-NEXT:    scf.if
// CHECK:           linalg.transpose
// CHECK-NOT:   @called.prepare
func.func @called(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}, %c: i1) -> tensor<8x8xf32> {
  %r = scf.if %c -> tensor<8x8xf32> {
    %0 = func.call @times(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %0 : tensor<8x8xf32>
  } else {
    scf.yield %x : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func private @times(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @user(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %c: i1) -> tensor<8x8xf32> {
  %r = call @called(%x, %w, %c) : (tensor<8x8xf32>, tensor<8x8xf32>, i1) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Must not fire: where the weights say what to read, a check in the function
// comes first.
// CHECK-NOT:   @at_data.prepare
// CHECK-LABEL: func.func @at_data(
// CHECK:         tensor.extract_slice
// CHECK:         linalg.transpose
// CHECK-NOT:   @at_data.prepare
func.func @at_data(%w: tensor<8x8xf32> {symshape.weight = "w"}, %i: tensor<1xi64> {symshape.weight = "i"}) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %i[%c0] : tensor<1xi64>
  %k = arith.index_cast %n : i64 to index
  %s = tensor.extract_slice %w[%k, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%s : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  return %t : tensor<8x4xf32>
}

// -----

// An element that is always there: a scale.
// CHECK-LABEL: func.func @scale.prepare(
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @scale(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul
func.func @scale(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}, %s: tensor<1xf32> {symshape.weight = "s"}) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %f = tensor.extract %s[%c0] : tensor<1xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b, a)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %f : f32
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  %r = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Elements at positions of static loops that are always there.
// CHECK-LABEL: func.func @positions.prepare(
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @positions(
// CHECK-NOT:     linalg.generic
// CHECK-COUNT-2: linalg.matmul
func.func @positions(%x: tensor<?x8xf32>, %w: tensor<8x4xf32> {symshape.weight = "w"}, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %h = arith.divui %j, %c2 : index
    %p = tensor.extract %w[%i, %h] : tensor<8x4xf32>
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.muli %j, %c2 : index
    %n = arith.addi %d, %c1 : index
    %m = arith.minsi %n, %c3 : index
    %k = arith.maxsi %m, %c0 : index
    %r = arith.remui %i, %c2 : index
    %p = tensor.extract %w[%r, %k] : tensor<8x4xf32>
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  %r = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = linalg.matmul ins(%r, %g : tensor<?x8xf32>, tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// Must not fire: elements that may not be there: behind the last one, before
// the first one, and where the position wraps.
// CHECK-NOT:   @beyond.prepare
// CHECK-LABEL: func.func @beyond(
// CHECK-COUNT-3: tensor.extract
// CHECK-NOT:   @beyond.prepare
func.func @beyond(%w: tensor<8xf32> {symshape.weight = "w"}, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %big = arith.constant 9223372036854775807 : index
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32):
    %i = linalg.index 0 : index
    %n = arith.addi %i, %c1 : index
    %p = tensor.extract %w[%n] : tensor<8xf32>
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32):
    %i = linalg.index 0 : index
    %n = arith.addi %i, %m1 : index
    %p = tensor.extract %w[%n] : tensor<8xf32>
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32):
    %i = linalg.index 0 : index
    %n = arith.muli %i, %big : index
    %p = tensor.extract %w[%n] : tensor<8xf32>
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %y = linalg.add ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %z = linalg.add ins(%b, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %u = linalg.add ins(%c, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %y, %z, %u : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A call of a function that is not to be inlined moves as one op does; it stays one
// function.
// CHECK-LABEL: func.func private @step(
// CHECK:         arith.negf
// CHECK-LABEL: func.func @main.prepare(
// CHECK-SAME:    %[[W:.*]]: tensor<8x8xf32> {symshape.weight = "w"})
// CHECK:         %[[S:.*]] = call @step(%[[W]])
// CHECK:         return %[[S]]
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     call
// CHECK:         return
func.func private @step(%w: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {no_inline} {
  %r = arith.negf %w : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}) -> tensor<8x8xf32> {
  %0 = call @step(%w) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = arith.addf %x, %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Must not fire: what the function does is more than to compute.
// CHECK-NOT: @main.prepare
// CHECK-LABEL: func.func @main(
// CHECK:         call @step
func.func private @step(%w: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {no_inline} {
  vector.print str "step\n"
  %r = arith.negf %w : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {symshape.weight = "w"}) -> tensor<8x8xf32> {
  %0 = call @step(%w) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = arith.addf %x, %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Such a call in a private function moves to the callers, and on from there.
// CHECK-LABEL: func.func private @layer(
// CHECK-NOT:     call
// CHECK:         return
// CHECK-LABEL: func.func @main.prepare(
// CHECK-COUNT-2: call @step(
// CHECK:         return
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     call @step
// CHECK-COUNT-2: call @layer(
func.func private @step(%w: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {no_inline} {
  %r = arith.negf %w : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
func.func private @layer(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @step(%w) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = arith.addf %x, %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32>, %v: tensor<8x8xf32> {symshape.weight = "v"}, %w: tensor<8x8xf32> {symshape.weight = "w"}) -> tensor<8x8xf32> {
  %0 = call @layer(%x, %v) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @layer(%0, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
