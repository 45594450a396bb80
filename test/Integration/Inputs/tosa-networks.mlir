// Networks of kinds that the other tests do not have, with open extents.
// check_tosa_networks.py computes the same in NumPy.

// Depthwise and pointwise convolutions, halved and doubled again beside a skip
// connection, as in MobileNet and its decoders; then the means of all places.
func.func @separable(%x: tensor<?x?x?x?xf32>, %stem: tensor<?x3x3x?xf32>, %depth: tensor<3x3x?x1xf32>, %point: tensor<?x1x1x?xf32>,
                     %bias: tensor<?xf32>) -> tensor<?x1x1x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = tosa.conv2d %x, %stem, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>}
      : (tensor<?x?x?x?xf32>, tensor<?x3x3x?xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  %d = tosa.depthwise_conv2d %s, %depth, %z, %z, %z {acc_type = f32, dilation = array<i64: 2, 1>, pad = array<i64: 2, 2, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<?x?x?x?xf32>, tensor<3x3x?x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  %six = tosa.clamp %d {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %p = tosa.conv2d %six, %point, %bias, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<?x?x?x?xf32>, tensor<?x1x1x?xf32>, tensor<?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %none = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %one = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %up = tosa.resize %p, %scale, %none, %one {mode = NEAREST_NEIGHBOR}
      : (tensor<?x?x?x?xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xf32>
  %both = tosa.concat %up, %x {axis = 3 : i32} : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %pool = tosa.max_pool2d %both {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %rows = tosa.reduce_sum %pool {axis = 1 : i32} : (tensor<?x?x?x?xf32>) -> tensor<?x1x?x?xf32>
  %r = tosa.reduce_sum %rows {axis = 2 : i32} : (tensor<?x1x?x?xf32>) -> tensor<?x1x1x?xf32>
  return %r : tensor<?x1x1x?xf32>
}

// Integers of 8 bits: a convolution, its scale per channel, an activation from a
// table, a sum beside the input, a product, and the place of the largest number.
func.func @quantised(%x: tensor<?x?x?x2xi8>, %w: tensor<3x2x2x2xi8>, %m: tensor<1x3x?xi8>, %bias: tensor<3xi32>, %values: tensor<256xi8>)
    -> (tensor<1x?xi32>, tensor<?x?x?x3xi8>) {
  %xz = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %izero = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %five = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %mult = "tosa.const"() <{values = dense<[1518500250, 2000000000, 1073741824]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %shift = "tosa.const"() <{values = dense<[36, 35, 34]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %c = tosa.conv2d %x, %w, %bias, %xz, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, stride = array<i64: 1, 1>}
      : (tensor<?x?x?x2xi8>, tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x?x?x3xi32>
  %q = tosa.rescale %c, %mult, %shift, %izero, %five {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<?x?x?x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x?x?x3xi8>
  %t = tosa.table %q, %values : (tensor<?x?x?x3xi8>, tensor<256xi8>) -> tensor<?x?x?x3xi8>
  %shape = tosa.const_shape {values = dense<[1, -1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %flat = tosa.reshape %t, %shape : (tensor<?x?x?x3xi8>, !tosa.shape<3>) -> tensor<1x?x3xi8>
  %p = tosa.matmul %flat, %m, %five, %zero : (tensor<1x?x3xi8>, tensor<1x3x?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x?x?xi32>
  %small = "tosa.const"() <{values = dense<1288490189> : tensor<1xi32>}> : () -> tensor<1xi32>
  %far = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %codes = tosa.rescale %p, %small, %far, %izero, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}
      : (tensor<1x?x?xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x?x?xi8>
  %best = tosa.argmax %codes {axis = 2 : i32} : (tensor<1x?x?xi8>) -> tensor<1x?xi32>
  return %best, %t : tensor<1x?xi32>, tensor<?x?x?x3xi8>
}

// Power iteration: %n products, each of which is made shorter where it is long.
func.func @iterate(%x: tensor<?x?x1xf32>, %w: tensor<?x?x?xf32>, %n: tensor<i32>) -> (tensor<?x?x1xf32>, tensor<i32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %start = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %y, %i, %w1, %n1 = tosa.while_loop (%v = %x, %at = %start, %weights = %w, %last = %n) : (tensor<?x?x1xf32>, tensor<i32>, tensor<?x?x?xf32>, tensor<i32>)
      -> (tensor<?x?x1xf32>, tensor<i32>, tensor<?x?x?xf32>, tensor<i32>) {
    %go = tosa.greater %last, %at : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<?x?x1xf32>, %at: tensor<i32>, %weights: tensor<?x?x?xf32>, %last: tensor<i32>):
    %p = tosa.matmul %weights, %v, %z, %z : (tensor<?x?x?xf32>, tensor<?x?x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x1xf32>
    %sq = tosa.mul %p, %p, %shift : (tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<1xi8>) -> tensor<?x?x1xf32>
    %rows = tosa.reduce_sum %sq {axis = 1 : i32} : (tensor<?x?x1xf32>) -> tensor<?x1x1xf32>
    %all = tosa.reduce_sum %rows {axis = 0 : i32} : (tensor<?x1x1xf32>) -> tensor<1x1x1xf32>
    %limit = "tosa.const"() <{values = dense<4.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
    %long = tosa.greater %all, %limit : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xi1>
    %next = tosa.cond_if %long (%a = %p, %b = %all) : tensor<1x1x1xi1> (tensor<?x?x1xf32>, tensor<1x1x1xf32>) -> tensor<?x?x1xf32> {
    ^bb0(%a: tensor<?x?x1xf32>, %b: tensor<1x1x1xf32>):
      %inverse = tosa.rsqrt %b : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
      %short = tosa.mul %a, %inverse, %shift : (tensor<?x?x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<?x?x1xf32>
      tosa.yield %short : tensor<?x?x1xf32>
    } else {
    ^bb0(%a: tensor<?x?x1xf32>, %b: tensor<1x1x1xf32>):
      tosa.yield %a : tensor<?x?x1xf32>
    }
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %after = tosa.add %at, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %next, %after, %weights, %last : tensor<?x?x1xf32>, tensor<i32>, tensor<?x?x?xf32>, tensor<i32>
  }
  return %y, %i : tensor<?x?x1xf32>, tensor<i32>
}

// Attention over chosen rows of a cache, into which new keys are written first.
func.func @attention(%q: tensor<?x?x?xf32>, %cache: tensor<?x?x?xf32>, %new: tensor<?x?x?xf32>, %places: tensor<?x?xi32>,
                     %chosen: tensor<?x?xi32>, %mask: tensor<1x?x?xi1>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %low = "tosa.const"() <{values = dense<-1.0e9> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %full = tosa.scatter %cache, %places, %new : (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %k = tosa.gather %full, %chosen : (tensor<?x?x?xf32>, tensor<?x?xi32>) -> tensor<?x?x?xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = tosa.matmul %q, %kt, %z, %z : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?xf32>
  %seen = tosa.select %mask, %s, %low : (tensor<1x?x?xi1>, tensor<?x?x?xf32>, tensor<1x1x1xf32>) -> tensor<?x?x?xf32>
  %most = tosa.reduce_max %seen {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %less = tosa.sub %seen, %most : (tensor<?x?x?xf32>, tensor<?x?x1xf32>) -> tensor<?x?x?xf32>
  %e = tosa.exp %less : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %inverse = tosa.reciprocal %sum : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %p = tosa.mul %e, %inverse, %shift : (tensor<?x?x?xf32>, tensor<?x?x1xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %r = tosa.matmul %p, %k, %z, %z : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?xf32>
  return %r, %full : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}

// Squares of an image as rows, by computed shapes, as a vision transformer has
// them, with a row for the class before and positions added.
func.func @patches(%x: tensor<?x?x?x3xf32>, %class: tensor<1x1x48xf32>, %positions: tensor<1x?x48xf32>) -> tensor<?x?x48xf32> {
  %four = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  %three = tosa.const_shape {values = dense<3> : tensor<1xindex>} : () -> !tosa.shape<1>
  %size = tosa.const_shape {values = dense<48> : tensor<1xindex>} : () -> !tosa.shape<1>
  %one = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %zeros = tosa.const_shape {values = dense<0> : tensor<3xindex>} : () -> !tosa.shape<3>
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?x?x?x3xf32>) -> !tosa.shape<1>
  %h = tosa.dim %x {axis = 1 : i32} : (tensor<?x?x?x3xf32>) -> !tosa.shape<1>
  %w = tosa.dim %x {axis = 2 : i32} : (tensor<?x?x?x3xf32>) -> !tosa.shape<1>
  %rows = tosa.div_floor_shape %h, %four : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %columns = tosa.div_floor_shape %w, %four : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %apart = tosa.concat_shape %n, %rows, %four, %columns, %four, %three
      : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<6>
  %six = tosa.reshape %x, %apart : (tensor<?x?x?x3xf32>, !tosa.shape<6>) -> tensor<?x?x4x?x4x3xf32>
  %turned = tosa.transpose %six {perms = array<i32: 0, 1, 3, 2, 4, 5>} : (tensor<?x?x4x?x4x3xf32>) -> tensor<?x?x?x4x4x3xf32>
  %count = tosa.mul_shape %rows, %columns : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %flat = tosa.concat_shape %n, %count, %size : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %squares = tosa.reshape %turned, %flat : (tensor<?x?x?x4x4x3xf32>, !tosa.shape<3>) -> tensor<?x?x48xf32>
  %times = tosa.concat_shape %n, %one, %one : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %classes = tosa.tile %class, %times : (tensor<1x1x48xf32>, !tosa.shape<3>) -> tensor<?x1x48xf32>
  %all = tosa.concat %classes, %squares {axis = 1 : i32} : (tensor<?x1x48xf32>, tensor<?x?x48xf32>) -> tensor<?x?x48xf32>
  %more = tosa.add_shape %count, %one : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %used = tosa.concat_shape %one, %more, %size : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %part = tosa.slice %positions, %zeros, %used : (tensor<1x?x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x?x48xf32>
  %r = tosa.add %all, %part : (tensor<?x?x48xf32>, tensor<1x?x48xf32>) -> tensor<?x?x48xf32>
  return %r : tensor<?x?x48xf32>
}

// Normalisation and gating whose parameters may turn out to be one number.
func.func @gated(%x: tensor<?x?x?xf32>, %scale: tensor<?x?x?xf32>, %gate: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sq = tosa.mul %x, %x, %shift : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %sum = tosa.reduce_sum %sq {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %eps = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %safe = tosa.add %sum, %eps : (tensor<?x?x1xf32>, tensor<1x1x1xf32>) -> tensor<?x?x1xf32>
  %inverse = tosa.rsqrt %safe : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %norm = tosa.mul %x, %inverse, %shift : (tensor<?x?x?xf32>, tensor<?x?x1xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %scaled = tosa.mul %norm, %scale, %shift : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %open = tosa.sigmoid %gate : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %c = tosa.greater_equal %open, %scaled : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xi1>
  %r = tosa.select %c, %scaled, %open : (tensor<?x?x?xi1>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
