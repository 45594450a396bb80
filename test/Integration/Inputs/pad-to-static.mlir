// Programs with tiles. Each says what the pass has to report of it: `fires`, or
// the words of the remark that says why not. check_passes.py runs them before
// and after.

// program: matmul fires
func.func @main(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[K, N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c8 iter_args(%ri = %init) -> tensor<?x?xf32> {
    %ms = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%m]
    %rj = scf.for %j = %c0 to %n step %c8 iter_args(%rj = %ri) -> tensor<?x?xf32> {
      %ns = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%j)[%n]
      %rl = scf.for %l = %c0 to %k step %c4 iter_args(%rl = %rj) -> tensor<?x?xf32> {
        %ks = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%l)[%k]
        %at = tensor.extract_slice %a[%i, %l] [%ms, %ks] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
        %bt = tensor.extract_slice %b[%l, %j] [%ks, %ns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
        %rt = tensor.extract_slice %rl[%i, %j] [%ms, %ns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
        %t = linalg.matmul ins(%at, %bt : tensor<?x?xf32>, tensor<?x?xf32>) outs(%rt : tensor<?x?xf32>) -> tensor<?x?xf32>
        %u = tensor.insert_slice %t into %rl[%i, %j] [%ms, %ns] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
        scf.yield %u : tensor<?x?xf32>
      }
      scf.yield %rl : tensor<?x?xf32>
    }
    scf.yield %rj : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----
// What the first op gives for added elements, 1, must not reach the sum.
// program: sum_of_exp fires
func.func @main(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%sum = %s) -> tensor<f32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %t = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %e = linalg.exp ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    %next = linalg.reduce {arith.addf} ins(%e : tensor<?xf32>) outs(%sum : tensor<f32>) dimensions = [0]
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----
// The sum of what the body makes of an added element is not known to stay: exp
// is never the neutral -0.0.
// program: fused_sum_of_exp no padding is known to leave the reduction as it is
func.func @main(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%sum = %s) -> tensor<f32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %t = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %next = linalg.reduce ins(%t : tensor<?xf32>) outs(%sum : tensor<f32>) dimensions = [0]
      (%in: f32, %out: f32) {
        %e = math.exp %in : f32
        %add = arith.addf %e, %out : f32
        linalg.yield %add : f32
      }
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----
// An infinite factor times an added 0 would be NaN.
// program: scaled_sum no padding is known to leave the reduction as it is
func.func @main(%x: tensor<?xf32>, %factor: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%sum = %zero) -> tensor<f32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %t = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%t, %factor : tensor<?xf32>, tensor<f32>) outs(%sum : tensor<f32>) {
    ^bb0(%in: f32, %f: f32, %out: f32):
      %p = arith.mulf %in, %f : f32
      %add = arith.addf %p, %out : f32
      linalg.yield %add : f32
    } -> tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----
// The largest of negative elements: padded with -inf, not with 0.
// program: row_max fires
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m) : tensor<?xf32>
  %init = linalg.fill ins(%least : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %m step %c8 iter_args(%ri = %init) -> tensor<?xf32> {
    %ms = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%m]
    %rj = scf.for %j = %c0 to %n step %c8 iter_args(%rj = %ri) -> tensor<?xf32> {
      %ns = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%j)[%n]
      %t = tensor.extract_slice %x[%i, %j] [%ms, %ns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %rt = tensor.extract_slice %rj[%i] [%ms] [1] : tensor<?xf32> to tensor<?xf32>
      %max = linalg.reduce {arith.maximumf} ins(%t : tensor<?x?xf32>) outs(%rt : tensor<?xf32>) dimensions = [1]
      %u = tensor.insert_slice %max into %rj[%i] [%ms] [1] : tensor<?xf32> into tensor<?xf32>
      scf.yield %u : tensor<?xf32>
    }
    scf.yield %rj : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----
// A tile of the output reads a wider one of the input.
// program: convolution fires
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N + 2]>}, %f: tensor<3xf32>, %init: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %init, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%ri = %init) -> tensor<?xf32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %wide = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%size]
    %t = tensor.extract_slice %x[%i] [%wide] [1] : tensor<?xf32> to tensor<?xf32>
    %rt = tensor.extract_slice %ri[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %c = linalg.conv_1d ins(%t, %f : tensor<?xf32>, tensor<3xf32>) outs(%rt : tensor<?xf32>) -> tensor<?xf32>
    %u = tensor.insert_slice %c into %ri[%i] [%size] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----
// Any divisor of an added element might be 0.
// program: divide 'arith.divsi' may be undefined for the added elements
func.func @main(%x: tensor<?xi32> {symshape.shape = #symshape.shape<[N]>}, %y: tensor<?xi32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%ri = %x) -> tensor<?xi32> {
    %size = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %xt = tensor.extract_slice %x[%i] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %yt = tensor.extract_slice %y[%i] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %rt = tensor.extract_slice %ri[%i] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %q = linalg.div ins(%xt, %yt : tensor<?xi32>, tensor<?xi32>) outs(%rt : tensor<?xi32>) -> tensor<?xi32>
    %u = tensor.insert_slice %q into %ri[%i] [%size] [1] : tensor<?xi32> into tensor<?xi32>
    scf.yield %u : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// -----
// Rows of a declared width.
// program: rows fires
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}, %s: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 64]>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %s) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %next = linalg.add ins(%row, %sum : tensor<?xf32>, tensor<?xf32>) outs(%sum : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----
// program: undeclared_rows N) must be at most 256
func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}, %s: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %s) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %next = linalg.add ins(%row, %sum : tensor<?xf32>, tensor<?xf32>) outs(%sum : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
