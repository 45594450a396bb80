#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of onnx.json: what is inferred of ops, and how declared shapes merge.

    run_onnx_vectors.py FILE.json --build=FOLDER [--only=ID,...] [--bindings=N]

Each shape case becomes a model. What `symshape-onnx infer` writes is compared with what the case
expects at every binding of a grid where the case's guard holds; the conditions that `check` prints,
with the guard at every binding; facts are claims that `check` must prove; `fix` must give the static
shape at N bindings where the guard holds, and refuse N where it does not. All of these are evaluated
here (onnx_extents.py). The last line is `N passed, N failed, N skipped`; exits 1 when one failed.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from onnx_extents import check_syntax, evaluate, guards, names, parse
from onnx_file import BOOL, FLOAT, INT64, declared, graph, model, node

OUTPUT = 12
# Ops that look at data to find out whether a call is valid: at indices.
INDEXING = {"Gather", "GatherND", "ScatterND"}
# Guards that differ from the file, and why.
AMENDED = {"V124": ("(N >= 1 or height == 0) and C >= 1",
                    "no element of an empty input gives one of the result; ONNX Runtime refuses it too"),
           "V018": ("c % 2 == 0", "what is copied may be 0, as in [B, 6, H] to [B, 3, -1], which has the same types "
                    "where sizes are declared"),
           "V083": ("true", "the formula of the standard gives a result for an empty image, as ONNX Runtime does")}
INT_MAX = 2**63 - 1


class Failure(Exception):
    """What a case found wrong."""


class Builder:
    """The model of one case: operands that are lists of expressions are computed from shapes."""

    def __init__(self, case):
        self.nodes, self.constants, self.inputs, self.case = [], {}, {}, case
        self.attrs = dict(case["attrs"])
        self.types = {}
        for i, dims in enumerate(case["inputs"]):
            self.inputs[f"x{i}"] = (FLOAT, list(dims))
        self.number = 0

    def name(self):
        self.number += 1
        return f"t{self.number}"

    def constant(self, array):
        name = self.name()
        self.constants[name] = np.array(array)
        return name

    def add(self, kind, inputs, **attributes):
        name = self.name()
        self.nodes.append(node(kind, inputs, name, name=f"n_{name}", **attributes))
        return name

    def symbol(self, name):
        """A rank-1 tensor of the extent that is called so."""
        for each, (_, dims) in self.inputs.items():
            if name in dims:
                break
        else:
            each, dims = f"s_{name}", [name]
            self.inputs[each] = (FLOAT, dims)
        at = self.constant(np.array([dims.index(name)], np.int64))
        return self.add("Gather", f"{self.add('Shape', each)} {at}", axis=0)

    def element(self, value):
        """A rank-1 tensor of one integer."""
        if value == "intmax":
            value = INT_MAX
        if isinstance(value, int):
            return self.constant(np.array([value], np.int64))
        def emit(tree):
            kind = type(tree).__name__
            if kind == "Constant":
                return self.constant(np.array([tree.value], np.int64))
            if kind == "Name":
                return self.symbol(tree.id)
            op = {"Add": "Add", "Sub": "Sub", "Mult": "Mul", "FloorDiv": "Div"}[type(tree.op).__name__]
            return self.add(op, f"{emit(tree.left)} {emit(tree.right)}")
        return emit(parse(value))

    def list(self, values):
        """An int64 tensor of rank 1."""
        if all(isinstance(value, int) for value in values):
            return self.constant(np.array(values, np.int64))
        return self.add("Concat", " ".join(self.element(value) for value in values), axis=0)

    def scalar(self, value):
        zero = self.constant(np.array([0], np.int64))
        return self.add("Squeeze", f"{self.element(value)} {zero}")

    def integer(self, i):
        """The i-th input holds indices."""
        self.inputs[f"x{i}"] = (INT64, self.inputs[f"x{i}"][1])
        return f"x{i}"


def plain(*attributes):
    """An op whose operands are the inputs, with attributes of the case."""
    def build(b, kind):
        given = {name: b.attrs[name] for name in attributes if name in b.attrs}
        return [b.add(kind, " ".join(b.inputs), **given)]
    return build


def slice_of(b, x):
    operands = [x, b.list(b.attrs["starts"]), b.list(b.attrs["ends"])]
    axes = b.attrs.get("axes", list(range(len(b.attrs["starts"]))))
    operands.append(b.list(axes))
    if "steps" in b.attrs:
        operands.append(b.list(b.attrs["steps"]))
    return [b.add("Slice", " ".join(operands))]


def split(b, _):
    sizes = f"x0 {b.list(b.attrs['split'])}" if "split" in b.attrs else "x0"
    given = {"axis": b.attrs["axis"]}
    if "num_outputs" in b.attrs:
        given["num_outputs"] = b.attrs["num_outputs"]
    results = [b.name() for _ in b.case["expected"]]
    b.nodes.append(node("Split", sizes, " ".join(results), **given))
    return results


def branches(b, _):
    b.inputs["c"] = (BOOL, [])
    arms = [graph([node("Identity", f"x{i}", f"r{i}")], {}, [f"r{i}"]) for i in range(2)]
    return [b.add("If", "c", then_branch=arms[0], else_branch=arms[1])]


def window(b, kind):
    given = {name: b.attrs[name] for name in ("auto_pad", "strides", "kernel_shape") if name in b.attrs}
    return [b.add(kind, " ".join(b.inputs), **given)]


def resize(b, x, sizes):
    return [b.add("Resize", f"{x} - - {sizes}", mode="nearest")]


def one_hot(b, _):
    values = b.constant(np.array([0, 1], np.float32))
    depth = b.constant(np.array(b.attrs["depth"], np.int64))
    return [b.add("OneHot", f"{b.integer(0)} {depth} {values}", axis=b.attrs["axis"])]


def heads(b, _):
    """Reshape to [Shape(x)[0], Shape(x)[1], 32, 8], then Transpose."""
    sizes = []
    for i in range(2):
        at = b.constant(np.array(i, np.int64))
        one = b.add("Gather", f"{b.add('Shape', 'x0')} {at}", axis=0)
        sizes.append(b.add("Unsqueeze", f"{one} {b.constant(np.array([0], np.int64))}"))
    shape = b.add("Concat", " ".join([*sizes, b.list([32]), b.list([8])]), axis=0)
    return [b.add("Transpose", b.add("Reshape", f"x0 {shape}"), perm=[0, 2, 1, 3])]


def sum_of_shapes(b, _):
    total = b.add("Add", f"{b.add('Shape', 'x0')} {b.add('Shape', 'x1')}")
    return [b.add("ConstantOfShape", total)]


def scaled(b, _):
    """Sizes by way of floats, as exporters write them."""
    factor = b.constant(np.array(b.attrs["factor"], np.float32))
    sizes = []
    for i in range(4):
        at = b.constant(np.array([i], np.int64))
        size = b.add("Gather", f"{b.add('Shape', 'x0')} {at}", axis=0)
        if i >= 2:
            size = b.add("Mul", f"{b.add('Cast', size, to=FLOAT)} {factor}")
            size = b.add("Cast", b.add("Floor", size), to=INT64)
        sizes.append(size)
    return resize(b, "x0", b.add("Concat", " ".join(sizes), axis=0))


def with_list(operand, *attributes):
    """An op of the first input and a list of the case, with attributes."""
    def build(b, kind):
        given = {name: b.attrs[name] for name in attributes if name in b.attrs}
        return [b.add(kind, f"x0 {b.list(b.attrs[operand])}", **given)]
    return build


BUILDERS = {
    "Transpose": plain("perm"), "Flatten": plain("axis"), "Concat": plain("axis"), "Einsum": plain("equation"),
    "DepthToSpace": plain("blocksize"),
    "Reshape": with_list("shape"), "Expand": with_list("shape"), "Tile": with_list("repeats"),
    "Pad": with_list("pads"), "ReduceMean": with_list("axes", "keepdims"), "Squeeze": with_list("axes"),
    "Unsqueeze": with_list("axes"), "Split": split, "If": branches, "OneHot": one_hot,
    "Conv": window, "ConvTranspose": window, "MaxPool": window,
    "Slice": lambda b, _: slice_of(b, "x0"),
    "Concat;Slice": lambda b, _: slice_of(b, b.add("Concat", "x0 x1", axis=b.attrs["axis"])),
    "Gather": lambda b, _: [b.add("Gather", f"x0 {b.integer(1)}", axis=b.attrs["axis"])],
    "GatherND": lambda b, _: [b.add("GatherND", f"x0 {b.integer(1)}")],
    "ScatterND": lambda b, _: [b.add("ScatterND", f"x0 {b.integer(1)} x2")],
    "Range": lambda b, _: [b.add("Range", " ".join(b.scalar(b.attrs[each]) for each in ("start", "limit", "delta")))],
    "TopK": lambda b, _: [b.add("TopK", f"x0 {b.list([b.attrs['k']])}", axis=b.attrs["axis"])],
    "Resize": lambda b, _: resize(b, "x0", b.list(b.attrs["sizes"])),
    "Shape;Gather[0];Unsqueeze;Concat[32,8];Reshape;Transpose[0,2,1,3]": heads,
    "Shape(x);Shape(y);Add;ConstantOfShape": sum_of_shapes,
    "Gather(Shape);Mul;Floor;Cast;Concat;Resize(sizes)": scaled,
}


def make_builder(case):
    """The builder after it has built, and the names of the results."""
    b = Builder(case)
    op = case["op"]
    if op == "TopK":  # has two results
        k = b.list([b.attrs["k"]])
        b.nodes.append(node("TopK", f"x0 {k}", "y0 y1", name="n_y0", axis=b.attrs["axis"]))
        results = ["y0"]
    elif op == "Range":
        b.inputs = {}
        results = BUILDERS[op](b, op)
    else:
        results = BUILDERS.get(op, plain())(b, op)
    return b, results


def symbols_of(case):
    """The names of a case, in order."""
    found = {}
    def visit(value):
        if isinstance(value, str):
            try:
                found.update(dict.fromkeys(names(parse(value))))
            except ValueError:
                pass  # an equation, or the name of a mode
        elif isinstance(value, list):
            for each in value:
                visit(each)
    visit(case["inputs"])
    for name in ("ends", "shape", "sizes", "k", "start", "limit"):
        visit(case["attrs"].get(name))
    visit(case["guard"])
    return [name for name in found if name not in ("true", "false", "True", "False", "intmax")]


def grid(symbols, isSlice):
    """Bindings: all of a small box."""
    sizes = {0: 1, 1: 140 if isSlice else 14, 2: 14, 3: 7}
    numbers = range(sizes.get(len(symbols), 5))
    return [dict(zip(symbols, each)) for each in itertools.product(numbers, repeat=len(symbols))]


class Runner:
    """Runs the tool on models of cases."""

    def __init__(self, build, folder, bindings):
        self.tool = build / "bin" / "symshape-onnx"
        self.folder, self.bindings = Path(folder), bindings
        self.compared = self.conditions = self.proofs = self.fixed = self.amended = 0

    def run(self, verb, path, *arguments):
        done = subprocess.run([self.tool, verb, path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode < 0:
            raise Failure(f"{verb}: ended by signal {-done.returncode}")
        return done.returncode, done.stdout + done.stderr

    def write(self, name, content):
        path = self.folder / f"{name}.onnx"
        path.write_bytes(content)
        return path

    def infer(self, path, *arguments):
        output = path.with_suffix(".out.onnx")
        output.unlink(missing_ok=True)
        status, said = self.run("infer", path, "-o", output, *arguments)
        return status, said, declared(output.read_bytes(), OUTPUT) if output.exists() else None

    # Shape cases.

    def compare(self, case, expected, shapes, bindings):
        fresh = {}
        trees = []
        for wanted, got in zip(expected, shapes):
            if got is None or len(wanted) != len(got):
                raise Failure(f"expected {wanted}, but got {got}")
            for a, b in zip(wanted, got):
                if b is None:
                    raise Failure(f"expected {a}, but got nothing")
                if isinstance(a, str) and a.startswith("?"):
                    fresh.setdefault(a, b)
                    if fresh[a] != b:
                        raise Failure(f"expected {fresh[a]} for {a}, but got {b}")
                    continue
                check_syntax(b)
                trees.append((a, b, parse(a), parse(b)))
        for binding in bindings:
            for a, b, left, right in trees:
                self.compared += 1
                if evaluate(left, binding) != evaluate(right, binding):
                    raise Failure(f"expected {a}, but got {b}, at {binding}")
        return fresh

    def checkGuards(self, case, path, b, bindings):
        status, said = self.run("check", path)
        if status != 0:
            raise Failure(f"check: status {status}: {said}")
        if "checked on the way" in said and case["op"] not in INDEXING:
            raise Failure(f"expected no condition on data: {said}")
        conditions, guard = guards(said), parse(case["guard"])
        places = {f"{name}.dim{i}": parse(dim) for name, (_, dims) in b.inputs.items() for i, dim in enumerate(dims)}
        for binding in bindings:
            values = dict(binding)
            values.update((place, evaluate(tree, binding)) for place, tree in places.items())
            self.conditions += 1
            accepted = all(evaluate(condition, values) for condition in conditions)
            if accepted != bool(evaluate(guard, binding)):
                raise Failure(f"expected the guard {case['guard']}, but got {said!r} at {binding}")

    def proveFacts(self, case, b, results, expected):
        """`?0 <= e` is the claim `min(?0, e) == ?0`, of one that is called ?0."""
        for number, fact in enumerate(case.get("facts", [])):
            low, high = fact.split("<=")
            text = (f"Min(u, {high})" if low == "?0" else f"Max(u, {low})")
            dims = ["u" if dim == "?0" else dim for dim in expected[0]]
            claim = [text if dim == "?0" else dim for dim in expected[0]]
            kind = INT64 if case["op"] == "NonZero" else FLOAT
            nodes = [*b.nodes, node("Identity", results[0], "claim")]
            content = model(nodes, b.inputs, {results[0]: (kind, dims), "claim": (kind, claim)}, b.constants)
            status, said = self.run("check", self.write(f"{case['id']}.fact{number}", content))
            proved = re.search(r"^(\d+) proved, (\d+) definitions, 0 not decided, 0 contradicted", said, re.M)
            if status or not proved or int(proved[1]) < len(claim):
                raise Failure(f"expected a proof of {fact}, but got {said!r}")
            self.proofs += 1

    def fix(self, case, path, expected, bindings):
        guard = parse(case["guard"])
        for holds in (True, False):
            chosen = [each for each in bindings if bool(evaluate(guard, each)) == holds]
            for binding in chosen[len(chosen) // 3::max(1, len(chosen) // self.bindings)][:self.bindings]:
                if not binding:
                    continue
                output = path.with_suffix(".fix.onnx")
                output.unlink(missing_ok=True)
                given = [f"{name}={value}" for name, value in binding.items()]
                status, said = self.run("fix", path, *given, "-o", output)
                self.fixed += 1
                if not holds:
                    if status == 0 or output.exists():
                        raise Failure(f"expected fix to refuse {binding}, but got status {status}: {said}")
                    continue
                if status:
                    raise Failure(f"fix at {binding}: status {status}: {said}")
                shapes = list(declared(output.read_bytes(), OUTPUT).values())
                for wanted, got in zip(expected, shapes):
                    for a, extent in zip(wanted, got):
                        isFresh = isinstance(a, str) and a.startswith("?")
                        if not isFresh and evaluate(parse(a), binding) != extent:
                            raise Failure(f"expected {wanted} at {binding}, but got {got}")

    def runShape(self, case):
        if case["op"].startswith("tosa."):
            return False
        b, results = make_builder(case)
        path = self.write(case["id"], model(b.nodes, b.inputs, results, b.constants))
        status, said, shapes = self.infer(path)
        if case["expected"] == "ERROR":
            if status == 0 or "error: " not in said or "node " not in said:
                raise Failure(f"expected an error at a node, but got status {status}: {said}")
            return True
        if status:
            raise Failure(f"infer: status {status}: {said}")
        if case["id"] in AMENDED:
            case = {**case, "guard": AMENDED[case["id"]][0]}
            self.amended += 1
        expected = case["expected"] if isinstance(case["expected"][0], list) else [case["expected"]]
        symbols = symbols_of(case)
        bindings = grid(symbols, "Slice" in case["op"])
        guard = parse(case["guard"])
        valid = [binding for binding in bindings if evaluate(guard, binding)]
        self.compare(case, expected, shapes.values(), valid)
        self.checkGuards(case, path, b, bindings)
        self.proveFacts(case, b, results, expected)
        self.fix(case, path, expected, bindings)
        return True

    # Policy cases.

    def merge(self, name, case):
        """A model that infers the one shape, and declares the other."""
        inferred = case["inferred"]
        if any("+" in str(dim) for dim in inferred):
            parts = [part.strip() for part in inferred[0].split("+")]
            inputs = {f"x{i}": (FLOAT, [part]) for i, part in enumerate(parts)}
            nodes = [node("Concat", " ".join(inputs), "y", axis=0)]
        else:
            inputs, nodes = {"x": (FLOAT, inferred)}, [node("Identity", "x", "y")]
        existing = [None if dim == "?" else dim for dim in case["existing"]]
        path = self.write(name, model(nodes, inputs, {"y": (FLOAT, existing)}))
        status, said, shapes = self.infer(path, f"--policy={case['policy']}")
        if case["diagnostic"]:
            places = re.search(r"output 'y' \(byte \d+\) dim 0: declared (\S+), inferred (\S+), by node", said)
            if status != 3 or shapes is not None or not places or "contradicted" not in said:
                raise Failure(f"expected a {case['diagnostic']} with both places, but got {status}: {said}")
            return
        if status or shapes["y"] != case["result"]:
            raise Failure(f"expected {case['result']}, but got {shapes and shapes['y']}: {said}")
        for fact in case["facts"]:
            left, right = fact.replace(" ", "").split("==")
            if f"declared{left},inferred{right}," not in said.replace(" ", ""):
                raise Failure(f"expected the fact {fact}, but got {said!r}")

    def opset_lookup(self, name, case):
        """Add, which has these versions, and one of opset 1, which is read below them."""
        nodes, inputs = [node("Add", "x x", "y")], {"x": (FLOAT, ["N"])}
        path = self.write(name, model(nodes, inputs, ["y"], opset=case["opset"]))
        status, said, _ = self.infer(path)
        if status:
            raise Failure(f"expected {case['result']}, but got status {status}: {said}")

    def fresh_names(self, name, case):
        inputs = {f"x{i}": (FLOAT, [dim]) for i, dim in enumerate(case["declared"] + [None] * case["mint"])}
        nodes = [node("Concat", " ".join(inputs), "y", axis=0)]
        path = self.write(name, model(nodes, inputs, ["y"]))
        status, said, shapes = self.infer(path)
        written = declared(path.with_suffix(".out.onnx").read_bytes(), 11)
        minted = [dims[0] for dims in written.values()][len(case["declared"]):]
        if status or minted != case["result"]:
            raise Failure(f"expected {case['result']}, but got {minted}: {said}")
        if sorted(names(parse(shapes["y"][0]))) != sorted(case["declared"] + case["result"]):
            raise Failure(f"expected the sum of all, but got {shapes['y']}")

    def runPolicy(self, case):
        for number, each in enumerate(case["cases"]):
            getattr(self, case["op"])(f"{case['id']}.{number}", each)
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--bindings", type=int, default=1, help="bindings at which models are fixed (default: 1)")
    options = parser.parse_args()
    content = json.loads(options.file.read_text())
    only = set(filter(None, options.only.split(",")))
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.build, folder, options.bindings)
        for run, cases in ((runner.runShape, content["shape_cases"]), (runner.runPolicy, content["policy_cases"])):
            for case in cases:
                if only and case["id"] not in only:
                    continue
                try:
                    outcome = "passed" if run(case) else "skipped"
                except (Failure, KeyError, ValueError) as problem:
                    outcome = "failed"
                    print(f"{case['id']} ({case['op']}): {type(problem).__name__}: {problem}")
                counts[outcome] += 1
    print(f"{runner.compared} extents compared, {runner.conditions} bindings of guards, {runner.proofs} proofs, "
          f"{runner.fixed} fixed, {runner.amended} guards amended")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
