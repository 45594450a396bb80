// Programs of TOSA with open extents, each of which allows some sizes and refuses
// others. utils/tosa_programs.py says what sizes are tried, tosa-verdicts.json what
// the reference model answers.

// Elementwise ops.

func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @mul(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.mul %x, %y, %shift : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @add_row(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %r = tosa.add %x, %y : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @add_static(%x: tensor<?x?xf32>, %y: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %r = tosa.add %x, %y : (tensor<?x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

func.func @outer(%x: tensor<?x1x?xf32>, %y: tensor<1x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = tosa.maximum %x, %y : (tensor<?x1x?xf32>, tensor<1x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @integers(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %a = tosa.bitwise_and %x, %y : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = tosa.sub %a, %y : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @select(%c: tensor<?x?xi1>, %x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tosa.select %c, %x, %y : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @chain(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %a = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  %b = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = tosa.maximum %b, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @compare(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = tosa.greater %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
  %r = tosa.select %c, %x, %y : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @table(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %t = "tosa.const"() <{values = dense<3> : tensor<256xi8>}> : () -> tensor<256xi8>
  %a = tosa.table %x, %t : (tensor<?x?xi8>, tensor<256xi8>) -> tensor<?x?xi8>
  %b = tosa.cast %a : (tensor<?x?xi8>) -> tensor<?x?xi32>
  %c = tosa.cast %y : (tensor<?x?xi8>) -> tensor<?x?xi32>
  %d = tosa.add %b, %c : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  %r = tosa.cast %d : (tensor<?x?xi32>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}

func.func @rescale(%x: tensor<?x3xi32>, %y: tensor<?x?xi32>) -> tensor<?x3xi32> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<3xi32>}> : () -> tensor<3xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<3xi8>}> : () -> tensor<3xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %a = tosa.add %x, %y : (tensor<?x3xi32>, tensor<?x?xi32>) -> tensor<?x3xi32>
  %r = tosa.rescale %a, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x3xi32>
  return %r : tensor<?x3xi32>
}

// Windows.

func.func @conv2d(%x: tensor<?x?x?x2xf32>) -> tensor<?x?x?x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<4x3x3x2xf32>}> : () -> tensor<4x3x3x2xf32>
  %r = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x2xf32>, tensor<4x3x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x4xf32>
  return %r : tensor<?x?x?x4xf32>
}

func.func @conv2d_dilated(%x: tensor<1x?x?x2xf32>) -> tensor<1x?x?x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<3x2x3x2xf32>}> : () -> tensor<3x2x3x2xf32>
  %r = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 2>, stride = array<i64: 3, 2>} : (tensor<1x?x?x2xf32>, tensor<3x2x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x3xf32>
  return %r : tensor<1x?x?x3xf32>
}

func.func @conv2d_arguments(%x: tensor<1x?x5x?xf32>, %w: tensor<?x3x?x?xf32>, %b: tensor<?xf32>) -> tensor<1x?x?x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>} : (tensor<1x?x5x?xf32>, tensor<?x3x?x?xf32>, tensor<?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}

func.func @conv2d_twice(%x: tensor<1x?x4x1xf32>) -> tensor<1x?x2x1xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<1x3x2x1xf32>}> : () -> tensor<1x3x2x1xf32>
  %a = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x?x4x1xf32>, tensor<1x3x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x3x1xf32>
  %r = tosa.conv2d %a, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x?x3x1xf32>, tensor<1x3x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x2x1xf32>
  return %r : tensor<1x?x2x1xf32>
}

func.func @conv3d(%x: tensor<1x?x?x?x2xf32>) -> tensor<1x?x?x?x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<2x2x1x3x2xf32>}> : () -> tensor<2x2x1x3x2xf32>
  %r = tosa.conv3d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 1, 1>, stride = array<i64: 1, 2, 2>} : (tensor<1x?x?x?x2xf32>, tensor<2x2x1x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x?x2xf32>
  return %r : tensor<1x?x?x?x2xf32>
}

func.func @depthwise(%x: tensor<1x?x?x?xf32>, %w: tensor<3x2x?x2xf32>) -> tensor<1x?x?x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.depthwise_conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x?x?x?xf32>, tensor<3x2x?x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}

func.func @transpose_conv2d(%x: tensor<?x?x?x2xf32>) -> tensor<?x?x?x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<3x4x3x2xf32>}> : () -> tensor<3x4x3x2xf32>
  %r = tosa.transpose_conv2d %x, %w, %z, %z, %z {acc_type = f32, out_pad = array<i64: -3, -3, -2, -1>, stride = array<i64: 1, 2>} : (tensor<?x?x?x2xf32>, tensor<3x4x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}

func.func @max_pool2d(%x: tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32> {
  %r = tosa.max_pool2d %x {kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32>
  return %r : tensor<?x?x?x2xf32>
}

func.func @avg_pool2d(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 3>, pad = array<i64: 0, 1, 1, 1>, stride = array<i64: 3, 1>} : (tensor<?x?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @resize_nearest(%x: tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32> {
  %s = tosa.const_shape {values = dense<[3, 2, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<?x?x?x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x2xf32>
  return %r : tensor<?x?x?x2xf32>
}

func.func @resize_bilinear(%x: tensor<1x?x?x1xf32>, %y: tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x?x?x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x?x?x1xf32>
  %r = tosa.add %a, %y : (tensor<1x?x?x1xf32>, tensor<1x?x?x1xf32>) -> tensor<1x?x?x1xf32>
  return %r : tensor<1x?x?x1xf32>
}

// Products and transforms.

func.func @matmul(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.matmul %x, %y, %z, %z : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @matmul_chain(%x: tensor<1x2x?xf32>, %y: tensor<1x?x?xf32>, %w: tensor<1x?x3xf32>) -> tensor<1x2x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.matmul %x, %y, %z, %z : (tensor<1x2x?xf32>, tensor<1x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x?xf32>
  %r = tosa.matmul %a, %w, %z, %z : (tensor<1x2x?xf32>, tensor<1x?x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

func.func @matmul_transposed(%x: tensor<?x3x?xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x3x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %t = tosa.transpose %y {perms = array<i32: 1, 2, 0>} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %a = tosa.reverse %t {axis = 1 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = tosa.matmul %x, %a, %z, %z : (tensor<?x3x?xf32>, tensor<?x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

func.func @fft2d(%x: tensor<?x?x4xf32>, %y: tensor<?x?x4xf32>) -> tensor<?x?x?xf32> {
  %r, %i = tosa.fft2d %x, %y {inverse = false, local_bound = false} : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  return %r : tensor<?x?x?xf32>
}

func.func @rfft2d(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r, %i = tosa.rfft2d %x {local_bound = false} : (tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  return %r : tensor<?x?x?xf32>
}

// Reductions.

func.func @reduce_sum(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %a = tosa.add %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = tosa.reduce_sum %a {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

func.func @reduce_max(%x: tensor<?x?xf32>, %y: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %a = tosa.reduce_max %x {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %b = tosa.sub %x, %a : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %r = tosa.add %b, %y : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @argmax(%x: tensor<?x?x?xf32>, %y: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %a = tosa.argmax %x {axis = 1 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?xi32>
  %r = tosa.add %a, %y : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// Elements that move.

func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tosa.concat %x, %y {axis = 0 : i32} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @concat_three(%x: tensor<?x2x?xf32>, %y: tensor<?x?x3xf32>, %z: tensor<2x?x?xf32>) -> tensor<2x?x3xf32> {
  %r = tosa.concat %x, %y, %z {axis = 1 : i32} : (tensor<?x2x?xf32>, tensor<?x?x3xf32>, tensor<2x?x?xf32>) -> tensor<2x?x3xf32>
  return %r : tensor<2x?x3xf32>
}

func.func @reshape(%x: tensor<?x?xf32>) -> tensor<4x6xf32> {
  %s = tosa.const_shape {values = dense<[4, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @reshape_open(%x: tensor<?x?xf32>) -> tensor<3x?x2xf32> {
  %s = tosa.const_shape {values = dense<[3, -1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<3>) -> tensor<3x?x2xf32>
  return %r : tensor<3x?x2xf32>
}

func.func @reshape_like(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = tosa.dim %y {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %s = tosa.concat_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @flatten(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %s = tosa.mul_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %a = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %r = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @split(%x: tensor<?x?xf32>) -> tensor<?x2x?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %half = tosa.div_ceil_shape %n, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %s = tosa.concat_shape %half, %two, %m : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<3>) -> tensor<?x2x?xf32>
  return %r : tensor<?x2x?xf32>
}

func.func @slice(%x: tensor<?x?xf32>) -> tensor<3x2xf32> {
  %s = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.slice %x, %s, %n : (tensor<?x?xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @slice_rest(%x: tensor<?x?xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %s = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.const_shape {values = dense<[-1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.slice %x, %s, %n : (tensor<?x?xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x2xf32>
  %r = tosa.add %a, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

func.func @slice_like(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %s = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %n = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %a = tosa.slice %x, %s, %n : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  %r = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @slice_window(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %s = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %z {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %c = tosa.sub_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %r = tosa.slice %x, %s, %c : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @slice_least(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %o = tosa.const_shape {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %l = tosa.min_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %a = tosa.slice %x, %o, %l : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  %b = tosa.slice %y, %o, %l : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  %c = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = tosa.add %c, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @pad(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %v = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.const_shape {values = dense<[1, 0, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %a = tosa.pad %x, %p, %v : (tensor<?x?xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<?x?xf32>
  %r = tosa.add %a, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @tile(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.tile %x, %m : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  %r = tosa.sub %a, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @tile_up_to(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %q = tosa.div_ceil_shape %m, %n : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %a = tosa.tile %x, %q : (tensor<?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %r = tosa.add %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @remainder(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %o = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %m = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %d = tosa.mod_shape %n, %m : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %g = tosa.max_shape %d, %o : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %r = tosa.slice %y, %o, %g : (tensor<?xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @gather(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi32>) -> tensor<?x?x?xf32> {
  %r = tosa.gather %x, %i : (tensor<?x?x?xf32>, tensor<?x?xi32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @scatter(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi32>, %u: tensor<?x?x2xf32>) -> tensor<?x?x?xf32> {
  %r = tosa.scatter %x, %i, %u : (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x2xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Small networks.

func.func @unet(%x: tensor<?x?x?x3xf32>) -> tensor<?x?x?x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<2x3x3x3xf32>}> : () -> tensor<2x3x3x3xf32>
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<?x?x?x3xf32>, tensor<2x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x2xf32>
  %u = tosa.resize %c, %s, %o, %b {mode = BILINEAR} : (tensor<?x?x?x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?x?x2xf32>
  %r = tosa.concat %u, %x {axis = 3 : i32} : (tensor<?x?x?x2xf32>, tensor<?x?x?x3xf32>) -> tensor<?x?x?x5xf32>
  return %r : tensor<?x?x?x5xf32>
}

func.func @perceptron(%x: tensor<1x?x?xf32>, %w: tensor<1x4x3xf32>, %b: tensor<1x1x?xf32>, %v: tensor<1x?x2xf32>) -> tensor<1x?x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.matmul %x, %w, %z, %z : (tensor<1x?x?xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x3xf32>
  %c = tosa.add %a, %b : (tensor<1x?x3xf32>, tensor<1x1x?xf32>) -> tensor<1x?x3xf32>
  %d = tosa.tanh %c : (tensor<1x?x3xf32>) -> tensor<1x?x3xf32>
  %r = tosa.matmul %d, %v, %z, %z : (tensor<1x?x3xf32>, tensor<1x?x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x2xf32>
  return %r : tensor<1x?x2xf32>
}

func.func @attention(%q: tensor<?x?x?xf32>, %k: tensor<?x?x3xf32>, %v: tensor<2x?x?xf32>) -> tensor<?x?x?xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<?x?x3xf32>) -> tensor<?x3x?xf32>
  %s = tosa.matmul %q, %t, %z, %z : (tensor<?x?x?xf32>, tensor<?x3x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?xf32>
  %m = tosa.reduce_max %s {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %d = tosa.sub %s, %m : (tensor<?x?x?xf32>, tensor<?x?x1xf32>) -> tensor<?x?x?xf32>
  %e = tosa.exp %d : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %n = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<?x?x?xf32>) -> tensor<?x?x1xf32>
  %i = tosa.reciprocal %n : (tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %p = tosa.mul %e, %i, %shift : (tensor<?x?x?xf32>, tensor<?x?x1xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %r = tosa.matmul %p, %v, %z, %z : (tensor<?x?x?xf32>, tensor<2x?x?xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @residual(%x: tensor<?x?x?x2xf32>, %y: tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<2x3x3x2xf32>}> : () -> tensor<2x3x3x2xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x?x?x2xf32>, tensor<2x3x3x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x2xf32>
  %a = tosa.add %c, %y : (tensor<?x?x?x2xf32>, tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32>
  %r = tosa.clamp %a {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32>
  return %r : tensor<?x?x?x2xf32>
}

func.func @classifier(%x: tensor<?x?x?x1xf32>) -> tensor<1x?x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<1.0> : tensor<2x2x2x1xf32>}> : () -> tensor<2x2x2x1xf32>
  %v = "tosa.const"() <{values = dense<1.0> : tensor<1x8x2xf32>}> : () -> tensor<1x8x2xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<?x?x?x1xf32>, tensor<2x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x2xf32>
  %n = tosa.dim %c {axis = 0 : i32} : (tensor<?x?x?x2xf32>) -> !tosa.shape<1>
  %h = tosa.dim %c {axis = 1 : i32} : (tensor<?x?x?x2xf32>) -> !tosa.shape<1>
  %d = tosa.dim %c {axis = 2 : i32} : (tensor<?x?x?x2xf32>) -> !tosa.shape<1>
  %one = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %hd = tosa.mul_shape %h, %d : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %f = tosa.mul_shape %hd, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %s = tosa.concat_shape %one, %n, %f : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %a = tosa.reshape %c, %s : (tensor<?x?x?x2xf32>, !tosa.shape<3>) -> tensor<1x?x?xf32>
  %r = tosa.matmul %a, %v, %z, %z : (tensor<1x?x?xf32>, tensor<1x8x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x2xf32>
  return %r : tensor<1x?x2xf32>
}
