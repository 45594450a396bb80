# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks, run by `./bootstrap bench`: tables, and JSON in build/bench/.

(a) compile time of the demo model by phase; (b) its speed at seven shapes beside
ONNX Runtime; (c) beside the same program built for each shape alone; (d) analysis
time against program size; (e) to (h), of bench_facts.py, the fact engine. Everything
on one core; of (b) and (c), rounds interleave the contestants, and each number is the
median over the rounds.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "examples" / "minilm")]

import numpy as np
import onnxruntime

import bench_facts
import model
import onnx_model
import program
import symrun

PHASE = re.compile(r"^compile: (.*)$", re.M)
LAYERS = [1, 10, 100]


class OnnxRuntime:
    """The same computation in ONNX Runtime: one thread, all optimisations."""

    def __init__(self, weights):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        text = onnx_model.build(weights)
        start = time.perf_counter()
        self.session = onnxruntime.InferenceSession(text, options, ["CPUExecutionProvider"])
        self.ready = time.perf_counter() - start

    def run(self, ids, mask):
        return self.session.run(None, {"ids": ids, "mask": mask})[0]

    def median(self, ids, mask, repeat):
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            self.run(ids, mask)
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)


class Bench:
    def __init__(self, args):
        self.args = args
        self.build = args.build.resolve()
        self.weights = model.weights_file(self.build)
        self.inputs = {shape: model.inputs_of_shape(*shape) for shape in model.SHAPES}
        self.out = self.build / "bench"
        self.out.mkdir(exist_ok=True)
        self.result = {"machine": machine(), "rounds": args.rounds, "repeat": args.repeat}

    def symshape(self, path, shapes):
        """One compilation of `path`, then the shapes: (medians in ms, phases in ms)."""
        run = symrun.run(path, [self.inputs[shape][:2] for shape in shapes], entry="encode",
                         tool=self.build / "bin" / "symshape-run",
                         options=[f"--weights={self.weights}", "--time", "--verbose",
                                  f"--repeat={self.args.repeat}"])
        if run.status or len(run.times) != len(shapes):
            sys.exit(f"bench: symshape-run {path} failed ({run.status})\n{run.stdout}{run.stderr}")
        for shape, (actual,) in zip(shapes, run.results):
            difference = symrun.largest_difference(actual, self.inputs[shape][2])
            if difference > 1e-5:
                sys.exit(f"bench: {path} at {shape} differs by {difference}")
        return [median for median, _ in run.times], phases_of(run.stderr)

    def speed(self):
        """(a), (b) and (c): rounds over dynamic, static and ONNX Runtime."""
        onnx = OnnxRuntime(self.weights)
        for shape, (ids, mask, expected) in self.inputs.items():
            difference = symrun.largest_difference(onnx.run(ids, mask), expected)
            if difference > 1e-5:
                sys.exit(f"bench: the ONNX graph at {shape} differs by {difference}")
        statics = {}
        for batch, length in model.SHAPES:
            statics[batch, length] = self.out / f"minilm-{batch}x{length}.mlir"
            statics[batch, length].write_text(program.static_program(batch, length))
        times = {shape: {"dynamic": [], "static": [], "onnxruntime": []} for shape in model.SHAPES}
        phases = []
        for number in range(self.args.rounds):
            print(f"bench: round {number + 1} of {self.args.rounds}", file=sys.stderr, flush=True)
            medians, compiled = self.symshape(program.FILE, model.SHAPES)
            phases.append(compiled)
            for shape, dynamic in zip(model.SHAPES, medians):
                times[shape]["dynamic"].append(dynamic)
                times[shape]["static"] += self.symshape(statics[shape], [shape])[0]
                ids, mask, _ = self.inputs[shape]
                times[shape]["onnxruntime"].append(onnx.median(ids, mask, self.args.repeat))
        self.result["compile_ms"] = {phase: statistics.median(p[phase] for p in phases)
                                     for phase in phases[0]}
        self.result["onnxruntime_ready_ms"] = onnx.ready * 1e3
        self.result["shapes"] = [self.row(shape, times[shape]) for shape in model.SHAPES]
        ratios = [row["dynamic_over_static"] for row in self.result["shapes"]]
        self.result["geomean_dynamic_over_static"] = math.exp(
            statistics.fmean(math.log(ratio) for ratio in ratios))

    def row(self, shape, times):
        row = {"batch": shape[0], "length": shape[1]}
        for name, values in times.items():
            row[name + "_ms"] = statistics.median(values)
            row[name + "_gflops"] = model.flops(*shape) / row[name + "_ms"] / 1e6
        row["dynamic_over_static"] = row["dynamic_gflops"] / row["static_gflops"]
        row["dynamic_over_onnxruntime"] = row["dynamic_gflops"] / row["onnxruntime_gflops"]
        return row

    def analysis(self):
        """(d): the inlined encoder with more and more layers."""
        opt = self.build / "bin" / "symshape-opt"
        self.result["analysis"] = []
        for layers in LAYERS:
            path = self.out / f"layers-{layers}.mlir"
            path.write_text(program.program(layers))
            inlined = subprocess.run([opt, path, "--inline"], capture_output=True, text=True, check=True)
            path.write_text(inlined.stdout)
            operations = len(re.findall(r"^\s*(?:%[^=\n]*= )?\w+\.\w+|^\s*return", inlined.stdout, re.M))
            seconds = statistics.median(self.analysis_time(opt, path) for _ in range(self.args.rounds))
            self.result["analysis"].append({"layers": layers, "operations": operations, "ms": seconds * 1e3,
                                            "us_per_operation": seconds * 1e6 / operations})

    def analysis_time(self, opt, path):
        command = [opt, path, "--symshape-infer-shapes", "--mlir-timing",
                   "--mlir-timing-display=list", "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True)
        times = re.findall(r"^\s*([0-9.]+) \(.*?\)\s+.*InferShapes", done.stderr, re.M)
        if done.returncode or not times:
            sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
        return sum(map(float, times))

    def facts(self):
        """(e) to (h): the fact engine, next to upstream's."""
        self.result["facts"] = bench_facts.FactBench(self.build).run()

    def report(self):
        """Prints the tables and writes the JSON file."""
        r = self.result
        print(f"\nOne thread, {r['machine']}; medians of {r['rounds']} rounds of {r['repeat']} runs")
        print("\n(a) compile time of the demo model, ms")
        for phase, value in r["compile_ms"].items():
            print(f"  {phase:<24}{value:>10.0f}")
        print(f"  (ONNX Runtime ready after {r['onnxruntime_ready_ms']:.0f} ms)")
        print("\n(b), (c) the demo model: ms and GFLOP/s")
        print(f"  {'B x L':<10}{'dynamic':>18}{'static':>18}{'ONNX Runtime':>18}"
              f"{'dyn/static':>12}{'dyn/ORT':>9}")
        for row in r["shapes"]:
            cells = "".join(f"{row[name + '_ms']:>10.2f}{row[name + '_gflops']:>8.1f}"
                            for name in ("dynamic", "static", "onnxruntime"))
            shape = f"{row['batch']} x {row['length']}"
            print(f"  {shape:<10}{cells}{row['dynamic_over_static']:>12.2f}"
                  f"{row['dynamic_over_onnxruntime']:>9.2f}")
        print(f"  geometric mean of dynamic/static: {r['geomean_dynamic_over_static']:.3f}")
        print("\n(d) analysis time against program size")
        for row in r["analysis"]:
            print(f"  {row['layers']:>4} layers {row['operations']:>7} ops {row['ms']:>10.1f} ms"
                  f"{row['us_per_operation']:>9.1f} us per op")
        bench_facts.report(r["facts"])
        path = self.out / "bench.json"
        path.write_text(json.dumps(r, indent=1) + "\n")
        print(f"\nwritten: {path}")


def phases_of(text):
    """Phase to milliseconds, from what `symshape-run --verbose` prints."""
    return {phase: float(value) for line in PHASE.findall(text)
            for phase, value in re.findall(r"([A-Za-z][\w -]*) ([0-9.]+) ms", line)}


def machine():
    """The processor, as the system names it."""
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text)
    return name[1] if name else os.uname().machine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--repeat", type=int, default=7, help="runs per round (default: 7)")
    bench = Bench(parser.parse_args())
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bench.speed()
    bench.analysis()
    bench.facts()
    bench.report()


if __name__ == "__main__":
    main()
