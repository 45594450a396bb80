// RUN: symshape-opt %s --symshape-fuse-elementwise --cse | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @chain(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.add ins(%e, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Must not fire: the producer has two users and computes something.
// CHECK-LABEL: func.func @two_users(
// CHECK:         math.exp
// CHECK:         linalg.generic
// CHECK-NOT:     math.exp
func.func @two_users(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.add ins(%e, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %e, %0 : tensor<?xf32>, tensor<?xf32>
}

// Must not fire: a contraction reads its operands many times.
// CHECK-LABEL: func.func @contraction(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.matmul
func.func @contraction(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = linalg.exp ins(%a : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%e, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Loops over a static 0: what they start from is left.
// CHECK-LABEL: func.func @empty_loops(
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<?x0xf32>, %{{[a-z0-9]+}}: tensor<0x4xf32>, %[[C:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-NOT:     linalg
// CHECK:         return %[[C]]
func.func @empty_loops(%a: tensor<?x0xf32>, %b: tensor<0x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %e = linalg.softmax dimension(1) ins(%a : tensor<?x0xf32>) outs(%a : tensor<?x0xf32>) -> tensor<?x0xf32>
  %0 = linalg.matmul ins(%e, %b : tensor<?x0xf32>, tensor<0x4xf32>) outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Must not fire: an extent that may be 0 is none that is.
// CHECK-LABEL: func.func @one_element(
// CHECK:         linalg.generic
func.func @one_element(%a: tensor<1x?xf32>, %c: tensor<1xf32>) -> tensor<1xf32> {
  %0 = linalg.reduce ins(%a : tensor<1x?xf32>) outs(%c : tensor<1xf32>) dimensions = [1]
    (%x: f32, %y: f32) { %s = arith.addf %x, %y : f32  linalg.yield %s : f32 }
  return %0 : tensor<1xf32>
}

// The type of an init that is known better is no reason to go on for ever.
// CHECK-LABEL: func.func @init_of_known_extent(
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf64>
// CHECK:         %[[INIT:.*]] = tensor.cast %[[E]] : tensor<4xf64> to tensor<?xf64>
// CHECK:         linalg.generic {{.*}} outs(%[[INIT]] : tensor<?xf64>)
func.func @init_of_known_extent(%x: tensor<4xf64>) -> tensor<?xf64> {
  %c = tensor.cast %x : tensor<4xf64> to tensor<?xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%c, %c : tensor<?xf64>, tensor<?xf64>) outs(%c : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %old: f64):
    %p = arith.mulf %a, %b : f64
    linalg.yield %p : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// A loop carries an init to have it written to, although nothing reads it.
// CHECK-LABEL: func.func @carried_init(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[INTO:.*]] = %{{.*}})
// CHECK-NOT:       tensor.empty
// CHECK:           linalg.generic {{.*}} outs(%[[INTO]] : tensor<?xf64>)
func.func @carried_init(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %x, %into = %y) -> (tensor<?xf64>, tensor<?xf64>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%from : tensor<?xf64>) outs(%into : tensor<?xf64>) {
    ^bb0(%a: f64, %old: f64):
      %p = arith.mulf %a, %a : f64
      linalg.yield %p : f64
    } -> tensor<?xf64>
    scf.yield %from, %1 : tensor<?xf64>, tensor<?xf64>
  }
  return %0#1 : tensor<?xf64>
}

// Must not fuse: the producer reads memory, in a loop of its own, and a sum would read in what order it likes.
// CHECK-LABEL: func.func @loop_in_body(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK:           scf.for
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK-NOT:       scf.for
// CHECK:         return
func.func @loop_in_body(%x: tensor<?xf64>, %e: tensor<?xf64>, %sum: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xf64>) {
  ^bb0(%old: f64):
    %i = linalg.index 0 : index
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%part = %zero) -> (f64) {
      %a = tensor.extract %x[%j] : tensor<?xf64>
      %p = arith.addf %part, %a : f64
      scf.yield %p : f64
    }
    linalg.yield %s : f64
  } -> tensor<?xf64>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xf64>) outs(%sum : tensor<f64>) {
  ^bb0(%a: f64, %old: f64):
    %p = arith.addf %old, %a : f64
    linalg.yield %p : f64
  } -> tensor<f64>
  return %1 : tensor<f64>
}

#in = affine_map<(f, i, c, k) -> (c, i + k)>
#weight = affine_map<(f, i, c, k) -> (f, c, k)>
#out = affine_map<(f, i, c, k) -> (f, i)>

// Must not fire: windows would read again and again what lies apart.
// CHECK-LABEL: func.func @windows_of_transposed(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK:         linalg.generic {{.*}} ins(%[[T]],
func.func @windows_of_transposed(%x: tensor<?x8xf32>, %e: tensor<8x?xf32>, %w: tensor<4x8x3xf32>, %o: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %t = linalg.transpose ins(%x : tensor<?x8xf32>) outs(%e : tensor<8x?xf32>) permutation = [1, 0]
  %0 = linalg.generic {indexing_maps = [#in, #weight, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%t, %w : tensor<8x?xf32>, tensor<4x8x3xf32>) outs(%o : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// What is read once is transposed on the way.
// CHECK-LABEL: func.func @sums_of_transposed(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]]
// CHECK-NOT:     linalg.generic
func.func @sums_of_transposed(%x: tensor<?x8xf32>, %e: tensor<8x?xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %t = linalg.transpose ins(%x : tensor<?x8xf32>) outs(%e : tensor<8x?xf32>) permutation = [1, 0]
  %0 = linalg.reduce ins(%t : tensor<8x?xf32>) outs(%o : tensor<8xf32>) dimensions = [1]
    (%a: f32, %acc: f32) { %s = arith.addf %acc, %a : f32  linalg.yield %s : f32 }
  return %0 : tensor<8xf32>
}

#rows3 = affine_map<(i, j, k) -> (i, j)>
#all3 = affine_map<(i, j, k) -> (i, j, k)>

// Sums over rows get the loops of what they add up; and nothing but the sum reads
// the product, whose extents are known from elsewhere.
// CHECK-LABEL: func.func @sums_behind_reshape(
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<?x8xf32>, %{{[a-z0-9]+}}: tensor<8x8xf32>, %[[B:[a-z0-9]+]]: index, %[[L:[a-z0-9]+]]: index
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NOT:     tensor.dim
// CHECK:         %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[P]] :
// CHECK:         tensor.expand_shape %[[S]] {{\[}}[0, 1]] output_shape [%[[B]], %[[L]]]
func.func @sums_behind_reshape(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %b: index, %l: index, %z: tensor<?x8xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [%b, %l, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %i = tensor.empty(%b, %l) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#all3, #rows3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x?x8xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Must not fire: what depends on weights alone is computed before the calls. But
// it becomes one loop.
// CHECK-LABEL: func.func @normalise(
// CHECK:         %[[SCALE:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<8xf32>)
// CHECK:           arith.addf
// CHECK-NEXT:      math.sqrt
// CHECK:         linalg.generic {{.*}} ins(%arg0, %[[SCALE]] :
// CHECK:           arith.divf
// CHECK-NEXT:      math.exp
// CHECK-NOT:     linalg.generic
#rows = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
func.func @normalise(%x: tensor<?x8xf32>, %variance: tensor<8xf32> {symshape.weight = "v"}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x8xf32>
  %s = tensor.empty() : tensor<8xf32>
  %sum = linalg.add ins(%variance, %variance : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %root = linalg.sqrt ins(%sum : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %root : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %z = linalg.exp ins(%y : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// Fires: statistics that come with the call.
// CHECK-LABEL: func.func @normalise_by_argument(
// CHECK:         linalg.generic
// CHECK:           math.sqrt
// CHECK-NEXT:      arith.divf
// CHECK-NOT:     linalg.generic
func.func @normalise_by_argument(%x: tensor<?x8xf32>, %variance: tensor<8xf32>) -> tensor<?x8xf32> {
  %s = tensor.empty() : tensor<8xf32>
  %root = linalg.sqrt ins(%variance : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %root : tensor<?x8xf32>, tensor<8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Must not fire: transposed, in squares that registers hold, after the sum, which
// a product before it takes into its tiles.
// CHECK-LABEL: func.func @transposed_behind(
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
func.func @transposed_behind(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.transpose ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %t : tensor<?x?xf32>
}

// Fires: numbers of 64 bits.
// CHECK-LABEL: func.func @wide_transposed_behind(
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
func.func @wide_transposed_behind(%x: tensor<?x?xf64>, %e: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %s = linalg.add ins(%x, %x : tensor<?x?xf64>, tensor<?x?xf64>) outs(%x : tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = linalg.transpose ins(%s : tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) permutation = [1, 0]
  return %t : tensor<?x?xf64>
}

// Must not fire: the producer adds to what is there, and would do so once for each
// column.
// CHECK-LABEL: func.func @accumulated_and_repeated(
// CHECK:         linalg.generic
// CHECK-SAME:      ["parallel"]
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-SAME:      ["parallel", "parallel"]
// CHECK-NOT:       arith.addf
// CHECK:         return
func.func @accumulated_and_repeated(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %t = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  return %t : tensor<?x?xf32>
}

// Positive: the consumer has the loops of the producer, in another order.
// CHECK-LABEL: func.func @accumulated_and_read_once(
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK-NEXT:      math.exp
// CHECK-NOT:     linalg.generic
func.func @accumulated_and_read_once(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}

// Must not fire: a reduction that yields what it does not read leaves its initial
// value if it has no turn.
// CHECK-LABEL: func.func @left(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<?xf32>)
// CHECK:         outs(%[[Y]] :
func.func @left(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A chain in which each value is read by the next two, which takes a sweep of the
// patterns for each of its ops.
// CHECK-LABEL: func.func @each_read_twice(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
func.func @each_read_twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %v0 = linalg.add ins(%y, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v1 = linalg.add ins(%v0, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v2 = linalg.add ins(%v1, %v0 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v3 = linalg.add ins(%v2, %v1 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v4 = linalg.add ins(%v3, %v2 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v5 = linalg.add ins(%v4, %v3 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.add ins(%v5, %v4 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v7 = linalg.add ins(%v6, %v5 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v8 = linalg.add ins(%v7, %v6 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v9 = linalg.add ins(%v8, %v7 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v10 = linalg.add ins(%v9, %v8 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v11 = linalg.add ins(%v10, %v9 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v12 = linalg.add ins(%v11, %v10 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %v13 = linalg.add ins(%v12, %v11 : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %v13 : tensor<?xf32>
}

// Positive: the types of a softmax may say different extents.
// CHECK-LABEL: func.func @softmax_of_more_open(
// CHECK-NOT:     linalg.softmax
// CHECK:         return
func.func @softmax_of_more_open(%x: tensor<?x3xf32>, %o: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x3xf32>) outs(%o : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// Must not fire: upstream decomposes a softmax on tensors of floats alone.
// CHECK-LABEL: func.func @softmax_on_buffers(
// CHECK:         linalg.softmax
func.func @softmax_on_buffers(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<16x64xf32>) outs(%y : memref<16x64xf32>)
  return
}
