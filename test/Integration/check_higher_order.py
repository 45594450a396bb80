# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The AD passes run twice, in each order, on programs with symbolic windows.

    check_higher_order.py [NAME]...

With f the program, x its active inputs, c cotangents and u, v directions, all four
give the second derivative of <c, f>: JVP of JVP <c, f''(u, v)>; JVP of VJP, VJP of
JVP and VJP of VJP vectors H u, of which <v, H u> is that number. Compared with each
other, and with differences of the first derivative. One module per program, run at
several extents under --guard-pages.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import symrun
from derivative_cases import ROWS, case, constant, scattered
from derivatives import INLINE, Compiled, Failure, Wrapper, magnitude, moved, report, signatures

I = "i64"  # noqa: E741
WINDOW = {"offset_dims": [1], "collapsed_slice_dims": [], "start_index_map": [0], "index_vector_dim": 1}
BINDINGS = [{"N": 3}, {"N": 1}, {"N": 0}]
AT = constant(-1, 0, 2, 5, 1)


def programs():
    """Each with a window of N of 4 elements, or of N of a row."""
    for mode in ("clip", "fill"):
        yield case(f"square of gather {mode}", {"x": [4], "w": ["N"], "i": (I, [5, 1])},
                   [("g", "gather_dynamic_slice_sizes", "x i w",
                     {**WINDOW, "slice_sizes": [{"operand": 2, "axis": 0}], "mode": mode}),
                    ("s", "sin", "g", {}), ("r", "mul", "s g", {})], "r", BINDINGS, active=["x"], values={"i": AT})
    for combiner in ("add", "sub", "mul", "update", "max", "min"):
        for mode in ("clip", "drop"):
            yield case(f"scatter {combiner} {mode} of products", {"x": [4], "u": [5, "N"], "i": (I, [5, 1])},
                       [("s", "mul", "x x", {}), ("v", "sin", "u", {}),
                        ("t", "scatter", "s i v", {**scattered(WINDOW), "combiner": combiner, "mode": mode}),
                        ("r", "mul", "t t", {})], "r", BINDINGS, values={"i": AT})
    yield case("rows gathered, multiplied and added back", {"x": [3, "N"], "i": (I, [5, 1])},
               [("g", "gather_dynamic_slice_sizes", "x i x",
                 {**ROWS, "slice_sizes": [1, {"operand": 2, "axis": 1}], "mode": "fill"}),
                ("p", "mul", "g g", {}),
                ("r", "scatter", "x i p", {**scattered(ROWS), "combiner": "add", "mode": "drop"})], "r", BINDINGS,
               values={"i": AT})
    yield case("slice and update of a truncation", {"x": ["N"], "y": ["N"], "n": (I, []), "i": (I, [1])},
               [("t", "dynamic_truncate", "y n", {"axis": 0}), ("u", "mul", "t t", {}),
                ("s", "dynamic_update_slice", "x u i", {}), ("r", "mul", "s s", {})], "r", BINDINGS,
               values={"n": constant(2), "i": constant(7)})
    yield case("product along an axis", {"x": [2, "N"]},
               [("s", "sin", "x", {}), ("r", "reduce_prod", "s", {"axes": [1]})], "r", BINDINGS)
    yield case("loop with a window", {"n": (I, []), "x": [4], "w": ["N"], "i": (I, [2, 1])},
               [(["r"], "for", "n x w i",
                 {"num_carry": 1, "args": ["k", "c", "w", "i"], "results": ["q"],
                  "body": [{"result": "g", "op": "gather_dynamic_slice_sizes", "operands": ["c", "i", "w"],
                            "attrs": {**WINDOW, "slice_sizes": [{"operand": 2, "axis": 0}], "mode": "fill"}},
                           {"result": "p", "op": "mul", "operands": ["g", "g"], "attrs": {}},
                           {"result": "q", "op": "scatter", "operands": ["c", "i", "p"],
                            "attrs": {**scattered(WINDOW), "combiner": "add", "mode": "drop"}}]})], "r", BINDINGS,
               active=["x"], values={"n": constant(2), "i": constant(1, 0)})


class Twice:
    """A module that calls all four."""

    def __init__(self, program):
        self.program = program
        names = list(program.inputs)
        wrt = [names.index(name) for name in program.active]
        numbers = ",".join(map(str, wrt))
        first = [f"--symshape-{kind}=function=main wrt={numbers}" for kind in ("jvp", "vjp")]
        again = [f"--symshape-{kind}=function=main.{of} wrt={numbers} results={results}"
                 for of, results in (("jvp", "1"), ("vjp", ",".join(str(1 + i) for i in range(len(wrt)))))
                 for kind in ("jvp", "vjp")]
        module = Compiled.run("symshape-opt", program.text(), *first, *again)
        known = signatures(module)
        inputs, results = known["main"]
        wrapper = Wrapper(known)
        args = [wrapper.argument(type_) for type_ in inputs]
        u, v = ([wrapper.argument(inputs[i]) for i in wrt] for _ in range(2))
        c = [wrapper.argument(results[0])]
        forward = wrapper.call("main.jvp.jvp", args + u + v)[-1:]
        returned = [*forward, *wrapper.call("main.vjp.jvp", args + c + u)[-len(wrt):],
                    *wrapper.call("main.jvp.vjp", args + u + c)[-len(wrt):],
                    *wrapper.call("main.vjp.vjp", args + c + u)[-len(wrt):],
                    *wrapper.call("main.vjp", args + c)[-len(wrt):]]
        self.count = len(returned)
        module = module.rstrip().removesuffix("}") + wrapper.text(returned) + "\n}\n"
        self.module = Compiled.run("symshape-opt", module, INLINE)

    def run(self, calls):
        with tempfile.TemporaryDirectory(prefix="higher-order") as folder:
            path = Path(folder) / "m.mlir"
            path.write_text(self.module)
            run = symrun.run(path, calls, entry="all", results=self.count, options=["--guard-pages"])
        if run.status or len(run.results) != len(calls):
            raise Failure(f"exit status {run.status}: {run.stderr.strip()[:2000]}")
        if run.live != 0:
            raise Failure(f"{run.live} blocks are left")
        size = len(self.program.active)
        return [[list(r[1 + k * size:1 + (k + 1) * size]) if k >= 0 else [r[0]] for k in (-1, 0, 1, 2, 3)]
                for r in run.results]


def pair(a, b):
    return sum(float((x * y).sum()) for x, y in zip(a, b))


def compare(program, sizes, twice, rng):
    arrays = program.arrays(rng, sizes)
    draw = lambda: [rng.uniform(-1, 1, arrays[name].shape) for name in program.active]  # noqa: E731
    u, v = draw(), draw()
    c = [rng.uniform(-1, 1, program.evaluate(arrays)[0].shape)]
    h = 1e-5
    calls = [[*at.values(), *u, *v, *c] for at in (arrays, moved(program, arrays, u, h), moved(program, arrays, u, -h))]
    (forward, *products, _), (*_, ahead), (*_, behind) = twice.run(calls)
    differences = [(a - b) / (2 * h) for a, b in zip(ahead, behind)]
    wanted = pair(c, forward)
    for name, got in zip(("JVP of VJP", "VJP of JVP", "VJP of VJP"), products):
        for one, active in zip(got, program.active):
            if one.shape != arrays[active].shape:
                raise Failure(f"{name}: extents {one.shape} of {active}, expected {arrays[active].shape}")
        if not abs(pair(v, got) - wanted) <= 1e-10 * (1 + magnitude(c[0], forward[0]) + sum(map(magnitude, v, got))):
            raise Failure(f"{name} gives {pair(v, got)}, JVP of JVP {wanted}")
        for one, two in zip(got, differences):
            if not np.all(np.abs(one - two) <= 1e-5 * np.maximum(1, np.abs(two))):
                raise Failure(f"{name}: {one.tolist()}, differences {two.tolist()}")


def check(program, bindings, rng):
    twice = Twice(program)
    for sizes in bindings:
        compare(program, sizes, twice, rng)


def main():
    names = sys.argv[1:]
    return report("programs", [(program.name, partial(check, program, bindings, np.random.default_rng(number)))
                               for number, (program, bindings, _) in enumerate(programs())
                               if not names or program.name in names])


if __name__ == "__main__":
    sys.exit(main())
