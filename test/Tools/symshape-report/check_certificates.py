# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the certificates of what is not checked, for random programs.

    check_certificates.py CONSTRAINTS PROGRAMS [SEED]

Each program asserts random relations of its extents, some in branches. Z3 shows each
guard of its report that was dropped, and each requirement that was proved, from what
its certificate names; and on random extents all guards hold exactly where all asserts
do. CONSTRAINTS is the folder of the tests of the fact engine, whose reading of
expressions this uses.
"""

import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import z3

sys.path.insert(0, sys.argv[1])
from check_random import Generator  # noqa: E402
from oracle import Parser  # noqa: E402

NAMES = "abc"
LARGEST = 2**48 - 1
SYMBOLS = {name: z3.Int(name) for name in NAMES}

# Products of one shape with several factors: the largest factor decides.
DOMINATED = ["2*a*b <= 2147483647", "a*b <= 2147483647", "8*a*b <= 2147483647", "a*b*c <= 1000", "3*a*b*c <= 1000"]
IMPLIED = ["32 | a", "16 | a", "8 | a", "a <= b", "b <= c", "a <= c", "a != c", "b == b"]


class Formulas(Parser):
    """Relations under and, or, not."""

    def __init__(self, text):
        super().__init__(text, SYMBOLS.__getitem__)

    def formula(self):
        parts = [self.part()]
        word = self.peek()
        while self.peek() in ("and", "or"):
            assert self.take() == word, "and, or mixed without parentheses"
            parts.append(self.part())
        return z3.Or(parts) if word == "or" else z3.And(parts)

    def part(self):
        if self.peek() == "not":
            self.take()
            return z3.Not(self.part())
        rest = list(self.tokens)
        try:
            return self.relation()
        except (ValueError, KeyError, IndexError):
            self.tokens = rest
        self.take("(")
        inner = self.formula()
        self.take(")")
        return inner


def program_of(relations, rng):
    """A function that asserts them; some only where a is not 3."""
    lines = []
    for i, relation in enumerate(relations):
        line = f'symshape.assert "{relation}", "{i}"'
        lines.append(f"scf.if %other {{ {line} }}" if relation.startswith("if ") else line)
    lines = [line.replace('"if ', '"') for line in lines]
    shape = "#symshape.shape<[a, b, c]>"
    return (f"func.func @main(%x: tensor<?x?x?xf32> {{symshape.shape = {shape}}}) {{\n"
            "  %c0 = arith.constant 0 : index\n  %c3 = arith.constant 3 : index\n"
            "  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>\n  %other = arith.cmpi ne, %a, %c3 : index\n  "
            + "\n  ".join(lines) + "\n  return\n}\n")


def condition_of(relation):
    if relation.startswith("if "):
        return z3.Or(SYMBOLS["a"] == 3, Formulas(relation[3:]).formula())
    return Formulas(relation).formula()


def in_range():
    return [z3.And(symbol >= 0, symbol <= LARGEST) for symbol in SYMBOLS.values()]


def is_shown(facts, goal):
    """True, False, or None where Z3 gives up."""
    solver = z3.Solver()
    solver.set("timeout", 2000)
    solver.add(*in_range(), *facts, z3.Not(goal))
    return {"unsat": True, "sat": False}.get(str(solver.check()))


def value_at(formula, point):
    pairs = [(SYMBOLS[name], z3.IntVal(value)) for name, value in zip(NAMES, point)]
    return z3.is_true(z3.simplify(z3.substitute(formula, pairs)))


def check_certificate(entry, facts, program, counts):
    goal = Formulas(entry["formula"]).formula()
    facts = [Formulas(text).formula() for text in facts]
    shown = is_shown(facts, goal)
    if shown is None:
        shown = False if any(all(value_at(f, point) for f in facts) and not value_at(goal, point)
                             for point in itertools.product(range(7), repeat=len(NAMES))) else None
    assert shown is not False, f"{program}{entry['formula']} is not implied by {entry['impliedBy']}"
    counts["shown" if shown else "undecided"] += 1


def check(relations, rng, folder, counts):
    path = folder / "program.mlir"
    path.write_text(program_of(relations, rng))
    done = subprocess.run(["symshape-report", str(path), "--format=json"], capture_output=True, text=True)
    if done.returncode:
        assert "always fails" in done.stderr or "contradict" in done.stderr, done.stderr
        return
    [function] = json.loads(done.stdout)["functions"]
    guards = [Formulas(guard["formula"]).formula() for guard in function["guards"]]
    texts = [guard["formula"] for guard in function["guards"]]
    for dropped in function["dropped"]:
        assert all(text in texts for text in dropped["impliedBy"]), f"{dropped} names what is no guard"
        check_certificate(dropped, dropped["impliedBy"], path.read_text(), counts)
    for proved in function["proved"]:
        check_certificate(proved, proved["impliedBy"] + proved["ranges"], path.read_text(), counts)
        counts["proved"] += 1
    asserts = [condition_of(relation) for relation in relations]
    for _ in range(40):
        point = [rng.choice([0, 1, 2, 3, 4, 5, 8, 16, 32, 100]) for _ in NAMES]
        given, checked = (all(value_at(f, point) for f in formulas) for formulas in (asserts, guards))
        assert given == checked, f"{path.read_text()}at {point}: asserts {given}, guards {checked}: {texts}"
    return texts


def main():
    programs, seed = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    counts = {"shown": 0, "undecided": 0, "proved": 0}
    with tempfile.TemporaryDirectory() as folder:
        folder, rng = Path(folder), random.Random(seed)
        assert sorted(check(DOMINATED, rng, folder, counts)) == ["3*a*b*c <= 1000", "8*a*b <= 2147483647"]
        assert sorted(check(IMPLIED, rng, folder, counts)) == ["32 | a", "a != c", "a <= b", "b <= c"]
        generator = Generator(seed, linear=False, affine=False)
        for _ in range(programs):
            relations = [rng.choice(["", "", "if "]) + generator.relation(NAMES) for _ in range(rng.randint(2, 8))]
            check([r for r in relations if " p" not in r], rng, folder, counts)
    print(f"{counts['shown']} certificates shown, {counts['undecided']} undecided; {counts['proved']} of proofs")


if __name__ == "__main__":
    main()
