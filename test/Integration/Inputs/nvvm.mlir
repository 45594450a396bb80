// Programs for check_nvvm.py: one of each kind of kernel.

#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#both = affine_map<(d0, d1) -> (d0, d1)>

func.func @add(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
               %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32> {
  %r = arith.addf %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @functions(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %exp = math.exp %a : tensor<?x?xf32>
  %tanh = math.tanh %a : tensor<?x?xf32>
  %erf = math.erf %a : tensor<?x?xf32>
  %root = math.sqrt %exp : tensor<?x?xf32>
  %sum = arith.mulf %tanh, %erf : tensor<?x?xf32>
  %quotient = arith.divf %sum, %root : tensor<?x?xf32>
  %more = arith.addf %quotient, %a : tensor<?x?xf32>
  %log = math.log %exp : tensor<?x?xf32>
  %all = arith.subf %more, %log : tensor<?x?xf32>
  return %all : tensor<?x?xf32>
}

func.func @scale(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                 %b: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @sums(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @columns(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#both, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Sums along three loops, of which a warp shares the last.
func.func @groups(%a: tensor<?x2x?x?x?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x2x?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %r = linalg.reduce ins(%a : tensor<?x2x?x?x?xf32>) outs(%zeros : tensor<?x2xf32>) dimensions = [2, 3, 4] (%x: f32, %y: f32) {
    %s = arith.addf %y, %x : f32
    linalg.yield %s : f32
  }
  return %r : tensor<?x2xf32>
}

// How many elements of a row are greater than 0.
func.func @counts(%a: tensor<?x?xf32>) -> tensor<?xindex> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%m) : tensor<?xindex>
  %zeros = linalg.fill ins(%c0 : index) outs(%empty : tensor<?xindex>) -> tensor<?xindex>
  %r = linalg.reduce ins(%a : tensor<?x?xf32>) outs(%zeros : tensor<?xindex>) dimensions = [1] (%x: f32, %n: index) {
    %zero = arith.constant 0.0 : f32
    %more = arith.cmpf ogt, %x, %zero : f32
    %one = arith.index_castui %more : i1 to index
    %s = arith.addi %n, %one : index
    linalg.yield %s : index
  }
  return %r : tensor<?xindex>
}

// The first and the last place of a row that is greater than 0; none is the largest index, and -1.
func.func @places_of_rows(%a: tensor<?x?xf32>) -> (tensor<?xindex>, tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %m1 = arith.constant -1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%m) : tensor<?xindex>
  %none = linalg.fill ins(%m1 : index) outs(%empty : tensor<?xindex>) -> tensor<?xindex>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %made = tensor.empty(%m, %n) : tensor<?x?xindex>
  %places = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%made : tensor<?x?xindex>) {
  ^bb0(%x: f32, %y: index):
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
    %more = arith.cmpf ogt, %x, %zero : f32
    %p = arith.select %more, %j, %m1 : index
    linalg.yield %p : index
  } -> tensor<?x?xindex>
  %first = linalg.reduce ins(%places : tensor<?x?xindex>) outs(%none : tensor<?xindex>) dimensions = [1] (%x: index, %y: index) {
    %s = arith.minui %x, %y : index
    linalg.yield %s : index
  }
  %last = linalg.reduce ins(%places : tensor<?x?xindex>) outs(%none : tensor<?xindex>) dimensions = [1] (%x: index, %y: index) {
    %s = arith.maxsi %x, %y : index
    linalg.yield %s : index
  }
  return %first, %last : tensor<?xindex>, tensor<?xindex>
}

func.func @softmax(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %row = tensor.empty(%m) : tensor<?xf32>
  %full = tensor.empty(%m, %n) : tensor<?x?xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf32>) outs(%leasts : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.maximumf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%full : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %d = arith.subf %x, %y : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%full : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %q = arith.divf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A product, a bias and a maximum with zero: one kernel.
func.func @product(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                   %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[K, N]>},
                   %c: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#both, #column, #both], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// By tensor cores.
func.func @product_bf16(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, K]>},
                        %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[K, N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %x = arith.truncf %a : tensor<?x?xf32> to tensor<?x?xbf16>
  %y = arith.truncf %b : tensor<?x?xf32> to tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The first operand is transposed, so are the terms of the second one.
func.func @product_f16(%a: tensor<?x?xf16> {symshape.shape = #symshape.shape<[K, M]>},
                       %b: tensor<?x?xf16> {symshape.shape = #symshape.shape<[N, K]>},
                       %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %wide_x = arith.extf %x : f16 to f32
    %wide_y = arith.extf %y : f16 to f32
    %p = arith.mulf %wide_x, %wide_y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Windows of images with channels last.
func.func @convolution(%image: tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[B, H, W, C]>},
                       %kernel: tensor<3x2x?x?xf32> {symshape.shape = #symshape.shape<[3, 2, C, F]>},
                       %out: tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[B, P, Q, F]>}) -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[1, 2]> : vector<2xi64>, dilations = dense<[2, 1]> : vector<2xi64>}
      ins(%image, %kernel : tensor<?x?x?x?xf32>, tensor<3x2x?x?xf32>)
      outs(%out : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @convolution_f16(%image: tensor<?x?x?x8xf16> {symshape.shape = #symshape.shape<[B, H, W, 8]>},
                           %kernel: tensor<3x2x8x16xf16>,
                           %out: tensor<?x?x?x16xf32> {symshape.shape = #symshape.shape<[B, P, Q, 16]>}) -> tensor<?x?x?x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%image, %kernel : tensor<?x?x?x8xf16>, tensor<3x2x8x16xf16>)
      outs(%out : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  return %r : tensor<?x?x?x16xf32>
}

// Terms along three loops, any of which may be empty.
func.func @terms(%a: tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[B, P, Q, C]>},
                 %b: tensor<?x?x?x?xf32> {symshape.shape = #symshape.shape<[B, P, Q, F]>},
                 %out: tensor<?x?xf32> {symshape.shape = #symshape.shape<[C, F]>}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(c, f, b, p, q) -> (b, p, q, c)>, affine_map<(c, f, b, p, q) -> (b, p, q, f)>,
                                        affine_map<(c, f, b, p, q) -> (c, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The only element of a result that may have none.
func.func @first(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["reduction"]}
      ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @remainders(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                      %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32> {
  %r = arith.remf %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// As in q k^T.
func.func @batches(%a: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[B, M, K]>},
                   %b: tensor<?x?x?xf32> {symshape.shape = #symshape.shape<[B, N, K]>}) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %a, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%batch, %m, %n) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @transpose(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}

// Rows by number, of which one may be wrong.
func.func @rows(%a: tensor<?x5xf32>, %i: tensor<?xi64>) -> tensor<?x5xf32> {
  %r = symshape.gather promise_in_bounds %a[%i] slice_sizes [1, 5]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64} : tensor<?x5xf32>[tensor<?xi64>] to tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// Rows added to rows by number, some of them more than once; what is outside is dropped.
func.func @spread(%a: tensor<?x?xf32>, %i: tensor<?xi64>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = symshape.scatter add drop %u into %a[%i]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xi64>]
  return %r : tensor<?x?xf32>
}

func.func @order(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %values, %places = symshape.sort %a axis 0 : tensor<?xf32>, tensor<?xi64>
  return %values, %places : tensor<?xf32>, tensor<?xi64>
}

func.func @running(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = symshape.cumsum %a axis 1 : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The number of rows of the result depends on data: the host reads it.
func.func @places(%a: tensor<?x?xf32>) -> tensor<?x2xi64> {
  %p = symshape.nonzero %a : tensor<?x?xf32> to tensor<?x2xindex>
  %r = arith.index_cast %p : tensor<?x2xindex> to tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}

// A constant, which is sent once.
func.func @table(%i: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x: i64, %out: f32):
    %place = arith.index_cast %x : i64 to index
    %e = tensor.extract %t[%place] : tensor<4xf32>
    linalg.yield %e : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
