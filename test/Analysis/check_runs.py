# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, compiled: after all passes they compute what an interpretation does.

    check_runs.py [--seed N] [--programs N] [--least SHARE] [--show]

Runs that have no meaning (a division by zero, a failed assertion) are not made: a program
that has no other run ends before the op that has none. A guard or check that fails in a run
that has a meaning is a failure, and so is a program that is not compiled, unless upstream
cannot (`is_refusal_expected`). Fails as well if fewer than SHARE of the programs are compiled
and run (default: 0.8). With --show, what is refused is printed.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from programs import tensors
from programs.basics import Undefined, run_all
from programs.carried import MADE, SEEN, missing
from programs.casts import are_casts_made
from programs.regions import Generator

CALLS = 6
TIMEOUT = 60  # seconds for all calls of a program, which takes a tenth of one
tensors.MAX_ELEMENTS = 2**26  # runs have all of them in memory


def is_refusal_expected(text, message):
    """Branches and loops of affine that yield tensors are not bufferized upstream."""
    return bool(re.search(r"can lower, but got .affine\.(if|for)", message)) and re.search(r"affine\.(if|for) .*tensor<", text)


class Program:
    """A function that returns the last index values of its body."""

    def __init__(self, seed):
        generator = Generator(seed)
        self.function = generator.function("main")
        self.values = [v for v in generator.levels[0] if v.type == "index" and not v.name.startswith("%arg")]
        self.results = self.values[-6:]

    def text(self):
        lines = [line for line in self.function.text().split("\n") if "probe.at" not in line]
        types = ", ".join("index" for _ in self.results)
        lines[0] = lines[0].replace(") {", f") -> ({types}) {{")
        lines[-2] = f"  return {', '.join(v.name for v in self.results)} : {types}"
        return "\n".join(lines)

    def run(self, inputs):
        """The values after a run, and how many of the ops of the body it has got through."""
        env = {a.name: value for a, value in zip(self.function.arguments, inputs)}
        for number, op in enumerate(self.function.ops):
            try:
                run_all([op], env, [])
            except Undefined:
                return env, number
        return env, len(self.function.ops)

    def calls(self, choose):
        """Up to CALLS pairs of inputs, as symshape-run reads them, and results."""
        tried = [self.function.random_inputs(choose) for _ in range(200)]
        ends = [self.run(inputs)[1] for inputs in tried]
        if max(ends) < len(self.function.ops):
            self.function.ops = self.function.ops[:max(ends)]
            defined = self.run(tried[ends.index(max(ends))])[0]
            self.results = [v for v in self.values if v.name in defined][-6:]
        whole = [inputs for inputs, end in zip(tried, ends) if end == max(ends)][:CALLS]
        found = []
        for inputs in whole if self.results else []:
            env, _ = self.run(inputs)
            words = ["x".join(map(str, value)) + "xf32=zeros" if isinstance(value, tuple) else f"index={value}"
                     for value in inputs]
            found.append((" ".join(words), [env[v.name] for v in self.results]))
        return found


def run(program, calls, folder):
    """(outcome, details)."""
    text = program.text()
    (folder / "main.mlir").write_text(text)
    (folder / "calls").write_text("".join(words + "\n" for words, _ in calls))
    command = ["symshape-run", str(folder / "main.mlir"), f"--calls={folder / 'calls'}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "wrong", f"{calls}\nnot done after {TIMEOUT} s"
    if done.returncode == 1:
        return "refused as expected" if is_refusal_expected(text, done.stderr) else "refused", done.stderr
    seen = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("index:")]
    expected = [value for _, results in calls for value in results]
    if done.returncode or seen != expected:
        return "wrong", f"{calls}\nexit status {done.returncode}, saw {seen}\n{done.stderr}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--least", type=float, default=0.8, help="of the programs must be compiled and run")
    parser.add_argument("--show", action="store_true", help="print what is refused as expected, too")
    args = parser.parse_args()
    outcomes, runs = Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.programs):
            program = Program(args.seed * 1000003 + i)
            calls = program.calls(random.Random(args.seed + i))
            outcome, details = run(program, calls, Path(folder)) if calls else ("without a run", "")
            outcomes[outcome] += 1
            runs += len(calls) if outcome == "right" else 0
            if outcome in ("wrong", "refused") or (args.show and outcome == "refused as expected"):
                print(f"{program.text()}\n{outcome}: {details}")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) + f"; {runs} runs")
    few = missing(args.programs, args.programs * CALLS)
    print("made: " + ", ".join(f"{n} of {what}" for what, n in sorted(MADE.items())))
    print("seen: " + ", ".join(f"{n} of {what}" for what, n in sorted(SEEN.items())))
    print("".join(f"too few: {what}\n" for what in few), end="")
    too_few = outcomes["right"] < args.least * args.programs
    is_complete = are_casts_made(args.programs) and not few
    return 1 if outcomes["wrong"] or outcomes["refused"] or too_few or not is_complete else 0


if __name__ == "__main__":
    sys.exit(main())
