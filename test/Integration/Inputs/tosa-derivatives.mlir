// Losses in TOSA; check_tosa_derivatives.py computes the same in NumPy.

func.func @network(%x: tensor<?x?x?x2xf32>, %w: tensor<3x2x2x2xf32>, %b: tensor<3xf32>, %m: tensor<1x3x?xf32>) -> tensor<f32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %zero, %zero
      {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 1>}
      : (tensor<?x?x?x2xf32>, tensor<3x2x2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x3xf32>
  %r = tosa.clamp %c {min_val = 0.0 : f32, max_val = 3.4e38 : f32} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  %s = tosa.const_shape {values = dense<[1, -1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %f = tosa.reshape %r, %s : (tensor<?x?x?x3xf32>, !tosa.shape<3>) -> tensor<1x?x3xf32>
  %p = tosa.matmul %f, %m, %zero, %zero : (tensor<1x?x3xf32>, tensor<1x3x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?xf32>
  %q = tosa.tanh %p : (tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
  %u = tosa.reduce_sum %q {axis = 1 : i32} : (tensor<1x?x?xf32>) -> tensor<1x1x?xf32>
  %v = tosa.reduce_sum %u {axis = 2 : i32} : (tensor<1x1x?xf32>) -> tensor<1x1x1xf32>
  %t = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %l = tosa.reshape %v, %t : (tensor<1x1x1xf32>, !tosa.shape<0>) -> tensor<f32>
  return %l : tensor<f32>
}

// Averages, a bilinear resize, a depthwise and a transposed convolution, and what
// only moves elements.
func.func @images(%x: tensor<?x?x?x?xf32>, %d: tensor<2x2x?x2xf32>, %t: tensor<2x3x3x?xf32>) -> tensor<f32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.avg_pool2d %x, %zero, %zero {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<?x?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  %c = tosa.depthwise_conv2d %a, %d, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<?x?x?x?xf32>, tensor<2x2x?x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %up = tosa.resize %c, %scale, %offset, %border {mode = BILINEAR} : (tensor<?x?x?x?xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x?xf32>
  %e = tosa.transpose_conv2d %up, %t, %zero, %zero, %zero {acc_type = f32, out_pad = array<i64: 0, 1, -1, 0>, stride = array<i64: 2, 1>}
      : (tensor<?x?x?x?xf32>, tensor<2x3x3x?xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x2xf32>
  %turned = tosa.transpose %e {perms = array<i32: 0, 3, 2, 1>} : (tensor<?x?x?x2xf32>) -> tensor<?x2x?x?xf32>
  %pads = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 2, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %five = "tosa.const"() <{values = dense<5.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %padded = tosa.pad %turned, %pads, %five : (tensor<?x2x?x?xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<?x3x?x?xf32>
  %times = tosa.const_shape {values = dense<[1, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %tiled = tosa.tile %padded, %times : (tensor<?x3x?x?xf32>, !tosa.shape<4>) -> tensor<?x6x?x?xf32>
  %both = tosa.concat %tiled, %padded {axis = 1 : i32} : (tensor<?x6x?x?xf32>, tensor<?x3x?x?xf32>) -> tensor<?x9x?x?xf32>
  %start = tosa.const_shape {values = dense<[0, 2, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[-1, 6, -1, -1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %part = tosa.slice %both, %start, %size : (tensor<?x9x?x?xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<?x6x?x?xf32>
  %back = tosa.reverse %part {axis = 2 : i32} : (tensor<?x6x?x?xf32>) -> tensor<?x6x?x?xf32>
  %sq = tosa.mul %part, %back, %shift : (tensor<?x6x?x?xf32>, tensor<?x6x?x?xf32>, tensor<1xi8>) -> tensor<?x6x?x?xf32>
  %flat = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %row = tosa.reshape %sq, %flat : (tensor<?x6x?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %sum = tosa.reduce_sum %row {axis = 0 : i32} : (tensor<?xf32>) -> tensor<1xf32>
  %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %l = tosa.reshape %sum, %none : (tensor<1xf32>, !tosa.shape<0>) -> tensor<f32>
  return %l : tensor<f32>
}

// A softmax over chosen rows, and what elementwise ops there are.
func.func @rows(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi32>, %y: tensor<?x?x?xf32>) -> tensor<f32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %two = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %full = tosa.scatter %x, %i, %y : (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %k = tosa.gather %full, %i : (tensor<?x?x?xf32>, tensor<?x?xi32>) -> tensor<?x?x?xf32>
  %most = tosa.reduce_max %k {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %less = tosa.sub %k, %most : (tensor<?x?x?xf32>, tensor<?x?x1xf32>) -> tensor<?x?x?xf32>
  %e = tosa.exp %less : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %inverse = tosa.reciprocal %sum : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %p = tosa.mul %e, %inverse, %shift : (tensor<?x?x?xf32>, tensor<?x?x1xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %a = tosa.sigmoid %full : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %b = tosa.pow %two, %a : (tensor<1x1x1xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %c = tosa.rsqrt %b : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %d = tosa.log %b : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %f = tosa.maximum %c, %d : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %g = tosa.greater %full, %two : (tensor<?x?x?xf32>, tensor<1x1x1xf32>) -> tensor<?x?x?xi1>
  %h = tosa.select %g, %f, %full : (tensor<?x?x?xi1>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %erf = tosa.erf %h : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = tosa.sin %erf : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %pp = tosa.mul %p, %p, %shift : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %flat = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %row = tosa.reshape %pp, %flat : (tensor<?x?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %sums = tosa.reshape %s, %flat : (tensor<?x?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %one = tosa.reduce_sum %row {axis = 0 : i32} : (tensor<?xf32>) -> tensor<1xf32>
  %other = tosa.reduce_sum %sums {axis = 0 : i32} : (tensor<?xf32>) -> tensor<1xf32>
  %total = tosa.add %one, %other : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %l = tosa.reshape %total, %none : (tensor<1xf32>, !tosa.shape<0>) -> tensor<f32>
  return %l : tensor<f32>
}

// A convolution whose stride, dilation and padding are values.
func.func @windows(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>, %stride: index, %dilation: index, %low: index, %spread: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %border = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %k = tensor.dim %w, %c0 : tensor<?x?xf32>
  %win = symshape.windows %x, %border kernel [%k] low [%low] high [1] stride [%stride] dilation [%dilation] spread [%spread]
      : tensor<?x?x?xf32> to tensor<?x?x?x?xf32>
  %n = tensor.dim %win, %c0 : tensor<?x?x?x?xf32>
  %o = tensor.dim %win, %c1 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %o) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract indexing_maps = [affine_map<(n, x, i, c) -> (n, x, i, c)>, affine_map<(n, x, i, c) -> (i, c)>, affine_map<(n, x, i, c) -> (n, x)>]
      ins(%win, %w : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = tosa.tanh %p : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %flat = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %row = tosa.reshape %t, %flat : (tensor<?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %sum = tosa.reduce_sum %row {axis = 0 : i32} : (tensor<?xf32>) -> tensor<1xf32>
  %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %l = tosa.reshape %sum, %none : (tensor<1xf32>, !tosa.shape<0>) -> tensor<f32>
  return %l : tensor<f32>
}

// A loop with a branch in it.
func.func @loop(%x: tensor<?x1xf32>, %n: tensor<i32>) -> tensor<f32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %start = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %y, %i, %n1 = tosa.while_loop (%v = %x, %at = %start, %last = %n) : (tensor<?x1xf32>, tensor<i32>, tensor<i32>) -> (tensor<?x1xf32>, tensor<i32>, tensor<i32>) {
    %go = tosa.greater %last, %at : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %go : tensor<i1>
  } do {
  ^bb0(%v: tensor<?x1xf32>, %at: tensor<i32>, %last: tensor<i32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %first = tosa.equal %at, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %next = tosa.cond_if %first (%a = %v) : tensor<i1> (tensor<?x1xf32>) -> tensor<?x1xf32> {
    ^bb0(%a: tensor<?x1xf32>):
      %s = tosa.sin %a : (tensor<?x1xf32>) -> tensor<?x1xf32>
      tosa.yield %s : tensor<?x1xf32>
    } else {
    ^bb0(%a: tensor<?x1xf32>):
      %s = tosa.mul %a, %a, %shift : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<1xi8>) -> tensor<?x1xf32>
      tosa.yield %s : tensor<?x1xf32>
    }
    %after = tosa.add %at, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %next, %after, %last : tensor<?x1xf32>, tensor<i32>, tensor<i32>
  }
  %sum = tosa.reduce_sum %y {axis = 0 : i32} : (tensor<?x1xf32>) -> tensor<1x1xf32>
  %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %l = tosa.reshape %sum, %none : (tensor<1x1xf32>, !tosa.shape<0>) -> tensor<f32>
  return %l : tensor<f32>
}
