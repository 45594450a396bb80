# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo: a published sentence encoder, compiled once, run at many shapes.

Run by `./bootstrap demo`. Prints what was compiled, proved, checked and computed,
beside the results of the published model, and exits 1 when something is not as
the summary says.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "benchmarks")]

import numpy as np

import model
import symrun

TOLERANCE = 5e-6
PROGRAM = HERE / "minilm.mlir"


class Demo:
    def __init__(self, build):
        self.build = build
        self.tool = build / "bin" / "symshape-run"
        self.weights = f"--weights={model.weights_file(build)}"
        self.failures = []

    def expect(self, condition, what):
        if not condition:
            self.failures.append(what)

    def run(self, calls, *options):
        return symrun.run(PROGRAM, calls, tool=self.tool, entry="encode",
                          options=[self.weights, *options])

    def checks(self):
        """Prints what was proved of the program, and each guard that is left."""
        command = [self.build / "bin" / "symshape-opt", PROGRAM, "--symshape-shapes",
                   "--remarks-filter=symshape-insert-guards", "--remark-policy=all",
                   "--remark-format=emitRemark"]
        done = subprocess.run(command, capture_output=True, text=True)
        print("\n== What was proved, and what is checked ==")
        summary = re.search(r'Remark="(.* requirements proved, .*)"', done.stderr)
        print(f"  {summary[1] if summary else 'no summary'}")
        messages = re.search(r"symshape\.messages = \[(.*)\]}", done.stdout)
        guards = re.findall(r'"@encode: guard failed: (.*?)"', messages[1]) if messages else []
        for guard in guards:
            print("  checked: " + re.sub(r" ?\(?\{\d+\}\)?| = \{\d+\}", "", guard).split("\\0A")[0])
        self.expect(done.returncode == 0 and summary and guards, "the guards of the program are known")

    def make_calls(self):
        """(name, ids, mask, expected) of every call of the main run."""
        rows, expected = model.reference()
        tokens = model.tokenize(self.build, model.sentences())
        self.expect(tokens == [[int(i) for i in row] for row in rows],
                    "the tokenizer gives the ids of the reference")
        longest = max(len(row) for row in tokens)
        calls = [(f"12 sentences, {len(tokens)} x {longest}", *model.pad(tokens, longest), expected)]
        for i, row in enumerate(tokens):
            name = f"sentence {i} alone, 1 x {len(row)}"
            calls.append((name, *model.pad([row], len(row)), expected[i : i + 1]))
        for batch, length in model.SHAPES:
            calls.append((f"{batch} x {length}", *model.inputs_of_shape(batch, length)))
        return calls

    def all_shapes(self):
        """One compilation, then every call; prints the table of differences."""
        calls = self.make_calls()
        start = time.perf_counter()
        run = self.run([call[1:3] for call in calls], "--time", "--repeat=5", "--verbose")
        seconds = time.perf_counter() - start
        if run.status != 0 or len(run.results) != len(calls) or len(run.times) != len(calls):
            print(run.stdout + run.stderr)
            self.expect(False, f"symshape-run runs {len(calls)} calls (exit status {run.status})")
            return None
        print("\n== One compilation, many shapes ==")
        print("".join(f"  {line}\n" for line in run.stderr.splitlines() if "compil" in line), end="")
        print(f"  {'call':<28}{'difference':>12}{'ms':>10}{'GFLOP/s':>10}")
        worst = 0.0
        for (name, ids, _, expected), (result,), (median, _) in zip(calls, run.results, run.times):
            difference = symrun.largest_difference(result, expected)
            worst = max(worst, difference)
            rate = model.flops(*ids.shape) / median / 1e6
            print(f"  {name:<28}{difference:>12.1e}{median:>10.2f}{rate:>10.1f}")
        self.expect(worst < TOLERANCE, f"every result is within {TOLERANCE} of the published model")
        compilations = re.search(r"compilations:?\s+(\d+)", run.stderr)
        self.expect(compilations and compilations[1] == "1", "there was one compilation")
        self.similarity(run.results[0][0])
        return worst, len(calls), seconds

    def similarity(self, vectors):
        """The cosine of every two sentences; the vectors have length 1."""
        print("\n== Cosine of every two sentences ==")
        table = vectors @ vectors.T
        for i, text in enumerate(model.sentences()):
            cells = " ".join(f"{value:5.2f}" for value in table[i])
            print(f"  {i:>2} {cells}  {text[:44]!r}")
        self.expect(abs(table[0, 1] - 0.755) < 5e-4, "the cosine of sentences 0 and 1 is 0.755")

    def refused(self, title, ids, mask, words):
        """A call that must be refused before anything runs: status 3, a message."""
        run = self.run([[ids, mask]])
        print(f"  {title}: exit status {run.status}")
        print("".join(f"    {line}\n" for line in run.stderr.splitlines()), end="")
        self.expect(run.status == 3, f"{title}: exit status 3")
        for word in words:
            self.expect(word in run.stderr, f"{title}: the message has '{word}'")

    def bad_calls(self):
        print("\n== Calls that are refused ==")
        ones = lambda *shape: np.ones(shape, np.int64)
        self.refused("ids of length 7, mask of length 8", ones(2, 7), ones(2, 8), ["7", "8"])
        self.refused("length 513", ones(1, 513), ones(1, 513), ["513", "512"])

    def empty_batch(self):
        run = self.run([[np.zeros((0, 7), np.int64)] * 2])
        shape = run.results[0][0].shape if run.results else None
        print("\n== Batch 0 ==")
        print(f"  exit status {run.status}, result of shape {shape}")
        self.expect(run.status == 0 and shape == (0, 384), "batch 0 gives an empty result")

    def beside_onnxruntime(self):
        """The ratio to ONNX Runtime at every shape, in one process and on one core."""
        print("\n== Beside ONNX Runtime ==")
        try:
            import bench_model
            import contest
        except ImportError as missing:
            print(f"  not measured: {missing.name} is not installed (./bootstrap bench installs it)")
            return
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(cores)})
        bench = contest.Bench(self.build, rounds=5, quick=True, threads=1)
        group = bench_model.speed(bench, model.SHAPES, with_static=False)
        os.sched_setaffinity(0, cores)
        print(f"  {'call':<10}{'symshape, ms':>14}{'ONNX Runtime, ms':>18}{'ratio':>8}")
        for row in group.rows:
            ours, theirs = (row["us"][name] / 1e3 for name in (bench_model.DYNAMIC, contest.ORT))
            (ratio,) = row["ratio"].values()
            print(f"  {row['entry']:<10}{ours:>14.2f}{theirs:>18.2f}{ratio:>8.2f}")
        (total,) = contest.summary(group).values()
        print(f"  geometric mean of the ratios: {total['geomean']:.2f} (more than 1: symshape is faster)")

    def page(self):
        """Writes the report of the program as a page."""
        path = self.build / "minilm-report.html"
        command = [self.build / "bin" / "symshape-report", PROGRAM, "--format=html", "-o", path]
        done = subprocess.run(command, capture_output=True, text=True)
        self.expect(done.returncode == 0 and path.exists(), f"the page of the report is written: {done.stderr}")
        return path

    def finish(self, outcome):
        print("\n== Summary ==")
        for what in self.failures:
            print(f"  not so: {what}")
        if self.failures or not outcome:
            return 1
        worst, calls, seconds = outcome
        page = self.page()
        print(f"""  The encoder was written without knowing batch or length, and compiled once.
  That one program ran {calls} calls of many shapes in {seconds:.1f} s, compilation included,
  and differs from the published model by at most {worst:.1e}. What it assumes of its
  inputs was proved, or is checked before it runs: a call that does not fit is
  refused with a message that names the reason.""")
        if self.failures:
            print(f"  not so: {self.failures[0]}")
            return 1
        print(f"  Its graph, guards, memory and costs at any sizes: open {page}")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    demo = Demo(parser.parse_args().build.resolve())
    print(f"symshape demo: {PROGRAM.name}, batch B and length L unknown when compiled")
    demo.checks()
    outcome = demo.all_shapes()
    demo.bad_calls()
    demo.empty_batch()
    demo.beside_onnxruntime()
    return demo.finish(outcome)


if __name__ == "__main__":
    sys.exit(main())
