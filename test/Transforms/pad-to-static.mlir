// RUN: symshape-opt %s --symshape-pad-to-static | FileCheck %s
// RUN: symshape-opt %s --symshape-pad-to-static=max-extent=7 -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: symshape-opt %s --symshape-pad-to-static -o %t --remarks-filter='symshape-.*' \
// RUN:     --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Positive: 0 times -0 is -0, to which any sum is equal; what the destination is
// padded with does not matter.
// CHECK-LABEL: func.func @matmul(
// CHECK:         %[[M:.*]] = affine.min
// CHECK:         %[[MINUS:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:         %[[A:.*]] = tensor.pad %{{.*}} low[0, 0] high[%{{.*}}, %{{.*}}]
// CHECK:         tensor.yield %[[MINUS]]
// CHECK:         tensor<?x?xf32> to tensor<8x4xf32>
// CHECK:         %[[PLUS:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[B:.*]] = tensor.pad %{{.*}} low[0, 0] high[%{{.*}}, 0]
// CHECK:         tensor.yield %[[PLUS]]
// CHECK:         tensor<?x16xf32> to tensor<4x16xf32>
// CHECK:         %[[C:.*]] = tensor.pad %{{.*}} low[0, 0] high[%{{.*}}, 0]
// CHECK:         tensor<?x16xf32> to tensor<8x16xf32>
// CHECK:         %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<8x4xf32>, tensor<4x16xf32>) outs(%[[C]] : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK:         %[[CUT:.*]] = tensor.extract_slice %[[R]][0, 0] [%{{.*}}, 16] [1, 1] : tensor<8x16xf32> to tensor<?x16xf32>
// CHECK:         tensor.insert_slice %[[CUT]]
// REMARK:      remark: [Passed] tile | Category:symshape-pad-to-static | Remark="padded to loops of 8x16x4"
// SMALL:       remark: [Missed] tile | Category:symshape-pad-to-static | Remark="needs: extent of argument #0 dim 0 (M) must be at most 7"
func.func @matmul(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>}, %b: tensor<?x16xf32> {symshape.shape = #symshape.shape<[K, 16]>}, %c: tensor<?x16xf32> {symshape.shape = #symshape.shape<[M, 16]>}) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c8 iter_args(%x = %c) -> tensor<?x16xf32> {
    %ms = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%m]
    %s = scf.for %l = %c0 to %k step %c4 iter_args(%y = %x) -> tensor<?x16xf32> {
      %ks = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%l)[%k]
      %at = tensor.extract_slice %a[%i, %l] [%ms, %ks] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %bt = tensor.extract_slice %b[%l, 0] [%ks, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %ct = tensor.extract_slice %y[%i, 0] [%ms, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<?x?xf32>, tensor<?x16xf32>) outs(%ct : tensor<?x16xf32>) -> tensor<?x16xf32>
      %q = tensor.insert_slice %d into %y[%i, 0] [%ms, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
      scf.yield %q : tensor<?x16xf32>
    }
    scf.yield %s : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}

// Positive: a destination that is not read is made anew; one that only needs to
// be large enough is the larger tensor it was cut from. The elements that exp
// adds are 1: they are cut away before the sum pads with its own.
// CHECK-LABEL: func.func @chain(
// CHECK:         %[[NEW:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:         %[[ONE:.*]] = linalg.exp ins(%{{.*}} : tensor<8xf32>) outs(%[[NEW]] : tensor<8xf32>)
// CHECK:         %[[CUT:.*]] = tensor.extract_slice %[[ONE]][0] [%{{.*}}] [1]
// CHECK:         %[[TWO:.*]] = linalg.add ins(%[[ONE]], %[[ONE]] : tensor<8xf32>, tensor<8xf32>)
// CHECK:         %[[CUT2:.*]] = tensor.extract_slice %[[TWO]][0] [%{{.*}}] [1]
// CHECK:         %[[MINUS:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[CUT2]]
// CHECK:           tensor.yield %[[MINUS]]
// CHECK:         linalg.reduce { arith.addf } ins(%[[PADDED]] : tensor<8xf32>) outs(%{{.*}} : tensor<f32>)
func.func @chain(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%sum = %s) -> tensor<f32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %t = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %e = linalg.exp ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    %d = linalg.add ins(%e, %e : tensor<?xf32>, tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    %next = linalg.reduce {arith.addf} ins(%d : tensor<?xf32>) outs(%sum : tensor<f32>) dimensions = [0]
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// Positive: the neutral values of other reductions, and through a conversion.
// CHECK-LABEL: func.func @reductions(
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         linalg.reduce { arith.maximumf }
// CHECK:         arith.constant 1.000000e+00 : f32
// CHECK:         linalg.reduce { arith.mulf }
// CHECK:         arith.constant -2147483648 : i32
// CHECK:         linalg.reduce { arith.maxsi }
// CHECK:         arith.constant -0.000000e+00 : f32
// CHECK:         tensor.pad
// CHECK:         linalg.generic
func.func @reductions(%x: tensor<?xf32>, %y: tensor<?xi32>, %f: tensor<f32>, %k: tensor<i32>, %d: tensor<f64>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %max = linalg.reduce {arith.maximumf} ins(%xt : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %product = linalg.reduce {arith.mulf} ins(%xt : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %most = linalg.reduce {arith.maxsi} ins(%yt : tensor<?xi32>) outs(%k : tensor<i32>) dimensions = [0]
    %wide = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%xt : tensor<?xf32>) outs(%d : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %w = arith.extf %in : f32 to f64
      %s = arith.addf %w, %out : f64
      linalg.yield %s : f64
    } -> tensor<f64>
  }
  return
}

// Positive: what the loops index grows with them, and covers what is there.
// CHECK-LABEL: func.func @convolution(
// CHECK:         linalg.conv_1d ins(%{{.*}}, %{{.*}} : tensor<20xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<8xf32>)
func.func @convolution(%x: tensor<?xf32>, %f: tensor<3xf32>, %y: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %more = affine.min affine_map<(d0)[s0] -> (20, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%more] [1] : tensor<?xf32> to tensor<?xf32>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %c = linalg.conv_1d ins(%xt, %f : tensor<?xf32>, tensor<3xf32>) outs(%yt : tensor<?xf32>) -> tensor<?xf32>
  }
  return
}

// Must not fire: no padding keeps the sum (exp is never -0), or might trap, or
// reads what is not there.
// CHECK-LABEL: func.func @bodies(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK:      [[#@LINE+12]]:12: remark: [Missed] tile | {{.*}}"no padding is known to leave the reduction as it is"
// REMARK:      remark: [Missed] tile | {{.*}}"'arith.divsi' may be undefined for the added elements"
// REMARK:      remark: [Missed] tile | {{.*}}"'tensor.extract' may be undefined for the added elements"
// REMARK:      remark: [Missed] tile | {{.*}}"'arith.subf' has no neutral value"
// REMARK:      remark: [Missed] tile | {{.*}}"the reduction is not a single op"
func.func @bodies(%x: tensor<?xf32>, %y: tensor<?xi32>, %f: tensor<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %sum = linalg.reduce ins(%xt : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
      (%in: f32, %out: f32) {
        %e = math.exp %in : f32
        %s = arith.addf %e, %out : f32
        linalg.yield %s : f32
      }
    %q = linalg.div ins(%yt, %yt : tensor<?xi32>, tensor<?xi32>) outs(%yt : tensor<?xi32>) -> tensor<?xi32>
    %l = linalg.map ins(%xt : tensor<?xf32>) outs(%xt : tensor<?xf32>)
      (%in: f32, %out: f32) {
        %at = linalg.index 0 : index
        %v = tensor.extract %x[%at] : tensor<?xf32>
        linalg.yield %v : f32
      }
    %d = linalg.reduce {arith.subf} ins(%xt : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %m = linalg.reduce ins(%xt : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
      (%in: f32, %out: f32) {
        %s = arith.addf %in, %out : f32
        %t = arith.mulf %s, %s : f32
        linalg.yield %t : f32
      }
  }
  return
}

// Must not fire: for elements of these types no padding is known.
// CHECK-LABEL: func.func @complex(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK:      remark: [Missed] tile | {{.*}}"no padding is known for elements of type 'complex<f32>'"
// REMARK:      remark: [Missed] tile | {{.*}}"'arith.maximumf' has no neutral value"
func.func @complex(%x: tensor<?xcomplex<f32>>, %y: tensor<?xf4E2M1FN>, %s: tensor<f4E2M1FN>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xcomplex<f32>> to tensor<?xcomplex<f32>>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xf4E2M1FN> to tensor<?xf4E2M1FN>
    %a = linalg.add ins(%xt, %xt : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) outs(%xt : tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
    %max = linalg.reduce {arith.maximumf} ins(%yt : tensor<?xf4E2M1FN>) outs(%s : tensor<f4E2M1FN>) dimensions = [0]
  }
  return
}

// Must not fire: a bound of one operand is none of the other, though the op
// needs them to be equal; nor is that of a later op.
// CHECK-LABEL: func.func @one_bound(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK:      remark: [Missed] tile | {{.*}}"needs: extent of argument #1 dim 0 (M) must be at most 256"
// REMARK:      remark: [Missed] tile | {{.*}}"needs: extent of argument #1 dim 0 (M) must be at most 8"
func.func @one_bound(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %y: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}, %z: tensor<8xf32>, %n: index)
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64]>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    %b = linalg.add ins(%z, %y : tensor<8xf32>, tensor<?xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
  }
  return
}

// Must not fire: the size of the tiles has no bound, and neither has the tensor.
// CHECK-LABEL: func.func @any_tile(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK:      remark: [Missed] tile | {{.*}}"needs: extent of argument #0 dim 0 (N) must be at most 256, or argument #1 must be at most 256"
func.func @any_tile(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %t: index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %n step %t {
    %size = affine.min affine_map<(d0)[s0, s1] -> (s1, s0 - d0)>(%i)[%n, %t]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %a = linalg.exp ins(%xt : tensor<?xf32>) outs(%xt : tensor<?xf32>) -> tensor<?xf32>
  }
  return
}

// Must not fire: elements are read in the other direction.
// CHECK-LABEL: func.func @indexing(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK:      remark: [Missed] tile | {{.*}}"the operands are not indexed by loops and sums of loops"
func.func @indexing(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 7)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%xt : tensor<?xf32>) outs(%yt : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
  }
  return
}

// Must not fire: a whole tensor is not a tile; static shapes need no padding.
// CHECK-LABEL: func.func @no_tile(
// CHECK-NOT:     tensor.pad
// CHECK:         return
// REMARK-NOT:  remark
func.func @no_tile(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}, %z: tensor<8xf32>, %n: index) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64]>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %b = linalg.add ins(%z, %z : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
  }
  %a = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}
