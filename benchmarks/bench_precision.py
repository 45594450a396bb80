# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16, f16 and f32, and of f32 by the precision bf16: one program for all sizes.

Products with packed weights, rows unknown. `bf16` and `f16` are programs in these types,
with results in f32; `f32 as bf16` is the program in f32, whose operands are rounded in the
call. Entries of "nothing packed" have both operands from the call. The error is the
largest difference from exact sums of the operands in f32, as a part of the largest sum.
"""

import numpy as np
import symshape_c

import onnx_graphs
from contest import ORT, Group, Ratio, aligned

F32, BF16, F16, ROUNDED = "f32", "bf16", "f16", "f32 as bf16"
ASKED, ASKED_OF_FEW = 1.8, 0.9  # of the speed of f32, from 128 rows on and below
ROWS = [1, 2, 8, 16, 33, 128, 512]
QUICK_ROWS = [1, 16, 128]
SIZES = [(768, 3072), (3072, 768), (768, 768), (1024, 1024), (1000, 1001)]  # columns, terms


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


def groups(bench):
    yield products(bench, True)
    yield products(bench, False)
