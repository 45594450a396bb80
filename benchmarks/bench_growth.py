# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Growth: ten times as many facts, or guards, take at most fifteen times as long.

Chains and stars of facts, with questions about far ends, and programs whose ops need
guards that share one extent, or that share nothing. The check that runs with the tests
counts steps (ConstraintSetScaleTest.cpp); here it is time, of a whole process.

    bench_growth.py [--build FOLDER] [--quick]
"""

import argparse
import random
import re
import resource
import signal
import subprocess
from pathlib import Path

import targets
from targets import GROWTH_TENFOLD

SIZES, QUICK_SIZES = (1000, 10_000), (200, 2000)
QUESTIONS = 20
LIMIT = 60  # processor seconds for one run; what takes longer counts as this long, and nothing is found


def limit_processor():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))


def facts_of(each):
    return lambda n: [fact for i in range(n) for fact in each(i)]


# (facts, question about the ends i < j)
FACTS = {
    "x <= x'": (facts_of(lambda i: [f"x{i} <= x{i + 1}"]), "x{i} <= x{j}"),
    "x == x'": (facts_of(lambda i: [f"x{i} == x{i + 1}"]), "x{i} == x{j}"),
    "x' == x + 1": (facts_of(lambda i: [f"x{i + 1} == x{i} + 1"]), "x{j} == x{i} + {d}"),
    "x' == min(x + 1, y')": (facts_of(lambda i: [f"x{i + 1} == min(x{i} + 1, y{i})"]), "x{j} <= x{i} + {d}"),
    "x' == min(x + 1, y)": (facts_of(lambda i: [f"x{i + 1} == min(x{i} + 1, y)"]), "x{j} <= x{i} + {d}"),
    "x' == max(x, y')": (facts_of(lambda i: [f"x{i + 1} == max(x{i}, y{i})"]), "x{i} <= x{j}"),
    "x' == 2*y + 1, x <= y": (facts_of(lambda i: [f"x{i + 1} == 2*y{i} + 1", f"x{i} <= y{i}"]), "x{i} <= x{j}"),
    "2*x <= x'": (facts_of(lambda i: [f"2*x{i} <= x{i + 1}"]), "x{i} <= x{j}"),
    "x' == (x + 1) floordiv 2": (
        facts_of(lambda i: [f"x{i + 1} == (x{i} + 1) floordiv 2"]), "x{j} <= x{i} + 1"),
    "k | x": (facts_of(lambda i: [f"k | x{i}"]), "k | x{i} + x{j}"),
    "x' == x + k": (facts_of(lambda i: [f"x{i + 1} == x{i} + k"]), "x{j} == x{i} + {d}*k"),
    "x == max(y, 1)": (facts_of(lambda i: [f"x{i} == max(y{i}, 1)"]), "1 <= x{i}"),
    "x*h == x'*h": (facts_of(lambda i: [f"x{i}*h == x{i + 1}*h"]), "x{i}*h == x{j}*h"),
    "x != i": (facts_of(lambda i: [f"x != {i}"]), "x != {j}"),
    "x*y <= m, x == t, y == u": (
        facts_of(lambda i: [f"x{i}*y{i} <= m", f"x{i} == t", f"y{i} == u"]), "t*u == x{i}*y{j}"),
    "x <= y": (facts_of(lambda i: [f"x{i} <= y"]), "x{i} <= y"),
    "h <= x <= x', x <= t": (facts_of(lambda i: [f"x{i} <= x{i + 1}", f"h <= x{i}", f"x{i} <= t"]), "x{i} <= x{j}"),
}


def problem(family, n):
    make, question = FACTS[family]
    chance = random.Random(n)
    lines = [f"assume {fact}" for fact in make(n)]
    for _ in range(QUESTIONS):
        i, j = sorted(chance.sample(range(n), 2))
        lines.append("prove " + question.format(i=i, j=j, d=j - i))
    return "\n".join(lines) + "\n"


def program(n, shared, each):
    """A function of n tensors and what they are taken from, with ops that need guards."""
    arguments = shared + [f"%a{i}: tensor<?x?xi8>" for i in range(n)]
    return "\n".join([f"func.func @main({', '.join(arguments)}) {{", "  %c0 = arith.constant 0 : index",
                      "  %c1 = arith.constant 1 : index"] + [
        f"  %m{i} = tensor.dim %a{i}, %c0 : tensor<?x?xi8>\n  %n{i} = tensor.dim %a{i}, %c1 : tensor<?x?xi8>\n"
        + each(i) for i in range(n)] + ["  return", "}"]) + "\n"


def slices(n):
    return program(n, ["%t: tensor<?xf32>"], lambda i: (
        f"  %s{i} = tensor.extract_slice %t[%m{i}] [%n{i}] [1] : tensor<?xf32> to tensor<?xf32>"))


def apart(n):
    return program(n, [f"%b{i}: tensor<?xf32>" for i in range(n)], lambda i: (
        f"  %s{i} = tensor.extract_slice %b{i}[%m{i}] [%n{i}] [1] : tensor<?xf32> to tensor<?xf32>"))


def checks(n):
    return program(n, ["%t: tensor<?xf32>"] + [f"%o{i}: index, %z{i}: index" for i in range(n)], lambda i: (
        f"  %s{i} = tensor.extract_slice %t[%o{i}] [%z{i}] [1] : tensor<?xf32> to tensor<?xf32>"))


def views(n):
    return program(n, [], lambda i: (
        f"  %d{i} = arith.constant 8 : index\n"
        f"  %q{i} = arith.divui %n{i}, %d{i} : index\n"
        f"  %s{i} = tensor.expand_shape %a{i} [[0], [1, 2]] output_shape [%m{i}, %q{i}, 8]"
        " : tensor<?x?xi8> into tensor<?x?x8xi8>"))


def sums(n):
    return program(n, ["%t: tensor<?x?xi8>"], lambda i: (
        f"  %s{i} = linalg.add ins(%t, %a{i} : tensor<?x?xi8>, tensor<?x?xi8>)"
        " outs(%t : tensor<?x?xi8>) -> tensor<?x?xi8>"))


PROGRAMS = {"slices of one tensor": slices, "slices of many tensors": apart, "slices at index values": checks,
            "views as [m, n/8, 8]": views, "sums with one tensor": sums}


class GrowthBench:
    def __init__(self, build, quick):
        self.tools, self.out = build / "bin", build / "bench"
        self.out.mkdir(parents=True, exist_ok=True)
        self.sizes = QUICK_SIZES if quick else SIZES

    def seconds(self, command):
        """Processor seconds, and what was printed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_processor)
        if done.returncode == -signal.SIGXCPU:
            return LIMIT, ""
        done.check_returncode()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def row(self, kind, entry, measure):
        pairs = [measure(n) for n in self.sizes]
        return {"kind": kind, "entry": entry, "seconds": [pair[0] for pair in pairs],
                "found": [pair[1] for pair in pairs], "ratio": pairs[1][0] / pairs[0][0]}

    def facts(self, family, n):
        path = self.out / "growth.prove"
        path.write_text(problem(family, n))
        seconds, text = self.seconds([self.tools / "symshape-prove", path])
        return seconds, text.splitlines().count("yes")

    def guards(self, make, n):
        path = self.out / "growth.mlir"
        path.write_text(make(n))
        seconds, text = self.seconds([self.tools / "symshape-opt", path, "--symshape-insert-guards"])
        messages = re.search(r"symshape\.messages = \[(.*)\]}", text)
        return seconds, messages[1].count('"@main: ') if messages else 0

    def run(self):
        rows = [self.row("facts", family, lambda n, f=family: self.facts(f, n)) for family in FACTS]
        rows += [self.row("guards", name, lambda n, m=make: self.guards(m, n)) for name, make in PROGRAMS.items()]
        return {"sizes": self.sizes, "rows": rows}


def report(result):
    small, large = result["sizes"]
    print(f"\nGrowth, seconds of {small} and of {large}; of facts, questions of {QUESTIONS} decided; guards")
    for row in result["rows"]:
        times = "".join(f"{seconds:>9.2f}" for seconds in row["seconds"])
        found = "".join(f"{found:>7}" for found in row["found"])
        verdict = "met" if row["ratio"] <= GROWTH_TENFOLD and max(row["seconds"]) < LIMIT else "missed"
        print(f"  {row['kind']:<7} {row['entry']:<26}{times}{row['ratio']:>7.1f} x{found}"
              f"  target {GROWTH_TENFOLD}: {verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--quick", action="store_true", help="a fifth of the sizes")
    args = parser.parse_args()
    result = {"growth": GrowthBench(args.build, args.quick).run()}
    report(result["growth"])
    targets.report(result)


if __name__ == "__main__":
    main()
