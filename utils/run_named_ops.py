#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every named op of linalg that MLIR generates, beside its definition, in every mode of symshape-run.

    run_named_ops.py SOURCES [--filter=REGEX] [--calls=N] [--seed=S]

SOURCES holds `LinalgNamedStructuredOps.yaml` of the MLIR that is linked (`./bootstrap upstream` fetches it): the maps
of each op, and what it computes at a point. An interpreter here forms all points with NumPy. Operands have open extents, of 0 to 5
elements; strides and dilations are 1 or 2; elements are floats and integers, wrapping in the type of the result.
Prints a line for each mode and what differs; exits 1 if anything does.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

import symrun

MODES = {"default": [], "quick": ["--compile=quick"], "two threads": ["--threads=2"], "guard pages": ["--guard-pages", "--dynamic=never"]}
DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64, "f16": np.float16, "i1": np.bool_}
# Types of the operands and of the result.
TYPES = [("f32", "f32"), ("i8", "i32"), ("i64", "i64"), ("f16", "f32"), ("f64", "f64")]
FLOATS_ONLY = re.compile(r"^(exp|log|ceil|floor|negf|reciprocal|round|sqrt|rsqrt|tanh|erf|powf|abs|square)$")
UNSIGNED = re.compile("unsigned")
SKIPPED = {"fill_rng_2d": "a random number by constants and indices", "erf": "NumPy has no such function"}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max_signed": np.maximum, "min_signed": np.minimum,
          "max_unsigned": np.maximum, "min_unsigned": np.minimum, "powf": np.power}
UNARY = {"exp": np.exp, "log": np.log, "ceil": np.ceil, "floor": np.floor, "negf": np.negative, "reciprocal": lambda x: 1 / x, "abs": np.abs,
         "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "square": np.square, "tanh": np.tanh}


class Loader(yaml.SafeLoader):
    """Types of the file's own are maps."""


Loader.add_multi_constructor("!", lambda loader, suffix, node: loader.construct_mapping(node, deep=True))


class Map:
    """An affine map whose results are sums of products."""

    def __init__(self, text):
        dims, symbols, results = re.fullmatch(r"affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>", " ".join(text.split())).groups("")
        self.names = [n.strip() for n in f"{dims},{symbols}".split(",") if n.strip()]
        self.dims = [n.strip() for n in dims.split(",") if n.strip()]
        self.results = [r.strip() for r in results.split(",") if r.strip()]

    def __call__(self, values):
        return [eval(r, {"__builtins__": {}}, values) for r in self.results]  # names and numbers of the file


def evaluate(expression, values, dtype, unsigned):
    """The value at all points; `dtype`: that of the result."""
    if "scalar_arg" in expression:
        return values[expression["scalar_arg"]]
    function = expression["scalar_fn"]
    name, operands = function.get("fn_name"), [evaluate(o, values, dtype, unsigned) for o in function["operands"]]
    if function["kind"] == "type":
        x = operands[0]
        if name == "cast_unsigned" and x.dtype.kind == "i":
            x = x.view(x.dtype.str.replace("i", "u"))
        return x.astype(dtype)
    if name in UNARY:
        return UNARY[name](operands[0])
    if name in ("div", "div_unsigned"):
        x, y = operands
        return x / y if dtype.kind == "f" else divide(x, y, name)
    if name == "select":
        return np.where(operands[0], operands[1], operands[2])
    if UNSIGNED.search(name) and dtype.kind == "i":
        wide = dtype.str.replace("i", "u")
        return BINARY[name](*(o.view(wide) for o in operands)).view(dtype)
    return BINARY[name](*operands).astype(dtype)


def divide(x, y, name):
    if name == "div_unsigned":
        wide = x.dtype.str.replace("i", "u")
        return (x.view(wide) // y.view(wide)).view(x.dtype)
    return (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(x.dtype)


class Op:
    def __init__(self, entry):
        self.name, op = entry["metadata"]["name"], entry["structured_op"]
        self.operands = [a for a in op["args"] if a["kind"] in ("input_tensor", "scalar", "output_tensor")]
        self.attributes = [a for a in op["args"] if a["kind"] == "index_attr"]
        self.maps = [Map(m) for m in op["indexing_maps"]["static_indexing_maps"]]
        self.reduces = "reduction" in op["iterator_types"]
        self.value = op["assignments"][0]["value"]

    def draw(self, rng):
        """Strides and dilations by symbol, and extents of operands."""
        values = {}
        for attribute in self.attributes:
            names = re.search(r"-> \((.*)\)>", " ".join(attribute["index_attr_map"].split()))[1].split(",")
            values.update({n.strip(): int(rng.integers(1, 3)) for n in names if n.strip()})
        ends = {d: int(rng.choice([0, 1, 1, 2, 3, 3, 5])) if rng.random() < 0.9 else 4 for d in self.maps[0].dims}
        return values, ends

    def text(self, symbols, types, ranks):
        names = [f"%a{k}" for k in range(len(self.operands))]
        forms = ["x".join(["tensor<" + "?x" * rank + t + ">"]) if rank is not None else t for rank, t in zip(ranks, types)]
        attributes = []
        for attribute in self.attributes:
            used = [n.strip() for n in re.search(r"-> \((.*)\)>", " ".join(attribute["index_attr_map"].split()))[1].split(",")]
            attributes.append(f"{attribute['name']} = dense<[{', '.join(str(symbols[n]) for n in used)}]> : tensor<{len(used)}xi64>")
        inputs = list(zip(names, forms))[:-1]
        return (f"func.func @main({', '.join(f'{n}: {f}' for n, f in zip(names, forms))}) -> {forms[-1]} {{\n"
                f"  %r = linalg.{self.name} {{{', '.join(attributes)}}} ins({', '.join(n for n, _ in inputs)} : {', '.join(f for _, f in inputs)})"
                f" outs({names[-1]} : {forms[-1]}) -> {forms[-1]}\n  return %r : {forms[-1]}\n}}\n").replace("{} ", "")

    def compute(self, symbols, ends, arrays):
        """The result at all points."""
        dims = self.maps[0].dims
        grid = dict(zip(dims, (g.reshape(-1) for g in np.indices([ends[d] for d in dims])))) if dims else {}
        points = {**symbols, **grid}
        values, count = {}, int(np.prod([ends[d] for d in dims]))
        result = arrays[-1].copy()
        for operand, indices, array in zip(self.operands, self.maps, arrays):
            at = tuple(np.broadcast_to(i, count) for i in indices(points))
            values[operand["name"]] = np.broadcast_to(array, count) if array.ndim == 0 or not at else array[at]
        at = tuple(np.broadcast_to(i, count) for i in self.maps[-1](points))
        out = self.operands[-1]["name"]
        function = self.value.get("scalar_fn")
        if function and function["operands"][0].get("scalar_arg") == out:
            rest = evaluate(function["operands"][1], values, result.dtype, False)
            name, wide = function["fn_name"], result
            if UNSIGNED.search(name) and result.dtype.kind == "i":
                wide, rest = result.view(result.dtype.str.replace("i", "u")), rest.view(result.dtype.str.replace("i", "u"))
            if at:
                BINARY[name].at(wide, at, rest)
            else:
                wide[...] = BINARY[name].reduce(np.append(rest, wide).astype(wide.dtype), dtype=wide.dtype)
        elif at:
            result[at] = evaluate(self.value, values, result.dtype, False)
        elif count:
            result[...] = evaluate(self.value, values, result.dtype, False)[0]
        return result


def array_of(rng, shape, dtype, op):
    kind = np.dtype(DTYPES[dtype])
    if kind.kind == "f":
        low = 0.5 if FLOATS_ONLY.search(op) or op == "div" else -3
        return np.asarray(rng.uniform(low, 3, shape)).astype(kind)
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(kind)
    low = 1 if op.startswith("div") else -100
    return np.asarray(rng.integers(low, 100, shape)).astype(kind)


def try_op(op, types, rng, folder, calls, counts):
    small, large = types
    kinds = [large if a["kind"] == "output_tensor" else "i32" if a.get("type_var") == "I32" else
             large if a.get("type_var") == "U" else small for a in op.operands]
    if op.name == "select":
        kinds[0] = "i1"
    symbols, _ = op.draw(rng)
    ranks = [None if a["kind"] == "scalar" else len(m.results) for a, m in zip(op.operands, op.maps)]
    inputs, wanted = [], []
    for _ in range(calls):
        _, ends = op.draw(rng)
        last = {**symbols, **{d: max(e - 1, 0) for d, e in ends.items()}}
        arrays = []
        for a, indices, kind in zip(op.operands, op.maps, kinds):
            shape = [i + 1 for i in indices(last)] if a["kind"] != "scalar" else []
            for axis, result in enumerate(indices.results if shape else []):
                if any(ends[d] == 0 for d in ends if re.search(rf"\b{d}\b", result)) and re.fullmatch(r"d\d+", result):
                    shape[axis] = 0
            arrays.append(array_of(rng, shape, kind, op.name))
        # A window of no positions: extents of what it slides over say so only where they are too small.
        if any(ends[d] == 0 for m in op.maps for r in m.results if not re.fullmatch(r"d\d+", r) for d in re.findall(r"d\d+", r)):
            continue
        inputs.append(arrays)
        with np.errstate(all="ignore"):
            wanted.append(op.compute(symbols, ends, arrays))
    if not inputs:
        return
    path = folder / f"{op.name}-{small}.mlir"
    path.write_text(op.text(symbols, kinds, ranks))
    for mode, options in MODES.items():
        run = symrun.run(path, inputs, results=1, options=options)
        if run.status != 0 or len(run.results) != len(inputs):
            counts[mode, "refused"] += 1
            print(f"{op.name} of {small}, {mode}: exit status {run.status}: {run.stderr.strip()[:300]}")
            continue
        for want, got in zip(wanted, run.results):
            got = got[0]
            tolerance = 0 if want.dtype.kind != "f" else 1e-5 if want.dtype == np.float32 else 1e-12
            isSame = got.shape == want.shape and np.allclose(got, want, rtol=tolerance, atol=tolerance * 10, equal_nan=True)
            counts[mode, "same" if isSame else "differs"] += 1
            if not isSame:
                print(f"{op.name} of {small}, {mode}: {want.shape} differs: {got.reshape(-1)[:4]} for {want.reshape(-1)[:4]}, inputs {[a.shape for a in inputs[0]]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--calls", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = next(options.sources.rglob("LinalgNamedStructuredOps.yaml"))
    counts, seen = Counter(), 0
    with tempfile.TemporaryDirectory(prefix="named") as folder, source.open() as file:
        for entry in yaml.load_all(file, Loader=Loader):
            op = Op(entry)
            if op.name in SKIPPED or not re.search(options.filter, op.name):
                continue
            seen += 1
            for number, types in enumerate(TYPES):
                if types[0][0] == "i" and FLOATS_ONLY.search(op.name) or types[0] != types[1] and op.name in UNARY | BINARY | dict.fromkeys(("div", "div_unsigned", "select", "fill", "copy")):
                    continue
                if types[0][0] == "f" and ("unsigned" in op.name or "quantized" in op.name or op.name.endswith("_q")):
                    continue
                try_op(op, types, np.random.default_rng([options.seed, seen, number]), Path(folder), options.calls, counts)
    print(f"{seen} ops, {len(SKIPPED)} skipped")
    for mode in MODES:
        print(f"{mode}: " + ", ".join(f"{counts[mode, end]} {end}" for end in ("same", "differs", "refused")))
    return int(any(end != "same" for (_, end), n in counts.items() if n) or not counts)


if __name__ == "__main__":
    sys.exit(main())
