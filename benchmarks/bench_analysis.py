# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""P3: analysis time against program size: the inlined encoder with more and more layers."""

import os
import re
import statistics
import subprocess
import sys

import program

LAYERS = [1, 10, 100]
ROUNDS = 3


def analysis_time(opt, path):
    """Seconds of symshape-infer-shapes."""
    command = [opt, path, "--symshape-infer-shapes", "--mlir-timing",
               "--mlir-timing-display=list", "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True)
    times = re.findall(r"^\s*([0-9.]+) \(.*?\)\s+.*InferShapes", done.stderr, re.M)
    if done.returncode or not times:
        sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
    return sum(map(float, times))


def run(bench):
    opt = bench.build / "bin" / "symshape-opt"
    rows = []
    for layers in LAYERS[:2] if bench.quick else LAYERS:
        path = bench.out / f"layers-{layers}.mlir"
        path.write_text(program.program(layers))
        inlined = subprocess.run([opt, path, "--inline"], capture_output=True, text=True, check=True)
        path.write_text(inlined.stdout)
        operations = len(re.findall(r"^\s*(?:%[^=\n]*= )?\w+\.\w+|^\s*return", inlined.stdout, re.M))
        seconds = statistics.median(analysis_time(opt, path) for _ in range(ROUNDS))
        rows.append({"layers": layers, "operations": operations, "ms": seconds * 1e3,
                     "us_per_operation": seconds * 1e6 / operations})
    return rows


def report(rows):
    print("\nP3 analysis time against program size")
    for row in rows:
        print(f"  {row['layers']:>4} layers {row['operations']:>7} ops {row['ms']:>10.1f} ms"
              f"{row['us_per_operation']:>9.1f} us per op")
