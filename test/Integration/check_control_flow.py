# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of branches and loops beside definitions (see derivatives.py).

    check_control_flow.py [NAME]...
"""

import sys

from checking import Checks
from derivatives import Case, Failure, check

BINDINGS = [{"N": 3, "M": 2}, {"N": 1, "M": 1}, {"N": 0, "M": 3}, {"N": 5, "M": 0}]
COUNT, FLAG = ("i64", []), ("i1", [])


def floats(*dims):
    return "f64", list(dims)


def step(result, op, operands, **attrs):
    return {"result": result, "op": op, "operands": operands, "attrs": attrs}


def branch(result, pred, operands, args, then, otherwise):
    return {"results": [result], "op": "if", "operands": [pred, *operands],
            "attrs": {"args": args, "then": then, "then_results": [then[-1]["result"]],
                      "else": otherwise, "else_results": [otherwise[-1]["result"]]}}


def loop(names, count, carried, others, body, results):
    """A loop whose body calls values by the names of its operands."""
    return {"results": names, "op": "for", "operands": [count, *carried, *others],
            "attrs": {"num_carry": len(carried), "args": ["i", *carried, *others], "body": body,
                      "results": results}}


def turns(names, carried, others, bound, body, results):
    return {"results": names, "op": "while_lt", "operands": [*carried, *others],
            "attrs": {"bound": bound, "args": [*carried, *others], "body": body, "results": results}}


def made(values):
    """Inputs that are not drawn as floats are."""
    def make(rng, name, shape, sizes):
        value = values.get(name)
        return value(rng) if callable(value) else value
    return make


TRIPS = made({"n": lambda rng: rng.integers(0, 4), "m": lambda rng: rng.integers(0, 3), "k": 2,
              "p": lambda rng: rng.random() < 0.5, "t": lambda rng: rng.uniform(1.2, 1.9)})


def case(name, inputs, program, results, active):
    return Case(name, inputs, program, results, active, make=TRIPS)


LINE = {"n": COUNT, "c": floats("N"), "x": floats("N")}
CASES = [
    case("a branch that uses less", {"p": FLAG, "x": floats("N"), "y": floats("N")},
         [branch("z", "p", ["x", "y"], ["a", "b"],
                 [step("r", "mul", ["a", "b"]), step("q", "mul", ["r", "a"])], [step("s", "neg", ["b"])])],
         ["z"], ["x", "y"]),
    case("branches of other extents", {"p": FLAG, "x": floats("N"), "y": floats("M")},
         [branch("z", "p", ["x", "y"], ["a", "b"], [step("r", "mul", ["a", "a"])], [step("s", "mul", ["b", "b"])]),
          step("w", "mul", ["z", "z"])], ["w"], ["x", "y"]),
    case("a branch without a tangent", {"p": FLAG, "x": floats("N"), "y": floats("N")},
         [branch("z", "p", ["x", "y"], ["a", "b"], [step("r", "mul", ["a", "a"])], [step("s", "neg", ["b"])])],
         ["z"], ["x"]),
    case("a power", LINE, [loop(["y"], "n", ["c"], ["x"], [step("r", "mul", ["c", "x"])], ["r"])], ["y"],
         ["c", "x"]),
    case("values that swap", {**LINE, "d": floats("N")},
         [loop(["y", "z"], "n", ["c", "d"], ["x"], [step("r", "mul", ["c", "x"])], ["d", "r"])], ["y", "z"],
         ["c", "d", "x"]),
    case("two values", {**LINE, "d": floats("N")},
         [loop(["y", "z"], "n", ["c", "d"], ["x"], [step("r", "mul", ["c", "d"]), step("s", "add", ["d", "x"])],
               ["r", "s"])], ["y", "z"], ["c", "d", "x"]),
    case("a value that is not read", LINE,
         [loop(["y"], "n", ["c"], ["x"], [step("r", "mul", ["x", "x"])], ["r"]), step("w", "mul", ["y", "x"])],
         ["w"], ["c", "x"]),
    case("a value that grows", {"n": COUNT, "c": floats("N"), "x": floats("M")},
         [loop(["y"], "n", ["c"], ["x"],
               [step("q", "mul", ["c", "c"]), step("r", "concatenate", ["q", "x"], axis=0)], ["r"])],
         ["y"], ["c", "x"]),
    case("a value that shrinks", {"n": COUNT, "c": floats("N"), "k": COUNT},
         [loop(["y"], "n", ["c"], ["k"],
               [step("q", "mul", ["c", "c"]), step("m", "sub", ["k", "i"]),
                step("r", "dynamic_truncate", ["q", "m"], axis=0)], ["r"]), step("w", "mul", ["y", "y"])],
         ["w"], ["c"]),
    case("loops in loops", {**LINE, "m": COUNT},
         [loop(["y"], "n", ["c"], ["x", "m"],
               [loop(["q"], "m", ["c"], ["x"], [step("r", "mul", ["c", "x"])], ["r"]),
                step("z", "add", ["q", "x"])], ["z"])], ["y"], ["c", "x"]),
    case("a loop that hands on what a loop gives", {**LINE, "m": COUNT},
         [loop(["y"], "n", ["c"], ["x", "m"],
               [loop(["q"], "m", ["c"], ["x"], [step("p", "mul", ["c", "c"]), step("r", "mul", ["p", "x"])], ["r"])],
               ["q"])], ["y"], ["c", "x"]),
    case("a branch in a loop", {**LINE, "p": FLAG},
         [loop(["y"], "n", ["c"], ["x", "p"],
               [branch("z", "p", ["c", "x"], ["a", "b"], [step("r", "mul", ["a", "b"])],
                       [step("s", "sub", ["a", "b"])])], ["z"])], ["y"], ["c", "x"]),
    case("turns that are counted", {"t": floats(), "c": floats("N"), "x": floats("N")},
         [turns(["u", "y"], ["t", "c"], ["x"], 4, [step("s", "mul", ["t", "t"]), step("r", "mul", ["c", "x"])],
                ["s", "r"])], ["u", "y"], ["t", "c", "x"]),
    case("turns with a value that grows", {"t": floats(), "c": floats("N"), "x": floats("M")},
         [turns(["u", "y"], ["t", "c"], ["x"], 4,
                [step("s", "mul", ["t", "t"]), step("q", "mul", ["c", "c"]),
                 step("r", "concatenate", ["q", "x"], axis=0)], ["s", "r"])], ["u", "y"], ["t", "c", "x"]),
    case("what is sorted", {"x": floats("N", "M")},
         [step("s", "sort", ["x"], axis=0), step("y", "mul", ["s", "x"]),
          step("z", "cumsum", ["y"], axis=1, reverse=True), step("w", "reverse", ["z"], axes=[0])], ["w"], ["x"]),
]


def main():
    checks = Checks()
    for one in CASES:
        if sys.argv[1:] and one.name not in sys.argv[1:]:
            continue
        reason = ""
        try:
            check(one, BINDINGS, seed=7)
        except Failure as failure:
            reason = f"  {failure}"
        checks.that(not reason, one.name, reason)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
