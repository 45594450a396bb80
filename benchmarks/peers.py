# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenVINO, and the products of llama.cpp, as contestants: inputs bound once; calling one runs it."""

import ctypes

import numpy as np
import openvino

GGML_TYPES = {8: 8, 4: 2}  # Q8_0 and Q4_0 of ggml.h, by bits of a code


class OpenVINO:
    """A model for all sizes, in the precision that OpenVINO chooses, or in `precision`, as "f32"."""

    core = None

    def __init__(self, path, threads, precision=None):
        OpenVINO.core = OpenVINO.core or openvino.Core()
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1}
        if precision:
            options["INFERENCE_PRECISION_HINT"] = precision
        self.compiled = self.core.compile_model(str(path), "CPU", options)

    def precision(self):
        """By which it computes, as "bfloat16"."""
        return self.compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()

    def call(self, inputs):
        """A call of arrays by name."""
        return Inference(self.compiled.create_infer_request(), inputs)


class Inference:
    def __init__(self, request, inputs):
        self.request, self.inputs = request, inputs
        for name, array in inputs.items():
            request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def __call__(self):
        self.request.infer()

    def results(self):
        return [np.array(tensor.data) for tensor in self.request.output_tensors]


def ggml_blocks(codes, scales):
    """Codes [N, blocks, 32] without sign and their scales, as the bytes of ggml's blocks: Q4_0, or Q8_0 if a code
    has more than 4 bits."""
    if codes.max() > 15:
        numbers = (codes.astype(np.int16) - 128).astype(np.int8).view(np.uint8)
    else:
        numbers = codes[..., :16] | codes[..., 16:] << 4
    return np.concatenate([scales.astype(np.float16)[..., None].view(np.uint8), numbers], axis=-1)


class GgmlProduct:
    """Rows [M, K] of f32 times a matrix [N, K] of codes of some bits, in `blocks` of 32."""

    library = None

    def __init__(self, build, bits, blocks, rows, n, threads):
        if GgmlProduct.library is None:
            GgmlProduct.library = ctypes.CDLL(str(build / "ggml" / "libggml_product.so"))
        make, result = self.library.product_new, self.library.product_result
        make.restype = result.restype = ctypes.c_void_p
        m, k = rows.shape
        self.shape, self.run = (m, n), self.library.product_run
        self.handle = ctypes.c_void_p(make(GGML_TYPES[bits], ctypes.c_void_p(blocks.ctypes.data), ctypes.c_size_t(blocks.nbytes),
                                           ctypes.c_void_p(rows.ctypes.data), ctypes.c_int64(m), ctypes.c_int64(n),
                                           ctypes.c_int64(k), threads))
        if not self.handle:
            raise RuntimeError(f"{blocks.nbytes} bytes are not {n} x {k} codes of {bits} bits")

    def __call__(self):
        self.run(self.handle)

    def results(self):
        memory = (ctypes.c_float * np.prod(self.shape)).from_address(self.library.product_result(self.handle))
        return [np.ctypeslib.as_array(memory).reshape(self.shape).copy()]
