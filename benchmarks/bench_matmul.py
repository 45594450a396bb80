# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""P6: f32 matrix multiplication with packed weights and with B known at run time."""

import numpy as np
import symshape_c

import onnx_graphs
from contest import ORT, Group, Ratio, aligned, geomean, machine
from targets import ERROR_RATIO, PEAK_SHARE

ROWS = [1, 2, 3, 5, 7, 8, 16, 33, 64, 128, 500, 512, 1000]
SIZES = [(768, 768), (1536, 384), (384, 1536), (1000, 1001), (1024, 1024), (3072, 768), (4096, 768)]
QUICK_ROWS = [1, 3, 8, 33, 128, 512]
QUICK_SIZES = [(768, 768), (1000, 1001), (1024, 1024), (3072, 768)]
DYNAMIC_M, ALL_DYNAMIC, PEAK = "dynamic M", "all dynamic", "peak"


def program(n, k, weight):
    """MLIR of C = A B; `n` and `k` are numbers or `?`, B a weight or an input."""
    a, b, c = f"tensor<?x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<?x{n}xf32>"
    attribute = ' {symshape.weight = "B"}' if weight else ""
    columns = f"""
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c1 : {b}""" if n == "?" else ""
    return f"""func.func @main(%a: {a}, %b: {b}{attribute}) -> {c} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : {a}{columns}
  %e = tensor.empty(%m{', %n' if n == '?' else ''}) : {c}
  %f = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  return %r : {c}
}}
"""


def peak_program(lanes, accumulators):
    """MLIR of a loop of independent fused multiply-adds on registers."""
    vector, all_ = f"vector<{lanes}xf32>", range(accumulators)
    types = ", ".join([vector] * accumulators)
    lines = ["func.func @main(%n: index, %x: f32) -> f32 {", "%c0 = arith.constant 0 : index",
             "%c1 = arith.constant 1 : index", f"%m = vector.broadcast %x : f32 to {vector}"]
    lines += [f"%s{i} = arith.constant dense<{i + 1}.0> : {vector}" for i in all_]
    carried = ", ".join(f"%a{i} = %s{i}" for i in all_)
    lines += [f"%r:{accumulators} = scf.for %i = %c0 to %n step %c1 iter_args({carried}) -> ({types}) {{"]
    lines += [f"%b{i} = vector.fma %a{i}, %m, %m : {vector}" for i in all_]
    lines += ["scf.yield " + ", ".join(f"%b{i}" for i in all_) + f" : {types}", "}",
              f"%q0 = arith.addf %r#0, %r#0 : {vector}"]
    lines += [f"%q{i} = arith.addf %q{i - 1}, %r#{i} : {vector}" for i in all_[1:]]
    return "\n".join(lines + [f"%z = vector.reduction <add>, %q{accumulators - 1} : {vector} into f32",
                              "return %z : f32", "}"]) + "\n"


class Peak:
    """A contestant that does fused multiply-adds and nothing else."""

    COUNT, ACCUMULATORS = 20000, 12

    def __init__(self, bench):
        lanes = machine()["vector_bits"] // 32
        program = bench.compile("peak", peak_program(lanes, self.ACCUMULATORS))
        self.call = symshape_c.Call(program, [np.int64(self.COUNT), np.float32(0.5)])
        self.work = 2.0 * lanes * self.ACCUMULATORS * self.COUNT


def error_of(result, exact):
    return float(np.abs(result - exact).max())


class MatmulBench:
    def __init__(self, bench):
        self.bench = bench
        self.rows = QUICK_ROWS if bench.quick else ROWS
        self.sizes = QUICK_SIZES if bench.quick else SIZES
        self.rng = np.random.default_rng(0)
        self.peak = Peak(bench)

    def packed(self):
        group = Group("P6 matmul, packed weights", [Ratio(DYNAMIC_M, ORT, 1.15, 0.97),
                                                    Ratio(ALL_DYNAMIC, ORT, 1.15, 0.97)])
        for n, k in self.sizes:
            b = self.rng.standard_normal((k, n), np.float32) * np.float32(0.1)
            programs = {name: self.bench.compile(f"packed-{n}-{k}-{name[:3].strip()}", text, {"B": b})
                        for name, text in ((DYNAMIC_M, program(n, k, True)), (ALL_DYNAMIC, program("?", "?", True)))}
            onnx = onnx_graphs.graph([onnx_graphs.node("MatMul", "a B", "c")], {"a": ["m", k]},
                                     ("c", ["m", n]), {"B": b})
            self.run(group, n, k, programs, onnx, b, [])
        return self.finish(group)

    def runtime(self):
        group = Group("P6 matmul, run-time B", [Ratio(DYNAMIC_M, ORT, 1.1, 0.95),
                                                Ratio(ALL_DYNAMIC, ORT, 1.1, 0.95)])
        dynamic = self.bench.compile("runtime-all", program("?", "?", False))
        for n, k in self.sizes:
            b = aligned(self.rng.standard_normal((k, n), np.float32) * np.float32(0.1))
            programs = {DYNAMIC_M: self.bench.compile(f"runtime-{n}-{k}", program(n, k, False)),
                        ALL_DYNAMIC: dynamic}
            onnx = onnx_graphs.graph([onnx_graphs.node("MatMul", "a b", "c")],
                                     {"a": ["m", "k"], "b": ["k", "n"]}, ("c", ["m", "n"]))
            self.run(group, n, k, programs, onnx, b, [b])
        return self.finish(group)

    def run(self, group, n, k, programs, onnx, b, more):
        session = onnx_graphs.session(onnx, self.bench.threads)
        for m in self.rows:
            a = aligned(self.rng.standard_normal((m, k), np.float32))
            calls = {name: symshape_c.Call(compiled, [a, *more]) for name, compiled in programs.items()}
            bound = onnx_graphs.Bound(session, {"a": a, "b": b} if more else {"a": a}, (m, n))
            row = self.bench.entry(group, f"{m} x {n} x {k}", {**calls, ORT: bound, PEAK: self.peak.call},
                                   2.0 * m * n * k, m=m, n=n, k=k)
            row["gflops"][PEAK] = self.peak.work / row["us"][PEAK] / 1e3 * self.bench.threads
            exact = a.astype(np.float64) @ b.astype(np.float64)
            row["error"] = {name: error_of(call.results()[0], exact) for name, call in calls.items()}
            row["error"][ORT] = error_of(bound.output, exact)

    def finish(self, group):
        """Adds the share of the peak and the error beside ONNX Runtime's."""
        group.notes.append(f"measured peak: {max(row['gflops'][PEAK] for row in group.rows):.0f} GFLOP/s "
                           "at most; shares are of the peak in the same rounds")
        for ratio in group.ratios:
            large = [row for row in group.rows if row["m"] >= 16 and row["k"] % 1024]
            share_of = lambda row: row["gflops"][ratio.name] / row["gflops"][PEAK]
            worst = min(large, key=share_of)
            share, mean = share_of(worst), geomean([share_of(row) for row in large])
            group.notes.append(
                f"{ratio.name}: share of the peak from M = 16, K no multiple of 1024: mean {mean:.2f}, least "
                f"{share:.2f} ({worst['entry']}), target {PEAK_SHARE}: {'met' if share >= PEAK_SHARE else 'missed'}")
            errors = [(row["error"][ratio.name] / row["error"][ORT], row["entry"]) for row in group.rows]
            error, entry = max(errors)
            group.notes.append(
                f"{ratio.name}: error against f64 over ONNX Runtime's: mean {geomean([e for e, _ in errors]):.2f}, "
                f"most {error:.2f} ({entry}), target {ERROR_RATIO}: {'met' if error <= ERROR_RATIO else 'missed'}")
        return group


def groups(bench):
    matmul = MatmulBench(bench)
    return [matmul.packed(), matmul.runtime()]
