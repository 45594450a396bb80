# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: what is claimed of their values is what runs see.

    check_programs.py PLUGIN [--seed N] [--programs N] [--runs N] [--no-wrap] [--show]

Bounds, residues, comparisons, conditions, and bounds in terms of the arguments, at
probes inside of branches and loops, are compared with an interpretation of the same
programs at small inputs, and some at the ends of their type. With --no-wrap, claims are
those of assume-no-wrap, and a run ends where an index wraps.
"""

import argparse
import ast
import json
import operator
import random
import re
import subprocess
import sys
from collections import Counter

from programs.carried import MADE, SEEN, missing
from programs.casts import are_casts_made
from programs.regions import Generator


def claims_of(functions, plugin, no_wrap):
    """What the analysis prints: per function and probe, a list of claims."""
    text = "\n".join(f.text() for f in functions)
    option = "{assume-no-wrap}" if no_wrap else ""
    done = subprocess.run(
        ["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
         "--allow-unregistered-dialect", "-o", "/dev/null",
         f"--pass-pipeline=builtin.module(symshape-print-claims{option})"],
        input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mlir-opt-22 failed: {done.stderr[:4000]}")
    claims = {}
    for line in done.stdout.splitlines():
        function, probe, *rest = json.loads(line)
        claims[function, probe] = rest
    return claims


class Divide(ast.NodeTransformer):
    """Makes divisions calls of `divide` and `modulo`."""

    def visit_BinOp(self, node):  # noqa: N802, the name that ast calls
        self.generic_visit(node)
        name = {ast.FloorDiv: "divide", ast.Mod: "modulo"}.get(type(node.op))
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []) if name else node


def evaluate(text, names):
    """Values of an expression over `arg0`, `arg1_0`; Python divides as the engine does.

    It is one value, unless the expression divides by zero: the engine takes the quotient for any number,
    so what it claims must hold for each that is tried.
    """
    python = re.sub(r"\bfloordiv\b", "//", re.sub(r"\bmod\b", "%", text))
    calls = {"__builtins__": {}, "min": min, "max": max, "bc": lambda a, b: b if a == 1 else a}
    try:
        return [eval(python, calls, names)]
    except ZeroDivisionError:
        divided = compile(ast.fix_missing_locations(Divide().visit(ast.parse(python, mode="eval"))), "claim", "eval")
    return [eval(divided, {**calls, "divide": lambda a, b, x=x: a // b if b else x,
                           "modulo": lambda a, b, x=x: a % b if b else x}, names)
            for x in (-(1 << 70), -1, 0, 1, 1 << 70)]


def holds(claim, quantities, conditions, names):
    """Whether what a run saw agrees with a claim."""
    kind, *details = claim
    if kind == "unreachable":
        return False
    if kind == "condition":
        return conditions[details[0]] == details[1]
    value = quantities[details[0]]
    if kind in ("<", "<=", "=="):
        other = quantities[details[1]]
        return {"<": value < other, "<=": value <= other, "==": value == other}[kind] == details[2]
    if kind == "residue":
        remainder, modulus = int(details[1]), int(details[2])
        return value == remainder if modulus == 0 else value % modulus == remainder
    compare = {"at least": operator.ge, "lower": operator.ge, "equal": operator.eq, "at most": operator.le,
               "upper": operator.le}[kind]
    return all(compare(value, bound) for bound in evaluate(details[1], names))


def argument_names(function, inputs):
    names = {}
    for i, value in enumerate(inputs):
        if isinstance(value, tuple):
            names.update({f"arg{i}_{d}": extent for d, extent in enumerate(value)})
        else:
            names[f"arg{i}"] = value
    return names


def check(function, claims, runs, choose, counts):
    """The first claim that a run contradicts, or None."""
    for _ in range(runs):
        inputs = function.random_inputs(choose)
        names = argument_names(function, inputs)
        for probe, quantities, conditions in function.run(inputs):
            counts["visits"] += 1
            for claim in claims.get((function.name, probe), []):
                counts["comparisons"] += 1
                if not holds(claim, quantities, conditions, names):
                    return (f"{function.text()}\ninputs {inputs}: probe {probe} saw {quantities} {conditions}, "
                            f"claimed {claim}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--no-wrap", action="store_true", help="read index arithmetic as that of integers")
    parser.add_argument("--show", action="store_true", help="print the programs and the claims")
    args = parser.parse_args()
    functions = [Generator(args.seed * 1000003 + i, args.no_wrap).function(f"f{i}") for i in range(args.programs)]
    claims = claims_of(functions, args.plugin, args.no_wrap)
    if args.show:
        for function in functions:
            print(function.text())
            for (name, probe), made in claims.items():
                if name == function.name:
                    print(probe, made)
    counts, failures = Counter(), []
    for i, function in enumerate(functions):
        failure = check(function, claims, args.runs, random.Random(args.seed + i), counts)
        if failure:
            failures.append(failure)
            print(failure + "\n")
    counts["claims"] = sum(len(made) for made in claims.values())
    print(f"{len(functions)} programs, {counts['claims']} claims, compared {counts['comparisons']} times at "
          f"{counts['visits']} visits of probes, {len(failures)} failures")
    few = missing(args.programs, args.programs * args.runs)
    print("made: " + ", ".join(f"{n} of {what}" for what, n in sorted(MADE.items())))
    print("seen: " + ", ".join(f"{n} of {what}" for what, n in sorted(SEEN.items())))
    print("".join(f"too few: {what}\n" for what in few), end="")
    is_complete = are_casts_made(args.programs) and not few
    return 1 if failures or not counts["comparisons"] or not is_complete else 0


if __name__ == "__main__":
    sys.exit(main())
