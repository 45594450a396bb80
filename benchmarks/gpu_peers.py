# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a machine with a GPU has to compare with: copies of the driver, cuBLAS, PyTorch.

Each function returns seconds, or None where the machine lacks what it needs. The first
words of what failed are in `problems`, by name.
"""

import ctypes
import ctypes.util
import glob
import os
import sys

import numpy as np

ROUNDS = 20
problems = {}


def attempt(name, function, *arguments):
    """`function(...)`, or None, with the problem kept."""
    try:
        return function(*arguments)
    except Exception as problem:  # what a foreign library does wrong ends no benchmark
        problems.setdefault(name, f"{type(problem).__name__}: {problem}".splitlines()[0][:120])
        return None


class Driver:
    """Events and copies on the device, through utils/ptx_device.py."""

    def __init__(self, path):
        import ptx_device
        self.device = ptx_device.Device(path)
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.device.call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(0))

    def time(self, work):
        """The best seconds of `work()`, which sends to the default stream."""
        best = None
        for _ in range(ROUNDS + 1):
            self.device.call("cuEventRecord", self.events[0], None)
            work()
            self.device.call("cuEventRecord", self.events[1], None)
            self.device.call("cuEventSynchronize", self.events[1])
            milliseconds = ctypes.c_float()
            self.device.call("cuEventElapsedTime", ctypes.byref(milliseconds), *self.events)
            best = min(best or milliseconds.value, milliseconds.value)
        return best * 1e-3

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.device.call("cuDeviceGetName", text, ctypes.c_int(100), ctypes.c_int(0))
        return text.value.decode()

    def capability(self):
        """90 for sm_90."""
        digits = [ctypes.c_int(), ctypes.c_int()]
        for digit, attribute in zip(digits, (75, 76)):  # major and minor, of CUdevice_attribute
            self.device.call("cuDeviceGetAttribute", ctypes.byref(digit), ctypes.c_int(attribute), ctypes.c_int(0))
        return 10 * digits[0].value + digits[1].value

    def array(self, count, element):
        return self.device.array(np.zeros(count, element))

    def copy_seconds(self, count):
        """A copy of `count` bytes within the device."""
        source, target = self.array(count, np.uint8), self.array(count, np.uint8)
        seconds = self.time(lambda: self.device.call(
            "cuMemcpyDtoDAsync_v2", ctypes.c_uint64(target.pointer), ctypes.c_uint64(source.pointer),
            ctypes.c_size_t(count), None))
        source.free()
        target.free()
        return seconds


def find_cublas():
    """The path of cuBLAS: of the system, of a toolkit, or of a Python package; None if there is none."""
    patterns = ["/usr/local/cuda*/lib64/libcublas.so.*", "/usr/lib/x86_64-linux-gnu/libcublas.so.*"]
    patterns += [os.path.join(folder, "nvidia", "*", "lib", "libcublas.so.*") for folder in sys.path if folder]
    found = [path for pattern in patterns for path in sorted(glob.glob(pattern))]
    return ctypes.util.find_library("cublas") or (found[0] if found else None)


class Cublas:
    """Products of f32 in f32, and of bf16 with sums of f32."""

    TYPES = {"f32": (0, np.uint32), "bf16": (14, np.uint16)}  # cudaDataType, and elements of the same width
    COMPUTE_32F = 68

    def __init__(self, driver):
        path = find_cublas()
        if not path:
            raise FileNotFoundError("libcublas was not found")
        self.driver, self.library = driver, ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        self.check(self.library.cublasCreate_v2(ctypes.byref(self.handle)))

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"cuBLAS status {status}")

    def seconds(self, element, m, n, k):
        """C = A B of matrices in row-major order: C' = B' A' in its columns."""
        kind, storage = self.TYPES[element]
        a, b = self.driver.array(m * k, storage), self.driver.array(k * n, storage)
        c = self.driver.array(m * n, np.uint32)
        alpha, beta = ctypes.c_float(1), ctypes.c_float(0)
        i, p = ctypes.c_int, ctypes.c_void_p

        def work():
            self.check(self.library.cublasGemmEx(
                self.handle, i(0), i(0), i(n), i(m), i(k), ctypes.byref(alpha), p(b.pointer), i(kind), i(n),
                p(a.pointer), i(kind), i(k), ctypes.byref(beta), p(c.pointer), i(0), i(n), i(self.COMPUTE_32F), i(-1)))

        seconds = self.driver.time(work)
        for array in (a, b, c):
            array.free()
        return seconds


class Torch:
    """torch.compile with dynamic shapes, of the functions of the table of rows."""

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        self.torch = torch
        functional = torch.nn.functional
        self.functions = {
            "add": lambda a, b: a + b, "exp": torch.exp, "row sums": lambda a: a.sum(1),
            "softmax": lambda a: torch.softmax(a, 1),
            "layer norm": lambda a, g, h: functional.layer_norm(a, (a.shape[1],), g, h),
            "transpose": lambda a: a.t().contiguous(), "gather": lambda a, i: a[i],
            "cumsum": lambda a: torch.cumsum(a, 1), "sort": lambda a: torch.sort(a, dim=1, stable=True).values,
            "scatter": lambda a, i, u: a.index_add(0, i, u)}

    def inputs(self, specs):
        made = []
        for spec in specs:
            *extents, element = spec.split("=")[0].split("x")
            shape = [int(extent) for extent in extents]
            if element == "i64":
                made.append(self.torch.randint(0, int(spec.split(":")[-1]), shape, device="cuda"))
            else:
                made.append(self.torch.rand(shape, device="cuda"))
        return made

    def seconds(self, name, specs, odd):
        torch = self.torch
        function = torch.compile(self.functions[name], dynamic=True)
        for other in (odd, specs):  # another size first, so that none is compiled in
            inputs = self.inputs(other)
            function(*inputs)
        return self.time(lambda: function(*inputs))

    def time(self, work):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        best = None
        for _ in range(ROUNDS):
            begin.record()
            work()
            end.record()
            end.synchronize()
            best = min(best or begin.elapsed_time(end), begin.elapsed_time(end))
        return best * 1e-3

    def model(self):
        """A function from a batch and a length to the seconds of the demo model, op by op as PyTorch runs it."""
        from transformers import BertConfig, BertModel
        torch = self.torch
        config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
        bert = BertModel(config).cuda().eval()

        def seconds(batch, length):
            ids = torch.randint(0, config.vocab_size, (batch, length), device="cuda")
            mask = torch.ones_like(ids)
            with torch.inference_mode():
                bert(ids, attention_mask=mask)
                return self.time(lambda: bert(ids, attention_mask=mask))
        return seconds
