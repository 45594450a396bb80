# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""P4: the checks at entry, and the choice among versions, per call.

The conditions of a convolution network at several resolutions, as facts that a
signature declares: chains of halved heights and widths, sizes, strides, numbers of
elements below 2^31. Compiled with the program; by hand in C, all of them; and as a
Python lambda. Then the time to find out which of them are needed.
"""

import ctypes
import re
import statistics
import subprocess
import time

from targets import CHECK_NANOSECONDS

LEVELS = 5
NUMBERS = [20, 150]
MINIMISED = [20, 150, 500, 1000]
CALLS = 200_000
VERSIONS = ["H == 1", "H <= 8", "16 | H", "64 | H", "W == 1", "W <= 8, 2 | H", "16 | H, 16 | W", "H == W"]


def conditions(number):
    """(names of extents, texts of facts, values that meet them), ten facts per level of a resolution."""
    names, facts, values = [], [], []
    resolution = 0
    while len(facts) < number:
        height, width = 224 + 32 * (resolution % 20), 320 + 64 * (resolution % 9)
        h, w = f"H{resolution}", f"W{resolution}"
        names += [h, w]
        values += [height, width]
        for level in range(1, LEVELS + 1):
            if len(facts) >= number:
                break
            height, width = (height - 1) // 2 + 1, (width - 1) // 2 + 1
            below, right = f"H{resolution}l{level}", f"W{resolution}l{level}"
            names += [below, right]
            values += [height, width]
            channels = 16 << level
            facts += [f"{below} == ({h} - 1) floordiv 2 + 1", f"{right} == ({w} - 1) floordiv 2 + 1",
                      f"{below} >= 1", f"{right} >= 1", f"2*{below} <= {h} + 1", f"2*{right} <= {w} + 1",
                      f"{channels}*{below}*{right} <= 2147483647", f"16*{below}*{right} <= 2147483647",
                      f"{below} <= 4096", f"{right} <= 4096"]
            h, w = below, right
        resolution += 1
    return names, facts[:number], values


def program(names, facts, versions=()):
    """A function of one tensor per extent, which the facts are about."""
    arguments = ", ".join(f"%a{i}: tensor<?xi8> {{symshape.shape = #symshape.shape<[{name}]>}}"
                          for i, name in enumerate(names))
    attributes = []
    if facts:
        attributes.append("symshape.assume = [" + ", ".join(f'#symshape.fact<"{fact}">' for fact in facts) + "]")
    if versions:
        attributes.append("symshape.versions = [" + ", ".join(
            f'#symshape.version<"v{i}", [{", ".join(chr(34) + c.strip() + chr(34) for c in text.split(","))}]>'
            for i, text in enumerate(versions)) + "]")
    return f"""func.func @main({arguments}) -> index
    attributes {{{", ".join(attributes)}}} {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a0, %c0 : tensor<?xi8>
  return %n : index
}}
"""


def in_python(fact):
    return fact.replace("floordiv", "//")


def in_c(fact):
    """All operands are positive here, where C divides as the facts do."""
    return fact.replace("floordiv", "/")


class GuardBench:
    def __init__(self, bench):
        self.bench, self.tools = bench, bench.build / "bin"

    def native(self, name, text, values):
        """ns of the checks of one call, and how many there are."""
        path = self.bench.out / f"{name}.mlir"
        path.write_text(text)
        inputs = [f"--input={value}xi8=zeros" for value in values]
        times = []
        for _ in range(self.bench.rounds):
            done = subprocess.run([self.tools / "symshape-run", path, "--verbose", *inputs],
                                  capture_output=True, text=True, check=True)
            times.append(float(re.search(r"checks ([\d.]+) ns", done.stdout + done.stderr)[1]))
        opt = subprocess.run([self.tools / "symshape-opt", path, "--symshape-insert-guards"],
                             capture_output=True, text=True, check=True)
        messages = re.search(r"symshape\.messages = \[(.*)\]}", opt.stdout)
        return statistics.median(times), messages[1].count('"@main: ') if messages else 0

    def by_hand(self, names, facts, values):
        """ns of a C function of all the conditions."""
        source, library = (self.bench.out / f"guards-{len(facts)}.{end}" for end in ("c", "so"))
        parameters = ", ".join(f"int64_t {name}" for name in names)
        tests = "\n".join(f"  if (!({in_c(fact)})) return {i};" for i, fact in enumerate(facts))
        source.write_text(f"""#include <stdint.h>
__attribute__((noinline)) int guard({parameters}) {{
{tests}
  return -1;
}}
int run(volatile const int64_t *v, int64_t calls) {{
  int sum = 0;
  for (int64_t i = 0; i < calls; ++i)
    sum += guard({", ".join(f"v[{i}]" for i in range(len(names)))});
  return sum;
}}
""")
        subprocess.run(["clang-22", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True)
        run = ctypes.CDLL(str(library)).run
        memory = (ctypes.c_int64 * len(values))(*values)
        times = []
        for _ in range(self.bench.rounds):
            start = time.perf_counter()
            result = run(memory, ctypes.c_int64(CALLS))
            times.append((time.perf_counter() - start) / CALLS * 1e9)
        assert result == -CALLS
        return statistics.median(times)

    def in_lambda(self, names, facts, values):
        check = eval(f"lambda {', '.join(names)}: " + " and ".join(f"({in_python(fact)})" for fact in facts))
        assert check(*values)
        times = []
        for _ in range(self.bench.rounds):
            start = time.perf_counter()
            for _ in range(1000):
                check(*values)
            times.append((time.perf_counter() - start) / 1000 * 1e9)
        return statistics.median(times)

    def minimisation(self, number):
        """Seconds of symshape-insert-guards, and the guards that are left."""
        names, facts, _ = conditions(number)
        path = self.bench.out / f"minimise-{number}.mlir"
        path.write_text(program(names, facts))
        done = subprocess.run([self.tools / "symshape-opt", path, "--symshape-insert-guards", "--mlir-timing",
                               "--mlir-timing-display=list"], capture_output=True, text=True, check=True)
        seconds = re.search(r"([\d.]+) \([ \d.]+%\)\s+InsertGuardsPass", done.stderr)[1]
        return float(seconds), done.stdout.split("symshape.messages")[1].split("]}")[0].count('"@main: ')

    def run(self):
        rows = []
        for number in NUMBERS:
            names, facts, values = conditions(number)
            native, guards = self.native(f"guards-{number}", program(names, facts), values)
            rows.append({"entry": f"{number} conditions", "checks": guards, "symshape": native,
                         "C": self.by_hand(names, facts, values), "Python": self.in_lambda(names, facts, values)})
        native, _ = self.native("versions-8", program(["H", "W"], [], VERSIONS), [48, 80])
        rows.append({"entry": "choice among 8 versions", "symshape": native})
        minimised = [{"conditions": number, **dict(zip(("seconds", "checks"), self.minimisation(number)))}
                     for number in MINIMISED]
        return {"rows": rows, "minimisation": minimised}


def report(result):
    print("\nP4 checks at entry, ns per call")
    print(f"  {'':<26}{'checks':>8}{'symshape':>10}{'C, all':>9}{'Python':>9}")
    for row in result["rows"]:
        target = CHECK_NANOSECONDS[row["entry"]]
        verdict = "met" if row["symshape"] <= target else "missed"
        cells = [f"{row[key]:.1f}" if key in row else "" for key in ("symshape", "C", "Python")]
        print(f"  {row['entry']:<26}{row.get('checks', ''):>8}{cells[0]:>10}{cells[1]:>9}{cells[2]:>9}"
              f"  target {target}: {verdict}")
    for row in result["minimisation"]:
        print(f"  {row['conditions']:>5} conditions: {row['checks']} are needed, found in {row['seconds']:.3f} s")
