# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16, f16 and f32, and a network in f32 and by the precision bf16: one program for all sizes.

Products with packed weights, rows unknown. `bf16` and `f16` are programs in these types,
with results in f32; `f32 as bf16` is the program in f32, whose operands are rounded in the
call. Entries of "nothing packed" have both operands from the call. The error is the
largest difference from exact sums of the operands in f32, as a part of the largest sum:
of a network, from its results in f32.

Products with constant weights of 4 and 8 bits, MatMulNBits of ONNX Runtime's own domain with
a scale for each 32 terms of a column, beside one whose weights are the same numbers in f32.
Both engines read the same file. `ORT 4 int8` and `ORT 8 int8` are ONNX Runtime's by
accuracy_level 4, which lets it round the rows to bytes. With one row they are also measured
with weights that no cache holds, as in a model of many layers: the bytes of weights, codes and
scales, that a call reads in a second, beside those that a product of one row in f32 reads,
`bound`.
"""

import statistics
import time

import numpy as np
import symshape_c

import networks
import onnx_graphs
from contest import ORT, QUIET_SECONDS, Group, Ratio, aligned, key_of
from onnx_file import FLOAT, model, node
from targets import OF_MEMORY

F32, BF16, F16, ROUNDED = "f32", "bf16", "f16", "f32 as bf16"
ASKED, ASKED_OF_FEW = 1.8, 0.9  # of the speed of f32, from 128 rows on and below
ROWS = [1, 2, 8, 16, 33, 128, 512]
QUICK_ROWS = [1, 16, 128]
SIZES = [(768, 3072), (3072, 768), (768, 768), (1024, 1024), (1000, 1001)]  # columns, terms
NETWORKS = ["ResNet-50", "MobileNetV3-Large"]
IMAGES = [(1, 64, 64), (1, 224, 224), (4, 224, 160)]

BITS, TERMS_PER_SCALE = (4, 8), 32
LEVELS = {"bits": 0, "int8": 4}  # how ONNX Runtime may compute: accuracy_level
CODE_ROWS = [1, 2, 8, 33, 128, 512]
QUICK_CODE_ROWS = [1, 128]
CODE_SIZES = [(4096, 4096), (11008, 4096), (4096, 11008)]
BOUND, BOUND_SIZE = "bound", (11008, 4096)  # 172 MiB of f32, beyond the caches


def program(kind, n, k, weight):
    """MLIR of f32 sums of a product; operands of `kind` are made of f32 by the program: the left one as
    a part of what is measured, as a network has it, a weight before the calls."""
    a, b, c = f"tensor<?x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<?x{n}xf32>"
    small = [t.replace("f32", kind) for t in (a, b)]
    attribute = ' {symshape.weight = "B"}' if weight else ""
    names = ("%a", "%b") if kind == F32 else ("%as", "%bs")
    make = "" if kind == F32 else f"""
  %as = arith.truncf %a : {a} to {small[0]}
  %bs = arith.truncf %b : {b} to {small[1]}"""
    return f"""func.func @main(%a: {a}, %b: {b}{attribute}) -> {c} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : {a}{make}
  %e = tensor.empty(%m) : {c}
  %f = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins({names[0]}, {names[1]} : {small[0]}, {small[1]}) outs(%f : {c}) -> {c}
  return %r : {c}
}}
"""


def error_of(result, exact):
    return float(np.abs(result - exact).max() / np.abs(exact).max())


def ratios():
    return [Ratio(BF16, F32), Ratio(F16, F32), Ratio(ROUNDED, F32), Ratio(F32, ORT)]


def products(bench, weight):
    group = Group("products, packed weights" if weight else "products, nothing packed", ratios())
    rng = np.random.default_rng(0)
    sizes = SIZES if weight and not bench.quick else SIZES[:2]
    for n, k in sizes:
        b = aligned(rng.standard_normal((k, n), np.float32) * np.float32(0.1))
        more = [] if weight else [b]
        programs = {}
        for name in (F32, BF16, F16, ROUNDED):
            kind, options = (F32, {"precision": "bf16"}) if name == ROUNDED else (name, {})
            programs[name] = bench.compile(f"precision-{n}-{k}-{weight}-{name.replace(' ', '-')}", program(kind, n, k, weight),
                                           {"B": b} if weight else None, **options)
        onnx = onnx_graphs.graph([onnx_graphs.node("MatMul", "a B", "c")],
                                 {"a": ["m", k]} if weight else {"a": ["m", k], "B": [k, n]}, ("c", ["m", n]),
                                 {"B": b} if weight else {})
        session = onnx_graphs.session(onnx, bench.threads)
        for m in QUICK_ROWS if bench.quick else ROWS:
            a = aligned(rng.standard_normal((m, k), np.float32))
            calls = {name: symshape_c.Call(compiled, [a, *more]) for name, compiled in programs.items()}
            calls[ORT] = onnx_graphs.Bound(session, {"a": a} if weight else {"a": a, "B": b}, (m, n))
            row = bench.entry(group, f"{m} x {n} x {k}", calls, 2.0 * m * n * k, m=m)
            exact = a.astype(np.float64) @ b.astype(np.float64)
            row["error"] = {name: error_of(calls[name].results()[0], exact) for name in programs}
    for name in (F32, BF16, F16, ROUNDED):
        group.notes.append(f"largest error of {name}: {max(row['error'][name] for row in group.rows):.1e}")
    many = [row["ratio"][f"{BF16}/{F32}"] for row in group.rows if row["m"] >= 128]
    few = [row["ratio"][f"{BF16}/{F32}"] for row in group.rows if row["m"] < 128]
    for ratios_, rows, asked in ((many, "128 rows and more", ASKED), (few, "fewer rows", ASKED_OF_FEW)):
        if ratios_:
            verdict = "met" if min(ratios_) >= asked else "missed"
            group.notes.append(f"bf16 beside f32 at {rows}: {min(ratios_):.2f} to {max(ratios_):.2f}, asked {asked}: {verdict}")
    return group


def network(bench, name):
    group = Group(f"network {name}", [Ratio(ROUNDED, F32), Ratio(F32, ORT), Ratio(ROUNDED, ORT)])
    path = bench.out / f"network-{name.replace(' ', '-')}.onnx"
    path.write_bytes(networks.build(name))
    programs = {F32: bench.load(path), ROUNDED: bench.load(path, precision="bf16")}
    session = onnx_graphs.session(str(path), bench.threads)
    for size in IMAGES[:1] if bench.quick else IMAGES:
        image = aligned(np.random.default_rng(0).standard_normal((size[0], 3, *size[1:]), np.float32))
        calls = {key: symshape_c.Call(compiled, [image]) for key, compiled in programs.items()}
        row = bench.entry(group, " x ".join(map(str, size)),
                          {**calls, ORT: onnx_graphs.Bound(session, {"image": image})})
        exact, rounded = (calls[key].results()[0].astype(np.float64) for key in (F32, ROUNDED))
        row["error"] = error_of(rounded, exact)
        group.notes.append(f"error of {ROUNDED} at {row['entry']}: {row['error']:.1e}")
    return group


def ours(bits):
    return f"{bits} bits"


def bits_of(name):
    """Of the weights that a contestant reads."""
    return next((bits for bits in BITS if str(bits) in name.split()), 32)


def weight_bytes(name, n, k):
    bits = bits_of(name)
    return n * k * bits // 8 + (4 * n * k // TERMS_PER_SCALE if bits in BITS else 0)


class CodeBench:
    """Products with weights of few bits: as in the other groups, and of one row from memory."""

    def __init__(self, bench):
        self.bench, self.rng = bench, np.random.default_rng(0)
        beside = [F32, *(f"ORT {{}} {form}" for form in LEVELS)]
        self.speed = Group("products, weights of 8 and 4 bits",
                           [Ratio(ours(bits), other.format(bits)) for bits in BITS for other in beside])
        self.memory = Group("weights of 8 and 4 bits, one row, from memory",
                            [Ratio(ours(bits), BOUND, None, OF_MEMORY) for bits in BITS])

    def run(self):
        n, k = BOUND_SIZE
        weight = self.rng.standard_normal((k, n), np.float32)
        bound = symshape_c.Call(self.bench.compile("codes-bound", program(F32, n, k, True), {"B": weight}),
                                [self.row_of(1, k)])
        for size in CODE_SIZES[:1] if self.bench.quick else CODE_SIZES:
            self.size(*size, bound)
        for name in self.speed.rows[0]["error"]:
            error = max(row["error"][name] for row in self.speed.rows)
            self.speed.notes.append(f"largest error of {name}: {error:.1e}")
        self.memory.notes.append(f"ratios are of bytes of weights per second; {BOUND} is the product in f32 of one row "
                                 f"with {n} columns and {k} terms, called before each call")
        return [self.speed, self.memory]

    def row_of(self, m, k):
        return aligned(self.rng.standard_normal((m, k), np.float32))

    def make(self, bits, n, k):
        """A program, sessions by name, and the weights as f64, terms by columns."""
        count = k // TERMS_PER_SCALE
        codes = self.rng.integers(0, 2**bits, (n, count, TERMS_PER_SCALE), np.uint8)
        scales = self.rng.uniform(0.01, 0.02, (n, count)).astype(np.float32)
        numbers = codes.astype(np.float64)
        numbers -= 2 ** (bits - 1)
        numbers *= scales[..., None]
        packed = codes if bits == 8 else codes[..., ::2] | codes[..., 1::2] << 4
        sessions = {}
        for form, level in LEVELS.items():
            name = f"ORT {bits} {form}"
            made = node("MatMulNBits", "x w s", "y", domain="com.microsoft", K=k, N=n, bits=bits,
                        block_size=TERMS_PER_SCALE, accuracy_level=level)
            path = self.bench.out / f"codes-{bits}-{n}-{k}-{level}.onnx"
            path.write_bytes(model([made], {"x": (FLOAT, ["m", k])}, ["y"], {"w": packed, "s": scales.reshape(-1)},
                                   domains=["com.microsoft"]))
            if level == 0:
                compiled = self.bench.load(path)
            try:
                session = onnx_graphs.session(str(path), self.bench.threads)
                session.run(None, {"x": np.zeros((1, k), np.float32)})
                sessions[name] = session
            except Exception as error:  # ONNX Runtime has types of its own for what it refuses
                self.speed.notes.append(f"{name}, {n} x {k}: refused: {str(error).splitlines()[0]}")
        return compiled, sessions, numbers.reshape(n, k).T

    def size(self, n, k, bound):
        programs, sessions, weights = {}, {}, {}
        for bits in BITS:
            programs[ours(bits)], made, weights[bits] = self.make(bits, n, k)
            sessions.update(made)
        programs[F32] = self.bench.compile(f"codes-{n}-{k}-f32", program(F32, n, k, True), {"B": weights[BITS[0]]})
        for m in QUICK_CODE_ROWS if self.bench.quick else CODE_ROWS:
            a = self.row_of(m, k)
            calls = {name: symshape_c.Call(compiled, [a]) for name, compiled in programs.items()}
            calls.update((name, onnx_graphs.Bound(session, {"x": a}, (m, n))) for name, session in sessions.items())
            row = self.bench.entry(self.speed, f"{m} x {n} x {k}", calls, 2.0 * m * n * k, m=m)
            exact = {bits: a.astype(np.float64) @ weights[bits] for bits in BITS}
            exact[32] = exact[BITS[0]]
            row["error"] = {}
            for name, call in calls.items():
                result = call.results()[0] if name in programs else call.output
                row["error"][name] = error_of(result, exact[bits_of(name)])
            if m == 1:
                self.from_memory(n, k, {BOUND: bound, **{name: calls[name] for name in calls if name != F32}})

    def from_memory(self, n, k, calls):
        """One call at a time, each after one of `bound`, whose weights take the caches."""
        alone = self.bench.threads == 1
        clock = time.thread_time if alone else time.perf_counter
        times = {name: [] for name in calls}
        for _ in range(self.bench.rounds):
            for name, call in calls.items():
                time.sleep(0 if alone else QUIET_SECONDS)
                calls[BOUND]()
                start = clock()
                call()
                times[name].append(clock() - start)
        size = {name: weight_bytes(name, *(BOUND_SIZE if name == BOUND else (n, k))) for name in calls}
        us = {name: statistics.median(each) * 1e6 for name, each in times.items()}
        rates = {name: size[name] / us[name] / 1e3 for name in calls}
        row = {"entry": f"1 x {n} x {k}", "us": us, "gigabytes_per_second": rates, "ratio": {},
               "remark": "GB/s: " + ", ".join(f"{name} {rate:.1f}" for name, rate in rates.items())}
        for ratio in self.memory.ratios:
            pairs = zip(times[ratio.against], times[ratio.name])
            row["ratio"][key_of(ratio)] = statistics.median(
                bound / own * size[ratio.name] / size[ratio.against] for bound, own in pairs)
        self.memory.rows.append(row)


def groups(bench):
    yield products(bench, True)
    yield products(bench, False)
    yield from CodeBench(bench).run()
    for name in NETWORKS[:1] if bench.quick else NETWORKS:
        yield network(bench, name)
