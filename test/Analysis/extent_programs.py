# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of each op whose results have extents: operands, text, and extents of the results.

An operand is `f32[M, N]`, a tensor whose extents are expressions; `&f32[M]`, a memref; `#M`, an
index; `f32`, a scalar. In the text `%0` is the first operand, T0 its type; results are `%r` and
`%r#1`, R0 the type of the first one. An entry without a dialect's own syntax is in generic form.
"""

import re

#: Programs that are tried for each op of arith and math; those that parse are of that op.
TEMPLATES = [
    ("f32[M, N]", "{op} %0 : T0", "f32[M, N]"),
    ("i32[M, N]", "{op} %0 : T0", "i32[M, N]"),
    ("f32[M, N] f32[M, N]", "{op} %0, %1 : T0", "f32[M, N]"),
    ("i32[M, N] i32[M, N]", "{op} %0, %1 : T0", "i32[M, N]"),
    ("i32[M, N] i32[M, N]", "{op} %0, %1 : T0", "i32[M, N] i32[M, N]"),
    ("i32[M, N] i32[M, N]", "{op} %0, %1 : T0, R1", "i32[M, N] i1[M, N]"),
    ("f32[M, N] f32[M, N] f32[M, N]", "{op} %0, %1, %2 : T0", "f32[M, N]"),
    ("f32[M, N] f32[M, N] f32[M, N]", "{op} %0 to [%1, %2] : T0", "f32[M, N]"),
    ("i32[M, N] i32[M, N]", "{op} eq, %0, %1 : T0", "i1[M, N]"),
    ("f32[M, N] f32[M, N]", "{op} oeq, %0, %1 : T0", "i1[M, N]"),
    ("f32[M, N]", "{op} %0 : T0", "i1[M, N]"),
    ("f32[M, N]", "{op} %0 : T0", "f32[M, N] f32[M, N]"),
    ("i1[M, N] f32[M, N] f32[M, N]", "{op} %0, %1, %2 : T0, T1", "f32[M, N]"),
    ("f32[M, N] i32[M, N]", "{op} %0, %1 : T0, T1", "f32[M, N]"),
    ("f32[M, N] f8E8M0FNU[M, N]", "{op} %0, %1 : T0, T1 to R0", "f16[M, N]"),
    ("f16[M, N] f8E8M0FNU[M, N]", "{op} %0, %1 : T0, T1 to R0", "f32[M, N]"),
    ("f16[M, N] f8E8M0FNU[M, N]", "{op} %0, %1 : T0, T1 to R0", "f8E5M2[M, N]"),
    *[(f"{a}[M, N]", "{op} %0 : T0 to R0", f"{b}[M, N]")
      for a, b in (("i32", "i64"), ("i64", "i32"), ("f32", "f64"), ("f64", "f32"), ("i32", "f32"), ("f32", "i32"),
                   ("index", "i32"))],
]

UNARY = ["exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square", "tanh", "erf",
         "copy"]
BINARY = ["add", "sub", "mul", "div", "max", "min", "powf"]

#: Structured ops by their operands; the last one is the destination.
STRUCTURED = {
    **{name: "f32[M, N] f32[M, N]" for name in UNARY},
    **{name: "f32[M, N] f32[M, N] f32[M, N]" for name in BINARY},
    "div_unsigned": "i32[M, N] i32[M, N] i32[M, N]",
    "select": "i1[M, N] f32[M, N] f32[M, N] f32[M, N]",
    "fill": "f32 f32[M, N]",
    "fill_rng_2d": "f64 f64 i32 f32[M, N]",
    "matmul": "f32[M, K] f32[K, N] f32[M, N]",
    "quantized_matmul": "i8[M, K] i8[K, N] i32 i32 i32[M, N]",
    "batch_matmul": "f32[B, M, K] f32[B, K, N] f32[B, M, N]",
    "quantized_batch_matmul": "i8[B, M, K] i8[B, K, N] i32 i32 i32[B, M, N]",
    "batch_reduce_matmul": "f32[B, M, K] f32[B, K, N] f32[M, N]",
    "mmt4d": "f32[M, K, P, R] f32[N, K, Q, R] f32[M, N, P, Q]",
    "batch_mmt4d": "f32[B, M, K, P, R] f32[B, N, K, Q, R] f32[B, M, N, P, Q]",
    "matvec": "f32[M, N] f32[N] f32[M]",
    "vecmat": "f32[M] f32[M, N] f32[N]",
    "batch_matvec": "f32[B, M, K] f32[B, K] f32[B, M]",
    "batch_vecmat": "f32[B, K] f32[B, K, N] f32[B, N]",
    "conv_1d": "f32[X + U - 1] f32[U] f32[X]",
    "conv_2d": "f32[X + U - 1, Y + V - 1] f32[U, V] f32[X, Y]",
    "conv_3d": "f32[X + U - 1, Y + V - 1, Z + W - 1] f32[U, V, W] f32[X, Y, Z]",
    "conv_1d_nwc_wcf": "f32[B, X + U - 1, C] f32[U, C, F] f32[B, X, F]",
    "conv_1d_ncw_fcw": "f32[B, C, X + U - 1] f32[F, C, U] f32[B, F, X]",
    "conv_2d_nhwc_hwcf": "f32[B, X + U - 1, Y + V - 1, C] f32[U, V, C, F] f32[B, X, Y, F]",
    "conv_2d_nhwc_fhwc": "f32[B, X + U - 1, Y + V - 1, C] f32[F, U, V, C] f32[B, X, Y, F]",
    "conv_2d_nhwc_hwcf_q": "i8[B, X + U - 1, Y + V - 1, C] i8[U, V, C, F] i32 i32 i32[B, X, Y, F]",
    "conv_2d_nhwc_fhwc_q": "i8[B, X + U - 1, Y + V - 1, C] i8[F, U, V, C] i32 i32 i32[B, X, Y, F]",
    "conv_2d_nchw_fchw": "f32[B, C, X + U - 1, Y + V - 1] f32[F, C, U, V] f32[B, F, X, Y]",
    "conv_2d_nchw_fchw_q": "i8[B, C, X + U - 1, Y + V - 1] i8[F, C, U, V] i32 i32 i32[B, F, X, Y]",
    "conv_2d_ngchw_fgchw": "f32[B, G, C, X + U - 1, Y + V - 1] f32[F, G, C, U, V] f32[B, G, F, X, Y]",
    "conv_2d_ngchw_gfchw": "f32[B, G, C, X + U - 1, Y + V - 1] f32[G, F, C, U, V] f32[B, G, F, X, Y]",
    "conv_2d_ngchw_gfchw_q": "i8[B, G, C, X + U - 1, Y + V - 1] i8[G, F, C, U, V] i32 i32 i32[B, G, F, X, Y]",
    "conv_2d_nhwgc_gfhwc": "f32[B, X + U - 1, Y + V - 1, G, C] f32[G, F, U, V, C] f32[B, X, Y, G, F]",
    "conv_2d_nhwgc_gfhwc_q": "i8[B, X + U - 1, Y + V - 1, G, C] i8[G, F, U, V, C] i32 i32 i32[B, X, Y, G, F]",
    "conv_3d_ndhwc_dhwcf": "f32[B, X + U - 1, Y + V - 1, Z + W - 1, C] f32[U, V, W, C, F] f32[B, X, Y, Z, F]",
    "conv_3d_ndhwc_dhwcf_q": "i8[B, X + U - 1, Y + V - 1, Z + W - 1, C] i8[U, V, W, C, F] i32 i32 i32[B, X, Y, Z, F]",
    "conv_3d_ncdhw_fcdhw": "f32[B, C, X + U - 1, Y + V - 1, Z + W - 1] f32[F, C, U, V, W] f32[B, F, X, Y, Z]",
    "depthwise_conv_1d_nwc_wc": "f32[B, X + U - 1, C] f32[U, C] f32[B, X, C]",
    "depthwise_conv_1d_ncw_cw": "f32[B, C, X + U - 1] f32[C, U] f32[B, C, X]",
    "depthwise_conv_1d_nwc_wcm": "f32[B, X + U - 1, C] f32[U, C, M] f32[B, X, C, M]",
    "depthwise_conv_2d_nhwc_hwc": "f32[B, X + U - 1, Y + V - 1, C] f32[U, V, C] f32[B, X, Y, C]",
    "depthwise_conv_2d_nchw_chw": "f32[B, C, X + U - 1, Y + V - 1] f32[C, U, V] f32[B, C, X, Y]",
    "depthwise_conv_2d_nhwc_hwc_q": "i8[B, X + U - 1, Y + V - 1, C] i8[U, V, C] i32 i32 i32[B, X, Y, C]",
    "depthwise_conv_2d_nhwc_hwcm": "f32[B, X + U - 1, Y + V - 1, C] f32[U, V, C, M] f32[B, X, Y, C, M]",
    "depthwise_conv_2d_nhwc_hwcm_q": "i8[B, X + U - 1, Y + V - 1, C] i8[U, V, C, M] i32 i32 i32[B, X, Y, C, M]",
    "depthwise_conv_3d_ndhwc_dhwc": "f32[B, X + U - 1, Y + V - 1, Z + W - 1, C] f32[U, V, W, C] f32[B, X, Y, Z, C]",
    "depthwise_conv_3d_ncdhw_cdhw": "f32[B, C, X + U - 1, Y + V - 1, Z + W - 1] f32[C, U, V, W] f32[B, C, X, Y, Z]",
    "depthwise_conv_3d_ndhwc_dhwcm": "f32[B, X + U - 1, Y + V - 1, Z + W - 1, C] f32[U, V, W, C, M] f32[B, X, Y, Z, C, M]",
    **{f"pooling_nhwc_{kind}": "f32[B, X + U - 1, Y + V - 1, C] f32[U, V] f32[B, X, Y, C]" for kind in ("sum", "max", "min")},
    **{f"pooling_nhwc_{kind}_unsigned": "i32[B, X + U - 1, Y + V - 1, C] i32[U, V] i32[B, X, Y, C]" for kind in ("max", "min")},
    **{f"pooling_nchw_{kind}": "f32[B, C, X + U - 1, Y + V - 1] f32[U, V] f32[B, C, X, Y]" for kind in ("sum", "max")},
    **{f"pooling_nwc_{kind}": "f32[B, X + U - 1, C] f32[U] f32[B, X, C]" for kind in ("sum", "max", "min")},
    **{f"pooling_nwc_{kind}_unsigned": "i32[B, X + U - 1, C] i32[U] i32[B, X, C]" for kind in ("max", "min")},
    **{f"pooling_ncw_{kind}": "f32[B, C, X + U - 1] f32[U] f32[B, C, X]" for kind in ("sum", "max")},
    **{f"pooling_ndhwc_{kind}": "f32[B, X + U - 1, Y + V - 1, Z + W - 1, C] f32[U, V, W] f32[B, X, Y, Z, C]"
       for kind in ("sum", "max", "min")},
}

MAPS = "affine_map<(i, j) -> (i, j)>"
GENERIC = (f"linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>, {MAPS}], "
           'iterator_types = ["parallel", "parallel"]}} ins(%0 : T0) outs(%1 : T1) {{\n'
           "^bb0(%a: f32, %b: f32):\n  linalg.yield %a : f32\n}} -> R0").replace("{{", "{").replace("}}", "}")
GATHER = ("{offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, "
          "index_vector_dim = 1 : i64}")
SCATTER = ("{update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, "
           "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}")
LOOP = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
X2, X2_TO_X2 = "f32[M, N]", ("f32[M, N]", "f32[M, N]")


def loop(header, end="scf.yield"):
    return f"{LOOP}%r = {header} {{\n  {end} %t : T0\n}}"


#: Operands, text (what gives `%r`, or all ops), results. More programs of one op follow " of ".
PROGRAMS = {
    "arith.constant": ("", "arith.constant dense<1.0> : R0", "f32[2, 3]"),
    "arith.bitcast": ("f32[M, N]", "arith.bitcast %0 : T0 to R0", "i32[M, N]"),
    "linalg.dot": ("f32[M] f32[M] f32[]", "linalg.dot ins(%0, %1 : T0, T1) outs(%2 : T2) -> R0", "f32[]"),
    "linalg.generic": ("f32[N, M] f32[M, N]", GENERIC, "f32[M, N]"),
    "linalg.map": ("f32[M, N] f32[M, N]", "linalg.map {math.exp} ins(%0 : T0) outs(%1 : T1)\n", "f32[M, N]"),
    "linalg.reduce": ("f32[M, N, K] f32[M, K]", "linalg.reduce {arith.addf} ins(%0 : T0) outs(%1 : T1) dimensions = [1]\n",
                      "f32[M, K]"),
    "linalg.transpose": ("f32[M, N] f32[N, M]", "linalg.transpose ins(%0 : T0) outs(%1 : T1) permutation = [1, 0]\n",
                         "f32[N, M]"),
    "linalg.broadcast": ("f32[M] f32[M, N]", "linalg.broadcast ins(%0 : T0) outs(%1 : T1) dimensions = [1]\n", "f32[M, N]"),
    "linalg.elementwise": ("f32[M, N] f32[M, N]",
                           "linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%0 : T0) outs(%1 : T1) -> R0", "f32[M, N]"),
    "linalg.contract": ("f32[M, K] f32[K, N] f32[M, N]",
                        "linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
                        "affine_map<(m, n, k) -> (m, n)>] ins(%0, %1 : T0, T1) outs(%2 : T2) -> R0", "f32[M, N]"),
    "linalg.softmax": ("f32[M, N] f32[M, N]", "linalg.softmax dimension(1) ins(%0 : T0) outs(%1 : T1) -> R0", "f32[M, N]"),
    "linalg.pack": ("f32[8*M, 4*N] f32[M, N, 8, 4]",
                    "linalg.pack %0 inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %1 : T0 -> T1", "f32[M, N, 8, 4]"),
    "linalg.unpack": ("f32[M, N, 8, 4] f32[8*M, 4*N]",
                      "linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %1 : T0 -> T1", "f32[8*M, 4*N]"),
    "linalg.winograd_filter_transform": ("f32[F, 3, 3, C] f32[6, 6, C, F]",
                                         "linalg.winograd_filter_transform fmr(F_4_3) ins(%0 : T0) outs(%1 : T1) -> R0",
                                         "f32[6, 6, C, F]"),
    "linalg.winograd_input_transform": ("f32[B, 10, 10, C] f32[6, 6, 2, 2, B, C]",
                                        "linalg.winograd_input_transform fmr(F_4_3) ins(%0 : T0) outs(%1 : T1) -> R0",
                                        "f32[6, 6, 2, 2, B, C]"),
    "linalg.winograd_output_transform": ("f32[6, 6, 2, 2, B, F] f32[B, 8, 8, F]",
                                         "linalg.winograd_output_transform fmr(F_4_3) ins(%0 : T0) outs(%1 : T1) -> R0",
                                         "f32[B, 8, 8, F]"),
    # Tensors
    "tensor.bitcast": ("i32[M, N]", "tensor.bitcast %0 : T0 to R0", "ui32[M, N]"),
    "tensor.cast": (X2, "tensor.cast %0 : T0 to R0", "f32[M, N]"),
    "tensor.concat": ("f32[M, N] f32[K, N]", "tensor.concat dim(0) %0, %1 : (T0, T1) -> R0", "f32[M + K, N]"),
    "tensor.dim": (X2, "%c1 = arith.constant 1 : index\n%d = tensor.dim %0, %c1 : T0\n%r = tensor.empty(%d) : R0", "f32[N]"),
    "tensor.empty": ("#M #N", "tensor.empty(%0, %1) : R0", "f32[M, N]"),
    "tensor.extract_slice": ("f32[M + 2, 2*N] #M #N", "tensor.extract_slice %0[2, 0] [%1, %2] [1, 2] : T0 to R0", "f32[M, N]"),
    "tensor.from_elements": ("f32", "tensor.from_elements %0, %0 : R0", "f32[2]"),
    "tensor.gather": ("f32[M, N] index[K, 1]", "tensor.gather %0[%1] gather_dims([0]) : (T0, T1) -> R0", "f32[K, 1, N]"),
    "tensor.generate": ("#M #N f32", "tensor.generate %0, %1 {\n^bb0(%i: index, %j: index):\n  tensor.yield %2 : f32\n} : R0",
                        "f32[M, N]"),
    "tensor.insert": ("f32[M, N] f32 #M", "tensor.insert %1 into %0[%2, %2] : T0", "f32[M, N]"),
    "tensor.insert_slice": ("f32[M, N] f32[2*M, N + 1] #M #N", "tensor.insert_slice %0 into %1[0, 1] [%2, %3] [2, 1] : T0 into T1",
                            "f32[2*M, N + 1]"),
    "tensor.reshape": ("f32[M, N] #M #N",
                       "%p = arith.muli %1, %2 : index\n%s = tensor.from_elements %p : tensor<1xindex>\n"
                       "%r = tensor.reshape %0(%s) : (T0, tensor<1xindex>) -> R0", "f32[M*N]"),
    "tensor.expand_shape": ("f32[4*M, N] #M #N", "tensor.expand_shape %0 [[0, 1], [2]] output_shape [%1, 4, %2] : T0 into R0",
                            "f32[M, 4, N]"),
    "tensor.collapse_shape": ("f32[M, N, K]", "tensor.collapse_shape %0 [[0, 1], [2]] : T0 into R0", "f32[M*N, K]"),
    "tensor.pad": ("f32[M, N] #K f32", "tensor.pad %0 low[%1, 1] high[2, 0] {\n^bb0(%i: index, %j: index):\n"
                   "  tensor.yield %2 : f32\n} : T0 to R0", "f32[M + K + 2, N + 1]"),
    "tensor.scatter": ("f32[M, N] f32[K, 1, N] index[K, 1]",
                       "tensor.scatter %1 into %0[%2] scatter_dims([0]) unique : (T1, T0, T2) -> R0", "f32[M, N]"),
    "tensor.splat": ("#M #N f32", "tensor.splat %2[%0, %1] : R0", "f32[M, N]"),
    # Buffers
    "memref.alloc": ("#M #N", "memref.alloc(%0, %1) : R0", "&f32[M, N]"),
    "memref.alloca": ("#M #N", "memref.alloca(%0, %1) : R0", "&f32[M, N]"),
    "memref.realloc": ("&f32[M] #N", "memref.realloc %0(%1) : T0 to R0", "&f32[N]"),
    "memref.alloca_scope": ("&f32[M, N]", "memref.alloca_scope -> (R0) {\n  memref.alloca_scope.return %0 : T0\n}", "&f32[M, N]"),
    "memref.assume_alignment": ("&f32[M, N]", "memref.assume_alignment %0, 8 : T0", "&f32[M, N]"),
    "memref.distinct_objects": ("&f32[M] &f32[N]", "memref.distinct_objects %0, %1 : T0, T1", "&f32[M] &f32[N]"),
    "memref.cast": ("&f32[M, N]", "memref.cast %0 : T0 to R0", "&f32[M, N]"),
    "memref.dim": ("&f32[M, N]", "%c1 = arith.constant 1 : index\n%d = memref.dim %0, %c1 : T0\n%r = memref.alloc(%d) : R0",
                   "&f32[N]"),
    "memref.extract_strided_metadata": (
        "&f32[M, N]", "%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %0 : T0 -> memref<f32>, index, index, index, index, index\n"
        "%r = memref.alloc(%s#1, %s#0) : R0", "&f32[N, M]"),
    "memref.get_global": ("", "memref.get_global @data : memref<4x3xf32>", "&f32[4, 3]"),
    "memref.memory_space_cast": ("&f32[M, N]", "memref.memory_space_cast %0 : T0 to R0", "&f32[M, N]@1"),
    "memref.reinterpret_cast": ("&f32[M] #M #N", "memref.reinterpret_cast %0 to offset: [0], sizes: [%1, %2], strides: [%2, 1] : "
                                "T0 to R0", "&f32[M, N]:strided<[?, 1]>"),
    # The shape is read from a buffer, which may change.
    "memref.reshape": ("&f32[M, N] #M #N", "%p = arith.muli %1, %2 : index\n%c0 = arith.constant 0 : index\n"
                       "%s = memref.alloc() : memref<1xindex>\nmemref.store %p, %s[%c0] : memref<1xindex>\n"
                       "%r = memref.reshape %0(%s) : (T0, memref<1xindex>) -> R0", "&f32[M*N]"),
    "memref.expand_shape": ("&f32[4*M, N] #M #N",
                            "memref.expand_shape %0 [[0, 1], [2]] output_shape [%1, 4, %2] : T0 into R0", "&f32[M, 4, N]"),
    "memref.collapse_shape": ("&f32[M, N, K]", "memref.collapse_shape %0 [[0, 1], [2]] : T0 into R0", "&f32[M*N, K]"),
    "memref.subview": ("&f32[M + 2, 2*N] #M #N", "memref.subview %0[2, 0] [%1, %2] [1, 2] : T0 to R0",
                       "&f32[M, N]:strided<[?, 2], offset: ?>"),
    "memref.transpose": ("&f32[M, N]", "memref.transpose %0 (i, j) -> (j, i) : T0 to R0", "&f32[N, M]:strided<[1, ?]>"),
    "memref.view": ("&i8[4*M*N] #M #N", "%c0 = arith.constant 0 : index\n%r = memref.view %0[%c0][%1, %2] : T0 to R0",
                    "&f32[M, N]"),
    "bufferization.alloc_tensor": ("#M #N", "bufferization.alloc_tensor(%0, %1) : R0", "f32[M, N]"),
    "bufferization.clone": ("&f32[M, N]", "bufferization.clone %0 : T0 to R0", "&f32[M, N]"),
    "bufferization.materialize_in_destination": (
        "f32[M, N] f32[M, N]", "bufferization.materialize_in_destination %0 in %1 : (T0, T1) -> R0", "f32[M, N]"),
    "bufferization.to_tensor": ("&f32[M, N]", "bufferization.to_tensor %0 restrict : T0 to R0", "f32[M, N]"),
    "bufferization.to_buffer": ("f32[M, N]", "bufferization.to_buffer %0 : T0 to R0", "&f32[M, N]"),
    # Vectors that are written into tensors
    "vector.transfer_write": ("f32[M, N] #M", "%v = arith.constant dense<0.0> : vector<4xf32>\n"
                              "%r = vector.transfer_write %v, %0[%1, %1] : vector<4xf32>, T0", "f32[M, N]"),
    "vector.mask": ("f32[M, N] #M", "%v = arith.constant dense<0.0> : vector<4xf32>\n%m = vector.create_mask %1 : vector<4xi1>\n"
                    "%r = vector.mask %m { vector.transfer_write %v, %0[%1, %1] : vector<4xf32>, T0 } : vector<4xi1> -> R0",
                    "f32[M, N]"),
    "vector.type_cast": ("&f32[2, 3]", "vector.type_cast %0 : T0 to memref<vector<2x3xf32>>", "&vector<2x3xf32>[]"),
    # Regions
    "scf.if": ("i1 f32[M, N] f32[M, N]", "scf.if %0 -> (R0) {\n  scf.yield %1 : T1\n} else {\n  scf.yield %2 : T2\n}", "f32[M, N]"),
    "scf.if of two": ("i1 f32[M, N] f32[M, 2*N]",
                      "scf.if %0 -> (R0) {\n  scf.yield %1 : T1\n} else {\n  scf.yield %2 : T2\n}", "f32[M, ?N..2*N]"),
    "scf.index_switch": ("#K f32[M, N]", "scf.index_switch %0 -> R0\ncase 1 {\n  scf.yield %1 : T1\n}\ndefault {\n"
                         "  scf.yield %1 : T1\n}", "f32[M, N]"),
    "scf.execute_region": (X2, "scf.execute_region -> R0 {\n  scf.yield %0 : T0\n}", "f32[M, N]"),
    "scf.for": ("f32[M, N] #K", loop("scf.for %i = %c0 to %1 step %c1 iter_args(%t = %0) -> (R0)"), "f32[M, N]"),
    "scf.for of a growing tensor": (
        "f32[M, N] #K", LOOP + "%r = scf.for %i = %c0 to %1 step %c1 iter_args(%t = %0) -> (R0) {\n"
        "  %d = tensor.concat dim(0) %t, %0 : (R0, R0) -> R0\n  scf.yield %d : R0\n}", "f32[M*K + M, N]"),
    "scf.while": ("f32[M, N] i1", "scf.while (%t = %0) : (T0) -> R0 {\n  scf.condition(%1) %t : T0\n} do {\n^bb0(%t: R0):\n"
                  "  scf.yield %t : T0\n}", "f32[M, N]"),
    "scf.forall": ("f32[M, N] #K", "scf.forall (%i) in (%1) shared_outs(%t = %0) -> (R0) {\n}", "f32[M, N]"),
    # What its body yields, from tensors whose extents nothing says.
    "scf.parallel": ("f32[M, N] #K", LOOP + "%r = scf.parallel (%i) = (%c0) to (%1) step (%c1) init (%0) -> R0 {\n"
                     "  scf.reduce(%0 : T0) {\n  ^bb0(%a: T0, %b: T0):\n    %s = arith.addf %a, %b : T0\n"
                     "    scf.reduce.return %s : T0\n  }\n}", "f32[M, N]"),
    "affine.for": ("f32[M, N] #K", "affine.for %i = 0 to %1 iter_args(%t = %0) -> (R0) {\n  affine.yield %t : T0\n}", "f32[M, N]"),
    "affine.if": (X2, "affine.if affine_set<() : (1 >= 0)>() -> R0 {\n  affine.yield %0 : T0\n} else {\n  affine.yield %0 : T0\n}",
                  "f32[M, N]"),
    # Shapes
    "shape.const_shape": ("", "shape.const_shape [4, 5] : R0", "index[2]"),
    "shape.shape_of": (X2, "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%c1 = arith.constant 1 : index\n"
                       "%d = tensor.extract %s[%c1] : tensor<2xindex>\n%r = tensor.empty(%d) : R0", "f32[N]"),
    "shape.shape_of of its own extent": (X2, "shape.shape_of %0 : T0 -> R0", "index[2]"),
    "shape.dim": (X2, "%c1 = arith.constant 1 : index\n%d = shape.dim %0, %c1 : T0, index -> index\n%r = tensor.empty(%d) : R0",
                  "f32[N]"),
    "shape.get_extent": (X2, "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%c1 = arith.constant 1 : index\n"
                         "%d = shape.get_extent %s, %c1 : tensor<2xindex>, index -> index\n%r = tensor.empty(%d) : R0", "f32[N]"),
    "shape.num_elements": (X2, "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%d = shape.num_elements %s : tensor<2xindex> -> index\n"
                           "%r = tensor.empty(%d) : R0", "f32[M*N]"),
    "shape.broadcast": ("f32[M, N] f32[N]",
                        "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%t = shape.shape_of %1 : T1 -> tensor<1xindex>\n"
                        "%r = shape.broadcast %s, %t : tensor<2xindex>, tensor<1xindex> -> R0", "index[2]"),
    "shape.broadcast of its extents": (
        "f32[M, N] f32[N]",
        "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%t = shape.shape_of %1 : T1 -> tensor<1xindex>\n"
        "%b = shape.broadcast %t, %s : tensor<1xindex>, tensor<2xindex> -> tensor<2xindex>\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%m = tensor.extract %b[%c0] : tensor<2xindex>\n%n = tensor.extract %b[%c1] : tensor<2xindex>\n"
        "%r = tensor.empty(%m, %n) : R0", "f32[M, N]"),
    "shape.rank": (X2, "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%d = shape.rank %s : tensor<2xindex> -> index\n"
                   "%r = tensor.empty(%d) : R0", "f32[?2..2]"),
    "shape.concat": ("f32[M, N] f32[K]",
                     "%s = shape.shape_of %0 : T0 -> tensor<2xindex>\n%t = shape.shape_of %1 : T1 -> tensor<1xindex>\n"
                     "%r = shape.concat %s, %t : tensor<2xindex>, tensor<1xindex> -> R0", "index[?3..3]"),
    "shape.to_extent_tensor": ("f32[M, N]", "%s = shape.shape_of %0 : T0 -> !shape.shape\n"
                               "%r = shape.to_extent_tensor %s : !shape.shape -> R0", "index[2]"),
    "shape.assuming": (X2, "%w = shape.const_witness true\n%r = shape.assuming %w -> R0 {\n  shape.assuming_yield %0 : T0\n}",
                       "f32[M, N]"),
    # Ours
    "symshape.bind_shape": ("f32[M, N]", "symshape.bind_shape %0 [M1, N1] : T0", "f32[M, N]"),
    "symshape.broadcast": ("f32[N] #M", "%c0 = arith.constant 0 : index\n%n = tensor.dim %0, %c0 : T0\n"
                           "%r = symshape.broadcast %0 to [%1, %n] dims [1] expanding [] : T0 to R0", "f32[M, N]"),
    "symshape.cumsum": (X2, "symshape.cumsum %0 axis 1 : T0", "f32[M, N]"),
    "symshape.dynamic_slice": ("f32[M + K, N + 1] #M #N #K",
                               "symshape.dynamic_slice %0[%3, %3] sizes [%1, %2] : T0 to R0", "f32[M, N]"),
    "symshape.dequantize": ("i8[M, 8] f32[M, 1] i8[M, 1]", "symshape.dequantize %0 scales %1 zeros %2 bits 4 block 16 : T0, T1, T2 to R0",
                            "f32[M, 16]"),
    "symshape.dynamic_truncate": ("f32[M, N] #K", "symshape.dynamic_truncate %0, %1 axis 0 : T0 to R0", "f32[min(M, K), N]"),
    "symshape.dynamic_truncate of data": ("f32[M, N] f64", "symshape.dynamic_truncate %0, %1 axis 0 : T0, f64 to R0",
                                          "f32[?0..M, N]"),
    "symshape.dynamic_update_slice": ("f32[M, N] f32[M + K, N] #K",
                                      "symshape.dynamic_update_slice %0 into %1[%2, %2] : T0 into T1", "f32[M + K, N]"),
    "symshape.gather": ("f32[M, N] i64[K, 1] #N",
                        f"symshape.gather clip %0[%1] slice_sizes [1, %2] {GATHER} : T0[T1] to R0", "f32[K, N]"),
    "symshape.iota": ("#M #N", "%s = arith.addi %0, %1 : index\n%r = symshape.iota [%0, %s, 1] : R0", "index[N]"),
    "symshape.nonzero": ("f32[M, N]", "symshape.nonzero %0 : T0 to R0", "index[?0..M*N, ?2..2]"),
    "symshape.pad": ("f32[M, N] f32 #K", "symshape.pad %0, %1 low [%2, 1] high [1, %2] interior [0, 0] : T0 to R0",
                     "f32[M + K + 1, N + K + 1]"),
    "symshape.pad of gaps": ("f32[M, N] f32", "symshape.pad %0, %1 low [1, 0] high [1, 0] interior [2, 0] : T0 to R0",
                             "f32[max(3*M - 2, 0) + 2, N]"),
    "symshape.pad_to_match": ("f32[M, N] #K", "symshape.pad_to_match %0, %1 axis 1 : T0, index to R0", "f32[M, max(N, K)]"),
    "symshape.resample": ("f32[M, N] i64[2, K] f32[2, K]",
                          "symshape.resample %0 along [1] at %1 weights %2 : T0 at T1 weights T2 to R0", "f32[M, K]"),
    "symshape.reshape": ("f32[M, 2*N] #M #N", "%m = arith.addi %1, %1 : index\n"
                         "%r = symshape.reshape %0 to [%m, %2] : T0 to R0", "f32[2*M, N]"),
    "symshape.reverse": (X2, "symshape.reverse %0 axes [0] : T0", "f32[M, N]"),
    "symshape.scatter": ("f32[M, N] i64[K, 1] f32[K, N]", f"symshape.scatter add drop %2 into %0[%1] {SCATTER} : T2 into T0[T1]",
                         "f32[M, N]"),
    "symshape.sort": (X2, "symshape.sort %0 axis 1 : T0, R1", "f32[M, N] i64[M, N]"),
    "symshape.top_k": ("f32[M, N + K] #K", "symshape.top_k %0, %1 axis 1 : T0 to R0, R1", "f32[M, K] i64[M, K]"),
    "symshape.windows": ("f32[B, X + K + 1, C] f32 #K", "%c1 = arith.constant 1 : index\n"
                         "%r = symshape.windows %0, %1 kernel [%2] low [0] high [0] stride [%c1] dilation [%c1] spread [%c1] : "
                         "T0 to R0", "f32[B, X + 2, K, C]"),
    "symshape.stop_gradient": (X2, "symshape.stop_gradient %0 : T0", "f32[M, N]"),
    "symshape.with_extents": ("f32[M, N] #M #N", "symshape.with_extents %0 [%1, %2] : T0", "f32[M, N]"),
}

#: Ops whose results have no extents, by dialect: scalars, vectors, tokens, or no results.
WITHOUT_EXTENTS = {
    "linalg": "index yield",
    "tensor": "extract rank yield parallel_insert_slice",
    "memref": "alloca_scope.return atomic_rmw atomic_yield copy dealloc dma_start dma_wait extract_aligned_pointer_as_index "
              "generic_atomic_rmw global load prefetch rank store",
    "bufferization": "dealloc dealloc_tensor",
    "scf": "condition forall.in_parallel reduce reduce.return yield",
    "affine": "apply delinearize_index dma_start dma_wait linearize_index load max min parallel prefetch store vector_load "
              "vector_store yield",
    # Of !shape.shape, !shape.size and !shape.witness, whose rank is not known.
    "shape": "add any assuming_all assuming_yield const_size const_witness cstr_broadcastable cstr_eq cstr_require debug_print "
             "div from_extent_tensor from_extents func function_library index_to_size is_broadcastable max meet min mul rank "
             "reduce return shape_eq size_to_index split_at value_as_shape value_of with_shape yield",
    "symshape": "assert assume fail size truncate_size",
}


def programs_of(op):
    """(name, operands, text, results) of the programs for an op; of templates it may have several, of which some parse."""
    dialect, _, name = op.partition(".")
    found = [(key, *PROGRAMS[key]) for key in PROGRAMS if key.split(" of ")[0] == op]
    if not found and dialect in ("arith", "math"):
        return [(op, operands, text.replace("{op}", op), results) for operands, text, results in TEMPLATES]
    if dialect == "linalg" and name in STRUCTURED:
        *inputs, destination = re.findall(r"[^\s\[]+(?:\[[^]]*\])?", STRUCTURED[name])
        ins = f"ins({', '.join(f'%{i}' for i in range(len(inputs)))} : {', '.join(f'T{i}' for i in range(len(inputs)))})"
        last = len(inputs)
        found.append((op, STRUCTURED[name], f"{op} {ins} outs(%{last} : T{last}) -> R0", destination))
    return found
