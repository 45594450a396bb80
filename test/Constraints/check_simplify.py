# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random sums of quotients, simplified under facts of what divides what, beside their values.

    check_simplify.py [--problems N] [--seed N]

Facts hold of a drawn point. What symshape-prove makes of a sum has its value at every point of a grid at which the
facts hold, as Python computes both. Ends with counts; exits 1 when a value differs.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS, COLUMNS = range(13), range(-7, 10)


def spell(a, b, c):
    return f"{a}*X + {b}*Y + {c}"


def draw(rng):
    """Facts k | a*X + b*Y + c as (k, a, b, c), and a sum."""
    k, x, y = rng.choice([2, 3, 4, 6]), rng.choice(ROWS), rng.choice(COLUMNS)
    facts = []
    for _ in range(rng.randint(1, 2)):
        divisor, a, b = rng.choice([k, k, 2 * k, 3]), rng.randint(-3, 3), rng.choice([0, 0, 1, 2, -1])
        facts.append((divisor, a, b, divisor * rng.randint(-1, 1) - a * x - b * y))
    terms = []
    for _ in range(rng.randint(1, 3)):
        dividend = spell(rng.randint(-6, 6), rng.choice([0, 0, 1, -2, k]), rng.randint(-7, 7))
        terms.append(f"{rng.choice([k, -k, 2 * k, 1, 3])}*(({dividend}) floordiv {rng.choice([k, k, 2 * k])})"
                     f"{rng.choice(['', '', '*X', '*Y'])}")
    return facts, " + ".join([*terms, f"{rng.randint(-3, 3)}*X"])


def number(text, i):
    return text.replace("X", f"x{i}").replace("Y", f"y{i}")


def simplify(problems):
    lines = []
    for i, (facts, text) in enumerate(problems):
        lines.append("push")
        for name, ends in ("X", ROWS), ("Y", COLUMNS):
            lines.append(number(f"symbol {name} in [{ends[0]}, {ends[-1]}]", i))
        lines += [number(f"assume {k} | {spell(a, b, c)}", i) for k, a, b, c in facts]
        lines += [number(f"simplify {text}", i), "pop"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sums.prove")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run(["symshape-prove", path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [line.replace(f"x{i}", "X").replace(f"y{i}", "Y") for i, line in enumerate(done.stdout.splitlines())]


def evaluate(text, x, y):
    return eval(text.replace("floordiv", "//").replace("mod", "%"), {"X": x, "Y": y, "min": min, "max": max})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    problems = [draw(rng) for _ in range(options.problems)]
    points = shorter = wrong = 0
    for (facts, text), simple in zip(problems, simplify(problems), strict=True):
        shorter += simple.count("floordiv") < text.count("floordiv")
        holding = [(x, y) for x in ROWS for y in COLUMNS if all((a * x + b * y + c) % k == 0 for k, a, b, c in facts)]
        points += len(holding)
        different = [(x, y) for x, y in holding if evaluate(text, x, y) != evaluate(simple, x, y)]
        wrong += bool(different)
        if different:
            print(f"{text} is not {simple} at {different[0]}, where {facts} hold")
    print(f"{len(problems)} sums, {points} values, {shorter} with fewer divisions, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
