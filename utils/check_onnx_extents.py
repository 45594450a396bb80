#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `symshape-onnx infer` writes into models with the shapes that ONNX Runtime executes.

    check_onnx_extents.py MODEL.onnx... --build=FOLDER [--sizes=20] [--seed=0] [--least=0]

Of each model `value_info` is removed first, and the shapes of outputs; then every value is made an
output and the model is run at sizes that the guards accept, which `symshape-onnx check` prints. Each
extent that was written must be the executed one. Expressions are read by the parser of onnx_ir, and
evaluated by SymPy and by onnx_extents.py, which share no code with what is tested. Needs onnx,
onnxruntime and onnx_ir (with SymPy). One line per model; the last line is
`N extents, N comparisons, N by data, N unknown, N wrong`; exits 1 when one is wrong.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from onnx_extents import evaluate, guards, names, parse

try:
    from onnx_ir._symbolic_shapes import parse_symbolic_expression
except ImportError:
    parse_symbolic_expression = None

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100, 128, 160, 192, 224, 256, 300, 512, 576, 640]
# Elements of an input, and the product of its extents that vary: all values are kept, and attention
# grows with the square.
MOST_ELEMENTS, MOST_INTEGERS, MOST_VARIANTS = 1000000, 65536, 4096
TYPES = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.INT64: np.int64, onnx.TensorProto.INT32: np.int32,
         onnx.TensorProto.BOOL: np.bool_}


def inputs_of(model):
    constants = {each.name for each in model.graph.initializer}
    return [each for each in model.graph.input if each.name not in constants]


def dims_of(info):
    """Numbers, texts, or None; None for no shape."""
    if not info.type.tensor_type.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
            for dim in info.type.tensor_type.shape.dim]


def strip(path, output):
    """The model without what it says of values between, and without shapes of outputs."""
    model = onnx.load(path)
    del model.graph.value_info[:]
    for info in model.graph.output:
        info.type.tensor_type.ClearField("shape")
    onnx.save(model, output)


class Checker:
    """One model at several sizes."""

    def __init__(self, path, options, folder):
        self.path, self.options = path, options
        self.tool = options.build / "bin" / "symshape-onnx"
        self.plain, self.inferred = folder / "plain.onnx", folder / "inferred.onnx"
        self.random = random.Random(options.seed)
        strip(path, self.plain)
        begin = time.monotonic()
        said = subprocess.run([self.tool, "infer", self.plain, "-o", self.inferred], capture_output=True, text=True,
                              check=True).stderr
        self.seconds, self.said = time.monotonic() - begin, said.splitlines()[-1]
        report = subprocess.run([self.tool, "check", self.plain], capture_output=True, text=True, check=True)
        self.guards = guards(report.stdout)

    def session(self):
        """Everything is an output; nothing is rewritten on the way."""
        model = onnx.load(self.plain)
        known = {info.name for info in model.graph.output}
        for node in model.graph.node:
            for name in node.output:
                if name and name not in known:
                    known.add(name)
                    model.graph.output.append(onnx.ValueInfoProto(name=name))
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        path = self.plain.with_suffix(".all.onnx")
        onnx.save(model, path)
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def bindings(self, symbols, places, isSmall):
        """Sizes that the guards accept, and that are small enough, each once."""
        seen = set()
        for _ in range(20000):
            values, last = {}, None
            for symbol in symbols:  # some are equal: a check of data may ask for it
                if last is None or self.random.random() < 0.6:
                    last = self.random.choice((self.random.choice(SIZES), 32 * self.random.randint(1, 10),
                                               self.random.randint(self.options.least, 24)))
                values[symbol] = last
            key = tuple(values.values())
            if key in seen or not isSmall(values):
                continue
            seen.add(key)
            known = dict(values)
            try:
                known.update((place, evaluate(tree, values)) for place, tree in places.items())
                if all(evaluate(guard, known) for guard in self.guards):
                    yield values
            except KeyError:
                yield values

    def run(self):
        model = onnx.load(self.inferred)
        declared = {info.name: dims_of(info) for info in [*model.graph.output, *model.graph.value_info]}
        inputs = {info.name: dims_of(info) for info in inputs_of(model)}
        types = {info.name: info.type.tensor_type.elem_type for info in inputs_of(model)}
        trees = {name: [dim if isinstance(dim, int) or dim is None else parse(dim) for dim in dims]
                 for name, dims in {**declared, **inputs}.items() if dims is not None}
        symbols = list(dict.fromkeys(name for dims in inputs for tree in trees[dims]
                                     if tree is not None and not isinstance(tree, int) for name in names(tree)))
        places = {f"{name}.dim{i}": parse(tree) if isinstance(tree, int) else tree
                  for name in inputs for i, tree in enumerate(trees[name])}
        session = self.session()

        def shape(name, values):
            return [tree if isinstance(tree, int) else evaluate(tree, values) for tree in trees[name]]

        def isSmall(values):
            for name in inputs:
                isFloat = types[name] == onnx.TensorProto.FLOAT
                varying = [evaluate(tree, values) for tree in trees[name] if not isinstance(tree, int)]
                if np.prod(shape(name, values)) > (MOST_ELEMENTS if isFloat else MOST_INTEGERS):
                    return False
                if not isFloat and np.prod(varying) > MOST_VARIANTS:
                    return False
            return True

        outputs = [each.name for each in session.get_outputs()]
        unknown = [name for name in outputs if declared.get(name) is None]
        extents = sum(len(declared[name]) for name in outputs if declared.get(name) is not None)
        ran = compared = wrong = data = refused = 0
        for values in self.bindings(symbols, places, isSmall):
            if ran == self.options.sizes:
                break
            feed = {name: self.fill(types[name], shape(name, values)) for name in inputs}
            try:
                results = session.run(outputs, feed)
            except Exception as problem:  # pylint: disable=broad-except
                if ran == 0 and symbols == []:
                    print(f"  cannot be run: {str(problem)[:200]}")
                    break
                if refused == 0:
                    print(f"  refused by ONNX Runtime at {values}: {str(problem).splitlines()[0][:160]}")
                refused += 1
                continue
            ran += 1
            for name, result in zip(outputs, results):
                if name in unknown:
                    continue
                if len(declared[name]) != result.ndim:
                    wrong += 1
                    print(f"  WRONG: {name}: {declared[name]}, executed {result.shape} at {values}")
                    continue
                for dim, tree, executed in zip(declared[name], trees[name], result.shape):
                    try:
                        value = tree if isinstance(tree, int) else evaluate(tree, values)
                        if parse_symbolic_expression and not isinstance(tree, int) and ran <= 2:
                            read = parse_symbolic_expression(dim)
                            value2 = int(read.subs({s: values[s.name] for s in read.free_symbols}))
                            assert value2 == value, f"{dim}: onnx_ir reads {value2}, and not {value}, at {values}"
                    except (KeyError, TypeError):
                        data += ran == 1
                        continue
                    compared += 1
                    if value != executed:
                        wrong += 1
                        print(f"  WRONG: {name}: {dim} is {value}, executed {executed} at {values}")
            if not symbols:
                break
        print(f"{self.path.name}: {ran} sizes ({refused} refused), {extents} extents, {compared} comparisons, {data} by data, "
              f"{len(unknown)} unknown, {wrong} wrong; {self.seconds * 1000:.0f} ms; {self.said}", flush=True)
        for name in unknown[:5]:
            print(f"  unknown: {name}")
        return np.array([extents, compared, data, len(unknown), wrong])

    def fill(self, kind, dims):
        """Data that suits indices, masks and sampling rates alike."""
        if kind == onnx.TensorProto.INT64 and not dims:
            return np.array(16000, np.int64)
        if kind == onnx.TensorProto.FLOAT:
            return np.random.default_rng(0).standard_normal(dims).astype(np.float32)
        return np.ones(dims, TYPES[kind])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--sizes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=int, default=0, help="the least extent; ONNX Runtime ends at 0 of some models")
    options = parser.parse_args()
    total = np.zeros(5, int)
    for path in options.models:
        with tempfile.TemporaryDirectory() as folder:
            total += Checker(path, options, Path(folder)).run()
    print(", ".join(f"{count} {what}" for count, what in
                    zip(total, ("extents", "comparisons", "by data", "unknown", "wrong"))))
    return 1 if total[-1] else 0


if __name__ == "__main__":
    sys.exit(main())
