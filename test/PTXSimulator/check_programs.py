# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as LLVM writes it, from C and from MLIR: its results beside those of the same C on the
host, and of NumPy. Each launch runs in both orders of warps.

    check_programs.py LIBRARY CLANG FOLDER
"""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from ptx_device import Device

library, clang, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
inputs = Path(__file__).parent / "Inputs"
device = Device(library)
rng = np.random.default_rng(5)
compared = 0


def compile_host():
    path = folder / "kernels.so"
    subprocess.run([clang, "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-o", path, inputs / "kernels.c", "-lm"], check=True)
    host = ctypes.CDLL(str(path))
    host.exponential.argtypes, host.exponential.restype = [ctypes.c_float], ctypes.c_float
    host.mix.argtypes, host.mix.restype = [ctypes.c_uint], ctypes.c_ulong
    host.measure.argtypes, host.measure.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_double
    return host


def compile_c(level):
    path = folder / f"kernels-{level}.ptx"
    subprocess.run([clang, "--target=nvptx64-nvidia-cuda", "-march=sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx83",
                    f"-O{level}", "-ffp-contract=off", "-S", "-o", path, inputs / "kernels.c"], check=True)
    return device.module(path.read_text())


def compile_mlir(name):
    """The PTX of a file's `gpu.module`, which mlir-opt leaves in an attribute."""
    options = "cubin-chip=sm_80 cubin-features=+ptx83 cubin-format=isa opt-level=3"
    text = subprocess.run(["mlir-opt", inputs / name, f"--gpu-lower-to-nvvm-pipeline={options}"], check=True,
                          capture_output=True, text=True).stdout
    assembly = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text).group(1)
    plain = re.sub(r"\\([0-9A-F]{2}|\\)", lambda m: "\\" if m.group(1) == "\\" else chr(int(m.group(1), 16)), assembly).rstrip("\0")
    (folder / (name + ".ptx")).write_text(plain)
    return device.module(plain)


def launch(module, name, grid, block, arrays, scalars, results):
    """Runs on fresh arrays; those in `results` come back."""
    held = [device.array(one) for one in arrays]
    device.launch(module.kernel(name), grid, block, [*held, *scalars])
    back = [held[k].get() for k in results]
    for one in held:
        one.free()
    return back


def compare(what, got, want, bound=None):
    global compared
    if bound is None:
        fits = np.array_equal(got.view(np.uint8), want.view(np.uint8))
    else:
        fits = np.all(np.abs(got.astype(np.float64) - want) <= bound)
    if not fits:
        bad = np.argwhere(np.asarray(got != want))[:3].tolist()
        sys.exit(f"{what}: differs at {bad}: expected {want.ravel()[:4]}, but got {got.ravel()[:4]}")
    compared += want.size


def elementwise(module, host):
    for n in (1, 31, 1000):
        special = np.array([0, -0.0, 1, -1, 88.7, 88.8, -103.9, -104, np.inf, -np.inf, 1e-40, -87.5], np.float32)
        x = np.concatenate([special, rng.uniform(-100, 90, 1000).astype(np.float32)])[:n]
        nothing = np.zeros(n)
        y, h, m = launch(module, "elementwise", -(-n // 128), 128, [x, nothing.astype(np.float32), nothing.astype(np.uint64), nothing],
                         [np.int32(n)], (1, 2, 3))
        compare("exponential", y, np.array([host.exponential(one) for one in x], np.float32))
        compare("mix", h, np.array([host.mix(int(one)) for one in x.view(np.uint32)], np.uint64))
        compare("measure", m, np.array([host.measure(float(a), float(b)) for a, b in zip(x, y)]))


def rows(module):
    for rows, n in ((1, 0), (1, 1), (3, 33), (5, 700)):
        x = rng.standard_normal((rows, n)).astype(np.float32)
        sums, = launch(module, "rowsum", rows, 256, [x, np.zeros(rows, np.float32)], [np.int32(n)], (1,))
        compare(f"rowsum {rows}x{n}", sums, x.astype(np.float64).sum(1), 1e-4)


def transposes(module):
    for shape in ((1, 1), (32, 32), (33, 70)):
        x = rng.standard_normal(shape).astype(np.float32)
        y, = launch(module, "transpose", (-(-shape[1] // 32), -(-shape[0] // 32)), (32, 8), [x, np.zeros_like(x)],
                    [np.int32(shape[0]), np.int32(shape[1])], (1,))
        compare(f"transpose {shape}", y.reshape(shape[::-1]), np.ascontiguousarray(x.T))


def products(module):
    for m, n, k in ((1, 1, 1), (16, 16, 16), (17, 35, 40), (5, 3, 0)):
        a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
        c, = launch(module, "product", (-(-n // 16), -(-m // 16)), (16, 16), [a, b, np.full((m, n), np.nan, np.float32)],
                    [np.int32(m), np.int32(n), np.int32(k)], (2,))
        compare(f"product {m}x{n}x{k}", c, a.astype(np.float64) @ b, 1e-4)


def histograms(module):
    x = rng.integers(0, 256, 3000, dtype=np.uint8)
    counts, = launch(module, "histogram", 2, 256, [x, np.zeros(256, np.uint32)], [np.int32(x.size)], (1,))
    compare("histogram", counts, np.bincount(x, minlength=256).astype(np.uint32))


def half_products(module):
    """bf16 with cp.async, ldmatrix and mma.sync."""
    for m, n, k in ((16, 8, 16), (1, 8, 8), (33, 24, 72), (16, 8, 0)):
        bits = [(rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for shape in ((m, k), (k, n))]
        a, b = [(one.astype(np.uint32) << 16).view(np.float32).astype(np.float64) for one in bits]
        arrays = [device.array(one) for one in (*bits, np.full((m, n), np.nan, np.float32))]
        def memref(array, rows, columns):
            return [array, array, np.int64(0), np.int64(rows), np.int64(columns), np.int64(columns), np.int64(1)]
        device.launch(module.kernel("product"), (-(-n // 8), -(-m // 16)), 32,
                      [*memref(arrays[0], m, k), *memref(arrays[1], k, n), *memref(arrays[2], m, n), np.int64(m), np.int64(n), np.int64(k)])
        compare(f"bf16 product {m}x{n}x{k}", arrays[2].get(), a @ b, 1e-4)


host = compile_host()
for level in ("1", "2", "3"):
    module = compile_c(level)
    elementwise(module, host)
    rows(module)
    transposes(module)
    products(module)
    histograms(module)
half_products(compile_mlir("product.mlir"))
print(f"{compared} results compared, {device.count('launches')} launches, {device.count('thread instructions')} instructions of threads")
if compared < 23000:
    sys.exit("expected at least 23000 comparisons")
