# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fact engine and the analysis: times, memory, and counts of instructions.

    bench_facts.py [--build FOLDER] [--json=FILE [--times]]

Upstream's ValueBounds is asked the same in the same process, at the sizes that it
ends at within half a minute. Counts of instructions repeat on a noisy machine. With
`--json`, results are written as bench.py writes them; with `--times`, only those of the
questions that upstream is asked too.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import analysis_programs
import targets

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "utils"))
import contest  # noqa: E402

PROBLEMS = Path(__file__).resolve().parent.parent / "test" / "Constraints"
SEED = 1
COUNT = targets.ENTAILMENTS
# What upstream is asked, too: it takes more than exponentially longer beyond.
WITH_UPSTREAM = [("pads", 400), ("loops", 64), ("selects", 64), ("branches", 48)]
ALONE = [("selects", 128), ("pads", 40_000), ("symbolic_pads", 40_000)]
MEMORY = [10_000, 20_000, 40_000]
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


class FactBench:
    def __init__(self, build):
        self.tool = build / "bin" / "symshape-bench"
        self.prove = build / "bin" / "symshape-prove"
        self.opt = build / "bin" / "symshape-opt"
        self.out = build / "bench"
        self.out.mkdir(parents=True, exist_ok=True)
        self.entailments = self.out / "entailments.prove"
        self.result = {}

    def program(self, kind, size):
        path = self.out / f"{kind}-{size}.mlir"
        path.write_text(analysis_programs.text(kind, size))
        return path

    def times(self, alone=ALONE):
        command = [self.tool, f"--count={COUNT}", f"--seed={SEED}", "--benchmark_format=json"]
        command += [f"--with-upstream={self.program(*p)}" for p in WITH_UPSTREAM]
        command += [f"--program={self.program(*p)}" for p in alone]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"bench: {self.tool} failed\n{done.stderr}")
        self.result["times"] = {b["name"].replace("/manual_time", ""): b
                                for b in json.loads(done.stdout)["benchmarks"]}

    def memory(self):
        """Peak resident megabytes of the whole tool, per program size."""
        self.result["memory_mb"] = {}
        for kind in ("pads", "symbolic_pads"):
            for size in MEMORY:
                command = [self.opt, self.program(kind, size), "--symshape-infer-shapes", "-o", os.devnull]
                # A child counts what its parent had when it began: the parent is a small process.
                done = subprocess.run([sys.executable, "-c", PEAK, *command], capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
                self.result["memory_mb"][f"{kind}-{size}"] = int(done.stdout) / 1024

    def confirm(self):
        """What Z3 says of the entailments and of our answers."""
        self.entailments.write_text(subprocess.run(
            [self.tool, "--print-entailments", f"--count={COUNT}", f"--seed={SEED}"],
            capture_output=True, text=True, check=True).stdout)
        path = os.pathsep.join([str(self.prove.parent.resolve()), os.environ["PATH"]])
        done = subprocess.run([sys.executable, PROBLEMS / "check_problems.py", self.entailments],
                              capture_output=True, text=True, env=dict(os.environ, PATH=path))
        if done.returncode:
            sys.exit(f"bench: Z3 disagrees\n{done.stdout}{done.stderr}")
        self.result["confirmed"] = done.stdout.splitlines()[-1]

    def instructions(self):
        """Of fixed problem files, without those that an empty one takes."""
        empty = self.count(os.devnull)
        self.result["instructions"] = {path.name: self.count(path) - empty
                                       for path in [*sorted(PROBLEMS.glob("*.prove")), self.entailments]}

    def count(self, path):
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", self.prove, path]
        done = subprocess.run(command, capture_output=True, text=True)
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not collected:
            sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
        return int(collected[1])

    def run(self):
        self.confirm()
        self.times()
        self.memory()
        self.instructions()
        return self.result


def report(result):
    times = result["times"]
    entailments = times["entailments"]
    print(f"\nP1 {COUNT} random entailments (seed {SEED}), microseconds each")
    print(f"  Z3 on these: {result['confirmed']}")
    print(f"  right: {entailments['right']:.1%}; facts stated in {entailments['assume']:.1f}, asked"
          f" {entailments['cold']:.1f}, asked again {entailments['memoised']:.2f}")
    for group in ("tier", "kind"):
        names = [name for name in entailments if name.startswith(group + " ") and not name.endswith(", share")]
        for name in sorted(names, key=lambda n: -entailments[n + ", share"]):
            print(f"  {name:<28}{entailments[name + ', share']:>7.1%}{entailments[name]:>10.1f}")
    for name in ("chain of 200", "sum of 200"):
        row = times[name]
        print(f"  {name}: stated and asked in {(row['assume'] + row['cold']) / 1e3:.2f} ms")
    print("\nP2 analysis, ms; upstream's ValueBounds in the same process")
    for name, row in times.items():
        if name.endswith("/symshape"):
            upstream = times.get(name.replace("/symshape", "/upstream"))
            beside = (f"{upstream['real_time']:>12.0f}{upstream['real_time'] / row['real_time']:>10.0f} x"
                      if upstream else "")
            print(f"  {name.removesuffix('/symshape'):<24}{row['real_time']:>10.2f}{beside}"
                  f"   answered {row['answered']:.0f}")
    print("\n(g) peak memory of symshape-opt --symshape-infer-shapes, MB")
    for name, value in result["memory_mb"].items():
        print(f"  {name:<24}{value:>10.0f}")
    print("\n(h) instructions of symshape-prove, millions")
    for name, value in result["instructions"].items():
        print(f"  {name:<24}{value / 1e6:>10.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--times", action="store_true", help="only times beside upstream's")
    args = parser.parse_args()
    bench = FactBench(args.build)
    if args.times:
        bench.times(alone=[])
    else:
        report(bench.run())
    result = {"machine": contest.machine(), "facts": bench.result}
    targets.report(result)
    if args.json:
        args.json.write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
