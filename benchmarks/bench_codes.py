# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with constant weights of 4 and 8 bits: one program for all numbers of rows.

MatMulNBits of ONNX Runtime's own domain with a scale for each 32 terms of a column, beside
one whose weights are the same numbers in f32. Both engines read the same file. `ORT 4 int8`
and `ORT 8 int8` are ONNX Runtime's by accuracy_level 4, which lets it round the rows to
bytes; llama.cpp, which has the same codes and scales, always rounds them. With one row they
are also measured with weights that no cache holds, as in a model of many layers: the bytes of
weights, codes and scales, that a call reads in a second, beside those that a product of one
row in f32 reads, `bound`.
"""

import statistics
import time

import numpy as np
import symshape_c

import onnx_graphs
import peers
from bench_precision import F32, error_of, program
from contest import QUIET_SECONDS, Group, Ratio, aligned, key_of
from onnx_file import FLOAT, model, node
from targets import OF_MEMORY

BITS, TERMS_PER_SCALE = (4, 8), 32
GGML, ASKED_BESIDE_GGML = "llama.cpp {}", 1.0
LEVELS = {"bits": 0, "int8": 4}  # how ONNX Runtime may compute: accuracy_level
CODE_ROWS = [1, 2, 8, 33, 128, 512]
QUICK_CODE_ROWS = [1, 128]
CODE_SIZES = [(4096, 4096), (11008, 4096), (4096, 11008)]
BOUND, BOUND_SIZE = "bound", (11008, 4096)  # 172 MiB of f32, beyond the caches


def ours(bits):
    return f"{bits} bits"


def bits_of(name):
    """Of the weights that a contestant reads."""
    return next((bits for bits in BITS if str(bits) in name.split()), 32)


def weight_bytes(name, n, k):
    """Codes and scales, which have two bytes in llama.cpp."""
    bits = bits_of(name)
    scale = 2 if name.startswith("llama.cpp") else 4
    return n * k * bits // 8 + (scale * n * k // TERMS_PER_SCALE if bits in BITS else 0)


class CodeBench:
    """Products with weights of few bits: as in the other groups, and of one row from memory."""

    def __init__(self, bench):
        self.bench, self.rng = bench, np.random.default_rng(0)
        beside = [F32, *(f"ORT {{}} {form}" for form in LEVELS), GGML]
        self.speed = Group("products, weights of 8 and 4 bits",
                           [Ratio(ours(bits), other.format(bits)) for bits in BITS for other in beside])
        self.memory = Group("weights of 8 and 4 bits, one row, from memory",
                            [Ratio(ours(bits), other.format(bits), None, asked) for bits in BITS
                             for other, asked in ((BOUND, OF_MEMORY), (GGML, ASKED_BESIDE_GGML))])

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
        self.memory.notes.append(f"ratios to {BOUND} are of bytes of weights per second; it is the product in f32 of one row "
                                 f"with {n} columns and {k} terms, called before each call")
        return [self.speed, self.memory]

    def row_of(self, m, k):
        return aligned(self.rng.standard_normal((m, k), np.float32))

    def make(self, bits, n, k):
        """A program, contestants by name as functions of rows, and the weights as f64, terms by columns."""
        count = k // TERMS_PER_SCALE
        codes = self.rng.integers(0, 2**bits, (n, count, TERMS_PER_SCALE), np.uint8)
        scales = self.rng.uniform(0.01, 0.02, (n, count)).astype(np.float16).astype(np.float32)  # as in llama.cpp
        numbers = codes.astype(np.float64)
        numbers -= 2 ** (bits - 1)
        numbers *= scales[..., None]
        packed = codes if bits == 8 else codes[..., ::2] | codes[..., 1::2] << 4
        blocks = peers.ggml_blocks(codes, scales)
        others = {GGML.format(bits): lambda a: peers.GgmlProduct(self.bench.build, bits, blocks, a, n, self.bench.threads)}
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
                others[name] = lambda a, session=session: onnx_graphs.Bound(session, {"x": a}, (len(a), n))
            except Exception as error:  # ONNX Runtime has types of its own for what it refuses
                self.speed.notes.append(f"{name}, {n} x {k}: refused: {str(error).splitlines()[0]}")
        return compiled, others, numbers.reshape(n, k).T

    def size(self, n, k, bound):
        programs, others, weights = {}, {}, {}
        for bits in BITS:
            programs[ours(bits)], made, weights[bits] = self.make(bits, n, k)
            others.update(made)
        programs[F32] = self.bench.compile(f"codes-{n}-{k}-f32", program(F32, n, k, True), {"B": weights[BITS[0]]})
        for m in QUICK_CODE_ROWS if self.bench.quick else CODE_ROWS:
            a = self.row_of(m, k)
            calls = {name: symshape_c.Call(compiled, [a]) for name, compiled in programs.items()}
            calls.update((name, make(a)) for name, make in others.items())
            row = self.bench.entry(self.speed, f"{m} x {n} x {k}", calls, 2.0 * m * n * k, m=m)
            exact = {bits: a.astype(np.float64) @ weights[bits] for bits in BITS}
            exact[32] = exact[BITS[0]]
            row["error"] = {}
            for name, call in calls.items():
                row["error"][name] = error_of(call.results()[0], exact[bits_of(name)])
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
            share = size[ratio.name] / size[BOUND] if ratio.against == BOUND else 1
            pairs = zip(times[ratio.against], times[ratio.name])
            row["ratio"][key_of(ratio)] = statistics.median(theirs / own * share for theirs, own in pairs)
        self.memory.rows.append(row)


def groups(bench):
    return CodeBench(bench).run()
