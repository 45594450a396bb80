# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, compiled: after all passes they compute what an interpretation does.

    check_runs.py [--seed N] [--programs N] [--show]

Runs that have no meaning (a division by zero, a failed assertion) are not made; a guard
or check that fails in one that has is a failure. What the compiler refuses is counted;
with --show, its message is printed.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from programs.basics import Undefined, run_all
from programs.regions import Generator

CALLS = 6


class Program:
    """A function that returns the last index values of its body."""

    def __init__(self, seed):
        generator = Generator(seed)
        self.function = generator.function("main")
        self.results = [v for v in generator.levels[0] if v.type == "index" and not v.name.startswith("%arg")][-6:]

    def text(self):
        lines = [line for line in self.function.text().split("\n") if "probe.at" not in line]
        types = ", ".join("index" for _ in self.results)
        lines[0] = lines[0].replace(") {", f") -> ({types}) {{")
        lines[-2] = f"  return {', '.join(v.name for v in self.results)} : {types}"
        return "\n".join(lines)

    def calls(self, choose):
        """Up to CALLS pairs of inputs, as symshape-run reads them, and results."""
        found = []
        for _ in range(200):
            inputs = self.function.random_inputs(choose)
            env = {a.name: value for a, value in zip(self.function.arguments, inputs)}
            try:
                run_all(self.function.ops, env, [])
            except Undefined:
                continue
            words = ["x".join(map(str, value)) + "xf32=zeros" if isinstance(value, tuple) else f"index={value}"
                     for value in inputs]
            found.append((" ".join(words), [env[v.name] for v in self.results]))
            if len(found) == CALLS:
                break
        return found


def run(program, calls, folder):
    """(outcome, details)."""
    (folder / "main.mlir").write_text(program.text())
    (folder / "calls").write_text("".join(words + "\n" for words, _ in calls))
    done = subprocess.run(["symshape-run", str(folder / "main.mlir"), f"--calls={folder / 'calls'}"],
                          capture_output=True, text=True)
    if done.returncode == 1:
        return "refused", done.stderr
    seen = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("index:")]
    expected = [value for _, results in calls for value in results]
    if done.returncode or seen != expected:
        return "wrong", f"{calls}\nsaw {seen}\n{done.stderr}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--show", action="store_true", help="print why programs are refused")
    args = parser.parse_args()
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.programs):
            program = Program(args.seed * 1000003 + i)
            calls = program.calls(random.Random(args.seed + i)) if program.results else []
            outcome, details = run(program, calls, Path(folder)) if calls else ("without a run", "")
            outcomes[outcome] += 1
            if outcome == "wrong" or (args.show and outcome == "refused"):
                print(f"{program.text()}\n{outcome}: {details}")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    return 1 if outcomes["wrong"] or not outcomes["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
