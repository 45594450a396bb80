# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of a program, compiled once, beside its definition at many extents.

    H1  the forward derivative and central differences of the definition
    H2  <c, J v> = <J^T c, v>
    H3  the linear part is linear, and gives the forward derivative
    H4  the second derivative is symmetric, and that of differences of the first
    H5  results and cotangents have the extents of the definition and of inputs
    H6  all of it where each tensor.empty is filled with NaN first

A `Case` is a program of the test vectors whose inputs have symbols for extents.
"""

import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import interpreter
import more_ops
import symrun
import vector_programs

EMPTY = re.compile(r"^(\s*)(%\S+) = tensor\.empty\((.*)\) : (tensor<[^>]*?(f64|f32)>)$", re.M)
TOLERANCES = {"f64": {"value": 1e-11, "H1": 1e-6, "H2": 1e-11, "H3": 1e-11, "H4": 1e-5},
              "f32": {"value": 1e-4, "H1": 1e-4, "H2": 1e-4, "H3": 1e-4}}
DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "i1": np.bool_}


# Not the canonicalizer of MLIR 22, which gives what a loop carries the type of its initial value.
INLINE = "--inline=default-pipeline="


class Failure(Exception):
    """What does not hold."""


def report(kind, cases):
    """Runs pairs of a name and a function, and prints what does not hold; the exit status."""
    failed = 0
    for name, run in cases:
        try:
            run()
        except Failure as failure:
            failed += 1
            print(f"{name}: {failure}", flush=True)
    print(f"{len(cases)} {kind}, {failed} failed")
    return 1 if failed or not cases else 0


@dataclass
class Case:
    name: str
    inputs: dict  # name to (dtype, extents: numbers and symbols)
    program: list
    results: list
    active: list
    make: object = None  # of (rng, name, shape): an input that must have certain values
    rows: set = field(default_factory=set)  # what of the specification it has
    dtype: str = "f64"  # of what is active

    def text(self):
        sample = {symbol: 3 for _, dims in self.inputs.values() for symbol in dims if isinstance(symbol, str)}
        case = {"inputs": {name: {"dtype": dtype, "shape": [sample.get(d, d) for d in dims]}
                           for name, (dtype, dims) in self.inputs.items()},
                "symbolic_dims": {name: dims for name, (_, dims) in self.inputs.items()},
                "program": self.program, "results": self.results}
        return vector_programs.build(case, dynamic=True, builder=more_ops.Builder())

    def arrays(self, rng, sizes):
        arrays = {}
        for name, (dtype, dims) in self.inputs.items():
            shape = [sizes.get(d, d) for d in dims]
            made = self.make(rng, name, shape, sizes) if self.make else None
            if made is None:
                made = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
            arrays[name] = np.asarray(made, DTYPES[dtype])
        return arrays

    def evaluate(self, arrays):
        """The results, in f64 whatever the program computes in."""
        wide = {name: a.astype(np.float64) if a.dtype.kind == "f" else a for name, a in arrays.items()}
        with np.errstate(all="ignore"):
            values = interpreter.evaluate(self.program, wide)
        return [values[name] for name in self.results]


def poison(text):
    """Each float tensor.empty filled with what is no number."""
    count = iter(range(10**9))

    def fill(match):
        indent, name, sizes, type_, element = match.groups()
        number = next(count)
        return (f"{indent}%poison_{number} = tensor.empty({sizes}) : {type_}\n"
                f"{indent}%nan_{number} = arith.constant 0x7{'FF8' + 12 * '0' if element == 'f64' else 'FC00000'} : {element}\n"
                f"{indent}{name} = linalg.fill ins(%nan_{number} : {element}) outs(%poison_{number} : {type_}) -> {type_}")
    return EMPTY.sub(fill, text)


SIGNATURE = re.compile(r"func\.func (?:private )?@([\w.]+)\((.*?)\)(?: -> (.*?))?(?: attributes .*?)? \{$", re.M)


def split_types(text):
    """The types of a list in which attributes and names may stand."""
    text = re.sub(r"\{[^{}]*\}", "", text.strip().removeprefix("(").removesuffix(")"))
    return [part.split(":")[-1].strip() for part in re.split(r",\s*(?![^<]*>)", text) if part.strip()]


def signatures(text):
    found = {}
    for match in SIGNATURE.finditer(text):
        results = match.group(3) or ""
        found[match.group(1)] = (split_types(match.group(2)), split_types(results))
    return found


class Wrapper:
    """The function @all, which calls what the passes have made."""

    def __init__(self, known):
        self.known, self.lines, self.arguments, self.count = known, [], [], 0

    def argument(self, type_):
        self.arguments.append((f"%arg{len(self.arguments)}", type_))
        return self.arguments[-1][0]

    def call(self, name, operands):
        types, results = self.known[name]
        result = f"%r{self.count}"
        self.count += 1
        self.lines.append(f"  {result}:{len(results)} = call @{name}({', '.join(operands)}) : "
                          f"({', '.join(types)}) -> ({', '.join(results)})")
        return [(f"{result}#{i}", type_) for i, type_ in enumerate(results)]

    def text(self, returned):
        arguments = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments)
        types = ", ".join(type_ for _, type_ in returned)
        names = ", ".join(name for name, _ in returned)
        return "\n".join([f"func.func @all({arguments}) -> ({types}) {{", *self.lines,
                          f"  return {names} : {types}", "}"])


class Compiled:
    """The module of a case: values, tangents, cotangents and second derivatives."""

    def __init__(self, case, opt="symshape-opt", second=True):
        self.case, self.second = case, second
        names = list(case.inputs)
        wrt = f"wrt={','.join(str(names.index(name)) for name in case.active)}"
        text = case.text()
        text += text.replace("@main(", "@copy(", 1)
        passes = [f"--symshape-jvp=function=main {wrt}", f"--symshape-vjp=function=main {wrt}",
                  f"--symshape-linearize=function=copy {wrt}"]
        if second:
            passes.append(f"--symshape-jvp=function=main.vjp {wrt}")
        module = self.run(opt, text, *passes)
        known = signatures(module)
        inputs, results = known["main"]
        self.real = [i for i, type_ in enumerate(results) if type_.endswith(("f64>", "f32>"))]
        self.num_results = len(results)
        wrapper = Wrapper(known)
        args = [wrapper.argument(type_) for type_ in inputs]
        tangents = [wrapper.argument(inputs[names.index(name)]) for name in case.active]
        cotangents = [wrapper.argument(results[i]) for i in self.real]
        returned = wrapper.call("main.jvp", args + tangents) + wrapper.call("main.vjp", args + cotangents)
        forward = wrapper.call("copy.fwd", args)
        returned += wrapper.call("copy.lin", [name for name, _ in forward[len(results):]] + tangents)
        if second:
            returned += wrapper.call("main.vjp.jvp", args + cotangents + tangents)[-len(case.active):]
        self.num_returned = len(returned)
        module = module.rstrip().removesuffix("}") + wrapper.text(returned) + "\n}\n"
        self.module = poison(self.run(opt, module, INLINE, "--symshape-lower-tensor-ops"))

    @staticmethod
    def run(opt, text, *passes):
        done = subprocess.run([opt, "-", *passes], input=text, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise Failure(f"symshape-opt: {done.stderr.strip()[:2000]}")
        return done.stdout

    def calls(self, calls, options):
        with tempfile.TemporaryDirectory(prefix="derivatives") as folder:
            path = Path(folder) / "m.mlir"
            path.write_text(self.module)
            run = symrun.run(path, calls, entry="all", results=self.num_returned, options=options)
        if run.status or len(run.results) != len(calls) or run.live != 0:
            raise Failure(f"exit status {run.status}, {run.live} blocks left: {run.stderr.strip()[:2000]}")
        return [self.split(results) for results in run.results]

    def split(self, results):
        """Values, tangents, cotangents, tangents of the linear part, second derivatives."""
        results = list(results)
        take = lambda count: [results.pop(0) for _ in range(count)]  # noqa: E731
        active = len(self.case.active)
        values, tangents = take(self.num_results), take(len(self.real))
        again, cotangents = take(self.num_results), take(active)
        return {"values": values, "jvp": tangents, "again": again, "vjp": cotangents,
                "lin": take(len(self.real)), "hvp": take(active) if self.second else None}


def dot(a, b):
    return sum(float((x * y).sum()) for x, y in zip(a, b))


def magnitude(a, b):
    return sum(float(np.abs(x * y).sum()) for x, y in zip(a, b))


def near(what, actual, expected, tolerance, scale=1.0):
    for number, (one, two) in enumerate(zip(actual, expected, strict=True)):
        if np.shape(one) != np.shape(two):
            raise Failure(f"{what} {number}: extents {np.shape(one)}, expected {np.shape(two)}")
        allowed = tolerance * np.maximum(scale, np.abs(two))
        with np.errstate(invalid="ignore"):
            same = (np.abs(one - two) <= allowed) | (np.asarray(one) == two) | (np.isnan(one) & np.isnan(two))
        if not np.all(same):
            raise Failure(f"{what} {number}: {np.asarray(one).tolist()}, expected {np.asarray(two).tolist()}")


def differences(function, step):
    """The derivative along a line, by Richardson's extrapolation."""
    def central(h):
        return [(a - b) / (2 * h) for a, b in zip(function(h), function(-h))]
    return [(4 * fine - coarse) / 3 for fine, coarse in zip(central(step / 2), central(step))]


def moved(case, arrays, direction, h):
    """In f64: in f32 so small a step is mostly rounded."""
    result = dict(arrays)
    for name, tangent in zip(case.active, direction):
        result[name] = arrays[name] + h * tangent.astype(np.float64)
    return result


def check_first(compiled, arrays, u, v, w, ofu, ofv, ofw, cotangents):
    """H1, H2, H3, H5 at one binding; `w` = 2 u - 3 v. Whether there is no kink near."""
    case = compiled.case
    allowed = TOLERANCES[case.dtype]
    expected = case.evaluate(arrays)
    largest = max([1.0] + [float(np.abs(r).max()) for r in expected if r.size and r.dtype.kind == "f"])
    for key in ("values", "again"):
        near(f"value ({key})", ofu[key], expected, allowed["value"], largest if case.dtype == "f32" else 1.0)
    real = [expected[i] for i in compiled.real]
    near("H5 extents of cotangents", [np.zeros(c.shape) for c in ofu["vjp"]],
         [np.zeros(arrays[name].shape) for name in case.active], 0)
    for direction, got in ((u, ofu), (v, ofv)):
        scale = max([1.0] + [float(np.abs(a).max()) for a in got["jvp"] if a.size])
        near("H3 lin is jvp", got["lin"], got["jvp"], allowed["H3"], scale)
        one, two = dot(cotangents, got["jvp"]), dot(got["vjp"], direction)
        scale = 1 + magnitude(cotangents, got["jvp"]) + magnitude(got["vjp"], direction)
        if not abs(one - two) <= allowed["H2"] * scale:
            raise Failure(f"H2: <c, J v> = {one}, <J^T c, v> = {two}")
    combined = [2 * a - 3 * b for a, b in zip(ofu["lin"], ofv["lin"])]
    scale = max([1.0] + [float(np.abs(a).max()) for a in ofu["lin"] + ofv["lin"] if a.size])
    near("H3 linearity", ofw["lin"], combined, allowed["H3"], scale)
    line = lambda h: [case.evaluate(moved(case, arrays, u, h))[i] for i in compiled.real]  # noqa: E731
    along, closer = differences(line, 1e-3), differences(line, 1e-5)
    scale = max([1.0] + [float(np.abs(r).max()) for r in [*real, *along] if r.size])
    # Where the two differ there is a kink between the points.
    kinks = [np.abs(one - two) > 1e-5 * scale for one, two in zip(along, closer)]
    masked = [np.where(kink, 0, one) for kink, one in zip(kinks, ofu["jvp"])]
    near("H1", masked, [np.where(kink, 0, one) for kink, one in zip(kinks, along)], allowed["H1"], scale)
    return not any(kink.any() for kink in kinks)


def check(case, bindings, seed, options=("--guard-pages",), second=True):
    """Raises `Failure` unless all holds at each of `bindings`, symbol to extent. How many of these there are,
    and at how many derivatives are not 0, and an input is empty."""
    compiled = Compiled(case, second=second)
    rng = np.random.default_rng(seed)
    calls, plans = [], []
    for sizes in bindings:
        arrays = case.arrays(rng, sizes)
        real = DTYPES[case.dtype]
        draw = lambda: [rng.uniform(-1, 1, arrays[name].shape).astype(real) for name in case.active]  # noqa: E731
        u, v = draw(), draw()
        w = [(2 * a - 3 * b).astype(real) for a, b in zip(u, v)]
        expected = case.evaluate(arrays)
        cotangents = [rng.uniform(-1, 1, expected[i].shape).astype(real) for i in compiled.real]
        h = 1e-4
        points = [(arrays, u), (arrays, v), (arrays, w)]
        if second:
            points += [(moved(case, arrays, u, h), u), (moved(case, arrays, u, -h), u)]
        calls += [[*at.values(), *direction, *cotangents] for at, direction in points]
        plans.append((sizes, arrays, u, v, w, cotangents, len(points)))
    results = compiled.calls(calls, list(options))
    counts = Counter()
    for sizes, arrays, u, v, w, cotangents, count in plans:
        got, results = results[:count], results[count:]
        try:
            smooth = check_first(compiled, arrays, u, v, w, *got[:3], cotangents)
            if second:
                one, two = dot(got[0]["hvp"], v), dot(got[1]["hvp"], u)
                scale = 1 + magnitude(got[0]["hvp"], v) + magnitude(got[1]["hvp"], u)
                if not abs(one - two) <= 1e-10 * scale:
                    raise Failure(f"H4: <H u, v> = {one}, <H v, u> = {two}")
            if second and smooth:
                along = [(a - b) / (2 * h) for a, b in zip(got[3]["vjp"], got[4]["vjp"])]
                scale = max([1.0] + [float(np.abs(g).max()) for g in got[0]["vjp"] if g.size])
                near("H4", got[0]["hvp"], along, TOLERANCES[case.dtype]["H4"], scale)
        except Failure as failure:
            raise Failure(f"at {sizes}: {failure}") from None
        counts["bindings"] += 1
        counts["not 0"] += all(any(np.any(a) for a in got[0][key]) for key in ("jvp", "vjp"))
        counts["empty"] += any(not a.size for a in arrays.values())
    return counts
