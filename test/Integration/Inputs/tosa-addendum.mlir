// A program for each item of the proposal on dynamic shapes for TOSA, by the names
// of docs/Rationale/TOSA.md. Parameters of convolutions come in one tensor: padding
// before and after each axis, then strides, then dilations.

func.func @index_const(%n: index) -> index {
  %c = arith.constant 7 : index
  %r = arith.addi %n, %c : index
  return %r : index
}

func.func @get_dim(%x: tensor<?x3x?xf32>) -> tensor<2xindex> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c2 : tensor<?x3x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x3x?xf32>
  %r = tensor.from_elements %a, %b : tensor<2xindex>
  return %r : tensor<2xindex>
}

func.func @get_dim_as_shape(%x: tensor<?x3x?xf32>) -> !tosa.shape<2> {
  %a = tosa.dim %x {axis = 2 : i32} : (tensor<?x3x?xf32>) -> !tosa.shape<1>
  %b = tosa.dim %x {axis = 1 : i32} : (tensor<?x3x?xf32>) -> !tosa.shape<1>
  %r = tosa.concat_shape %a, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  return %r : !tosa.shape<2>
}

func.func @extract_dim(%dims: tensor<?xi32>) -> index {
  %c1 = arith.constant 1 : index
  %d = tensor.extract %dims[%c1] : tensor<?xi32>
  %r = arith.index_cast %d : i32 to index
  return %r : index
}

func.func @dims_to_tensor(%x: tensor<?x?xf32>) -> tensor<2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %dims = tensor.from_elements %b, %a : tensor<2xindex>
  %r = arith.index_cast %dims : tensor<2xindex> to tensor<2xi32>
  return %r : tensor<2xi32>
}

func.func @expand_dims(%x: tensor<?x?xf32>) -> tensor<1x?x1x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [1, %a, 1, %b] : tensor<?x?xf32> into tensor<1x?x1x?xf32>
  return %r : tensor<1x?x1x?xf32>
}

// Only what the type calls 1 is an expansion symbol: an open extent is made one first.
func.func @collapse_dims(%x: tensor<?x?x1x?xf32>) -> tensor<?x?xf32> {
  %one = tensor.cast %x : tensor<?x?x1x?xf32> to tensor<1x?x1x?xf32>
  %r = tensor.collapse_shape %one [[0, 1], [2, 3]] : tensor<1x?x1x?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @expansion_symbol(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %r = tosa.add %x, %y : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Two target extents that are not known: both are given.
func.func @reshape(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %a = tosa.dim %x {axis = 0 : i32} : (tensor<?x?x?xf32>) -> !tosa.shape<1>
  %b = tosa.dim %x {axis = 1 : i32} : (tensor<?x?x?xf32>) -> !tosa.shape<1>
  %c = tosa.dim %x {axis = 2 : i32} : (tensor<?x?x?xf32>) -> !tosa.shape<1>
  %ab = tosa.mul_shape %a, %b : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %s = tosa.concat_shape %c, %ab : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The same by index values.
func.func @reshape_by_values(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?x2xf32> {
  %r = symshape.reshape %x to [%n, %m, 2] : tensor<?x?xf32> to tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}

func.func @iota(%start: index, %limit: index, %step: index) -> tensor<?xi32> {
  %r = symshape.iota [%start, %limit, %step] : tensor<?xi32>
  return %r : tensor<?xi32>
}

func.func @data_dependent_slice(%x: tensor<?x?xf32>, %at: tensor<2xi64>, %size: tensor<2xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ats = arith.index_cast %at : tensor<2xi64> to tensor<2xindex>
  %sizes = arith.index_cast %size : tensor<2xi64> to tensor<2xindex>
  %i = tensor.extract %ats[%c0] : tensor<2xindex>
  %j = tensor.extract %ats[%c1] : tensor<2xindex>
  %n = tensor.extract %sizes[%c0] : tensor<2xindex>
  %m = tensor.extract %sizes[%c1] : tensor<2xindex>
  %r = tensor.extract_slice %x[%i, %j] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Where the start may be any number: the slice is moved inside.
func.func @data_dependent_slice_clamped(%x: tensor<?x?xf32>, %i: index, %n: index) -> tensor<?x?xf32> {
  %r = symshape.dynamic_slice %x[%i, %i] sizes [%n, 1] : tensor<?x?xf32> to tensor<?x1xf32>
  %open = tensor.cast %r : tensor<?x1xf32> to tensor<?x?xf32>
  return %open : tensor<?x?xf32>
}

// Where start and size follow from extents, the op of TOSA itself.
func.func @slice_by_shape(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = tosa.const_shape {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
  %n = tosa.dim %y {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %h = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %start = tosa.concat_shape %zero, %n : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %size = tosa.concat_shape %h, %n : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.slice %x, %start, %size : (tensor<?x?xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @data_dependent_pad(%x: tensor<?x?xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %value = arith.constant 5.0 : f32
  %pads = arith.index_cast %p : tensor<4xi64> to tensor<4xindex>
  %top = tensor.extract %pads[%c0] : tensor<4xindex>
  %bottom = tensor.extract %pads[%c1] : tensor<4xindex>
  %left = tensor.extract %pads[%c2] : tensor<4xindex>
  %right = tensor.extract %pads[%c3] : tensor<4xindex>
  %r = tensor.pad %x low[%top, %left] high[%bottom, %right] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The index values of a batch become a tensor, which the op of TOSA takes.
func.func @data_dependent_gather(%x: tensor<1x?x?xf32>, %i: index, %j: index, %k: index) -> tensor<1x3x?xf32> {
  %list = tensor.from_elements %i, %j, %k : tensor<3xindex>
  %numbers = arith.index_cast %list : tensor<3xindex> to tensor<3xi32>
  %rows = tensor.expand_shape %numbers [[0, 1]] output_shape [1, 3] : tensor<3xi32> into tensor<1x3xi32>
  %r = tosa.gather %x, %rows : (tensor<1x?x?xf32>, tensor<1x3xi32>) -> tensor<1x3x?xf32>
  return %r : tensor<1x3x?xf32>
}

func.func @data_dependent_scatter(%x: tensor<1x?x?xf32>, %y: tensor<1x2x?xf32>, %i: index, %j: index) -> tensor<1x?x?xf32> {
  %list = tensor.from_elements %i, %j : tensor<2xindex>
  %numbers = arith.index_cast %list : tensor<2xindex> to tensor<2xi32>
  %rows = tensor.expand_shape %numbers [[0, 1]] output_shape [1, 2] : tensor<2xi32> into tensor<1x2xi32>
  %r = tosa.scatter %x, %rows, %y : (tensor<1x?x?xf32>, tensor<1x2xi32>, tensor<1x2x?xf32>) -> tensor<1x?x?xf32>
  return %r : tensor<1x?x?xf32>
}

func.func @data_dependent_conv2d(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %b: tensor<?xf32>,
                                 %p: tensor<8xi64>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %params = arith.index_cast %p : tensor<8xi64> to tensor<8xindex>
  %top = tensor.extract %params[%c0] : tensor<8xindex>
  %bottom = tensor.extract %params[%c1] : tensor<8xindex>
  %left = tensor.extract %params[%c2] : tensor<8xindex>
  %right = tensor.extract %params[%c3] : tensor<8xindex>
  %sy = tensor.extract %params[%c4] : tensor<8xindex>
  %sx = tensor.extract %params[%c5] : tensor<8xindex>
  %dy = tensor.extract %params[%c6] : tensor<8xindex>
  %dx = tensor.extract %params[%c7] : tensor<8xindex>
  %kh = tensor.dim %w, %c1 : tensor<?x?x?x?xf32>
  %kw = tensor.dim %w, %c2 : tensor<?x?x?x?xf32>
  %win = symshape.windows %x, %zero kernel [%kh, %kw] low [%top, %left] high [%bottom, %right]
      stride [%sy, %sx] dilation [%dy, %dx] spread [1, 1] : tensor<?x?x?x?xf32> to tensor<?x?x?x?x?x?xf32>
  %n = tensor.dim %win, %c0 : tensor<?x?x?x?x?x?xf32>
  %oh = tensor.dim %win, %c1 : tensor<?x?x?x?x?x?xf32>
  %ow = tensor.dim %win, %c2 : tensor<?x?x?x?x?x?xf32>
  %o = tensor.dim %w, %c0 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %oh, %ow, %o) : tensor<?x?x?x?xf32>
  %init = linalg.broadcast ins(%b : tensor<?xf32>) outs(%empty : tensor<?x?x?x?xf32>) dimensions = [0, 1, 2]
  %r = linalg.contract indexing_maps = [affine_map<(n, y, x, o, i, j, c) -> (n, y, x, i, j, c)>,
                                        affine_map<(n, y, x, o, i, j, c) -> (o, i, j, c)>,
                                        affine_map<(n, y, x, o, i, j, c) -> (n, y, x, o)>]
      ins(%win, %w : tensor<?x?x?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// Integers: the border is the zero point, which the product of TOSA takes off.
func.func @data_dependent_conv2d_int8(%x: tensor<?x?x?x3xi8>, %s: index, %d: index) -> tensor<1x?x4xi32> {
  %c0 = arith.constant 0 : index
  %border = arith.constant 2 : i8
  %weights = "tosa.const"() <{values = dense<[[[1, -2, 3, 4], [0, 5, -6, 7], [2, 2, -1, 0], [1, 1, 1, 1], [3, -3, 3, -3], [-8, 4, 2, 1],
      [1, 0, 0, 2], [-1, -1, 4, 4], [0, 6, 0, 6], [5, 5, -5, -5], [1, 2, 3, 4], [7, -7, 0, 1]]]> : tensor<1x12x4xi8>}> : () -> tensor<1x12x4xi8>
  %two = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %none = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %win = symshape.windows %x, %border kernel [2, 2] low [1, 0] high [0, 1] stride [%s, %s] dilation [%d, 1] spread [1, 1]
      : tensor<?x?x?x3xi8> to tensor<?x?x?x2x2x3xi8>
  %flat = tensor.collapse_shape %win [[0, 1, 2], [3, 4, 5]] : tensor<?x?x?x2x2x3xi8> into tensor<?x12xi8>
  %n = tensor.dim %flat, %c0 : tensor<?x12xi8>
  %rows = tensor.expand_shape %flat [[0, 1], [2]] output_shape [1, %n, 12] : tensor<?x12xi8> into tensor<1x?x12xi8>
  %r = tosa.matmul %rows, %weights, %two, %none : (tensor<1x?x12xi8>, tensor<1x12x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x?x4xi32>
  return %r : tensor<1x?x4xi32>
}

func.func @data_dependent_conv3d(%x: tensor<?x?x?x?x?xf32>, %w: tensor<?x?x?x?x?xf32>, %pad: index, %s: index, %d: index)
    -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %kd = tensor.dim %w, %c1 : tensor<?x?x?x?x?xf32>
  %kh = tensor.dim %w, %c2 : tensor<?x?x?x?x?xf32>
  %kw = tensor.dim %w, %c3 : tensor<?x?x?x?x?xf32>
  %win = symshape.windows %x, %zero kernel [%kd, %kh, %kw] low [%pad, 0, 1] high [%pad, 0, 1]
      stride [%s, 1, %s] dilation [%d, %d, 1] spread [1, 1, 1] : tensor<?x?x?x?x?xf32> to tensor<?x?x?x?x?x?x?x?xf32>
  %n = tensor.dim %win, %c0 : tensor<?x?x?x?x?x?x?x?xf32>
  %od = tensor.dim %win, %c1 : tensor<?x?x?x?x?x?x?x?xf32>
  %oh = tensor.dim %win, %c2 : tensor<?x?x?x?x?x?x?x?xf32>
  %ow = tensor.dim %win, %c3 : tensor<?x?x?x?x?x?x?x?xf32>
  %o = tensor.dim %w, %c0 : tensor<?x?x?x?x?xf32>
  %empty = tensor.empty(%n, %od, %oh, %ow, %o) : tensor<?x?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %r = linalg.contract indexing_maps = [affine_map<(n, z, y, x, o, k, i, j, c) -> (n, z, y, x, k, i, j, c)>,
                                        affine_map<(n, z, y, x, o, k, i, j, c) -> (o, k, i, j, c)>,
                                        affine_map<(n, z, y, x, o, k, i, j, c) -> (n, z, y, x, o)>]
      ins(%win, %w : tensor<?x?x?x?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%init : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// Weights are (height, width, channel, multiplier).
func.func @data_dependent_depthwise_conv2d(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %pad: index, %s: index, %d: index)
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %kh = tensor.dim %w, %c0 : tensor<?x?x?x?xf32>
  %kw = tensor.dim %w, %c1 : tensor<?x?x?x?xf32>
  %win = symshape.windows %x, %zero kernel [%kh, %kw] low [%pad, %pad] high [%pad, %pad]
      stride [%s, %s] dilation [%d, %d] spread [1, 1] : tensor<?x?x?x?xf32> to tensor<?x?x?x?x?x?xf32>
  %n = tensor.dim %win, %c0 : tensor<?x?x?x?x?x?xf32>
  %oh = tensor.dim %win, %c1 : tensor<?x?x?x?x?x?xf32>
  %ow = tensor.dim %win, %c2 : tensor<?x?x?x?x?x?xf32>
  %c = tensor.dim %w, %c2 : tensor<?x?x?x?xf32>
  %m = tensor.dim %w, %c3 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %oh, %ow, %c, %m) : tensor<?x?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %each = linalg.contract indexing_maps = [affine_map<(n, y, x, c, m, i, j) -> (n, y, x, i, j, c)>,
                                           affine_map<(n, y, x, c, m, i, j) -> (i, j, c, m)>,
                                           affine_map<(n, y, x, c, m, i, j) -> (n, y, x, c, m)>]
      ins(%win, %w : tensor<?x?x?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %r = tensor.collapse_shape %each [[0], [1], [2], [3, 4]] : tensor<?x?x?x?x?xf32> into tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// The image is spread by the stride, and the kernel reversed.
func.func @data_dependent_transpose_conv2d(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %top: index, %right: index, %s: index)
    -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %kh = tensor.dim %w, %c1 : tensor<?x?x?x?xf32>
  %kw = tensor.dim %w, %c2 : tensor<?x?x?x?xf32>
  %y0 = arith.subi %kh, %c1 : index
  %x0 = arith.subi %kw, %c1 : index
  %low = arith.addi %y0, %top : index
  %high = arith.addi %x0, %right : index
  %win = symshape.windows %x, %zero kernel [%kh, %kw] low [%low, %x0] high [%y0, %high]
      stride [1, 1] dilation [1, 1] spread [%s, %s] : tensor<?x?x?x?xf32> to tensor<?x?x?x?x?x?xf32>
  %up = tosa.reverse %w {axis = 1 : i32} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %turned = tosa.reverse %up {axis = 2 : i32} : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %n = tensor.dim %win, %c0 : tensor<?x?x?x?x?x?xf32>
  %oh = tensor.dim %win, %c1 : tensor<?x?x?x?x?x?xf32>
  %ow = tensor.dim %win, %c2 : tensor<?x?x?x?x?x?xf32>
  %o = tensor.dim %w, %c0 : tensor<?x?x?x?xf32>
  %empty = tensor.empty(%n, %oh, %ow, %o) : tensor<?x?x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.contract indexing_maps = [affine_map<(n, y, x, o, i, j, c) -> (n, y, x, i, j, c)>,
                                        affine_map<(n, y, x, o, i, j, c) -> (o, i, j, c)>,
                                        affine_map<(n, y, x, o, i, j, c) -> (n, y, x, o)>]
      ins(%win, %turned : tensor<?x?x?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
