# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""P7, P5 and P9: the sentence encoder of examples/minilm, one build for all shapes.

Speed beside ONNX Runtime and beside a build for each shape; then, in processes of
their own, the time to compile, the size of the code and the peak of memory.
"""

import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import symshape_c

import model
import onnx_graphs
import onnx_model
import program
from contest import ORT, Group, Ratio
from targets import COMPILE_SECONDS

HERE = Path(__file__).resolve().parent
DYNAMIC, STATIC = "dynamic", "static"
QUICK_SHAPES = [(1, 7), (1, 128), (8, 128)]
TOLERANCE = 1e-5
MEMORY_SHAPE = (8, 512)
SIZE = "/usr/lib/llvm-22/bin/llvm-size"


def speed(bench, shapes, with_static=True):
    """P7 and, with builds for each shape, P5."""
    least = {1: 1.3, 2: 1.2}.get(bench.threads)
    group = Group(f"P7, P5 MiniLM, {bench.threads} thread(s)",
                  [Ratio(DYNAMIC, ORT, least, 1.0)] + [Ratio(DYNAMIC, STATIC, 0.97, 0.90)] * with_static)
    weights = model.weights_file(bench.build)
    dynamic = bench.load(program.FILE, entry="encode", weights=weights)
    session = onnx_graphs.session(onnx_model.build(weights), bench.threads)
    for shape in shapes:
        ids, mask, expected = model.inputs_of_shape(*shape)
        calls = {DYNAMIC: symshape_c.Call(dynamic, [ids, mask])}
        if with_static:
            static = bench.compile(f"minilm-{shape[0]}x{shape[1]}", program.static_program(*shape),
                                   entry="encode", weights=weights)
            calls[STATIC] = symshape_c.Call(static, [ids, mask])
        calls[ORT] = onnx_graphs.Bound(session, {"ids": ids, "mask": mask}, (shape[0], 384))
        row = bench.entry(group, f"{shape[0]} x {shape[1]}", calls, model.flops(*shape))
        row["difference"] = {n: float(np.abs((call.output if n == ORT else call.results()[0]) - expected).max())
                             for n, call in calls.items()}
        if not max(row["difference"].values()) <= TOLERANCE:
            row["remark"] = f"DIFFERS by {max(row['difference'].values()):.1e}"
    return group


def fresh(bench, engine):
    """What fresh_process.py measures with one engine."""
    command = [sys.executable, HERE / "fresh_process.py", f"--engine={engine}", f"--build={bench.build}",
               f"--threads={bench.threads}", *map(str, MEMORY_SHAPE)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
    return json.loads(done.stdout)


def code_bytes(bench):
    """Bytes of machine code of the dynamic build."""
    path = bench.out / "minilm.o"
    command = [bench.build / "bin" / "symshape-run", program.FILE, "--entry=encode", f"--object={path}"]
    subprocess.run(command, check=True, capture_output=True)
    text = subprocess.run([SIZE, "-A", path], check=True, capture_output=True, text=True).stdout
    return sum(int(size) for size in re.findall(r"^\.l?text\S*\s+(\d+)", text, re.M))


def cost(bench):
    """P9: rounds of fresh processes; the medians."""
    rounds = 1 if bench.quick else 5
    runs = {engine: [] for engine in ("symshape", ORT)}
    for _ in range(rounds):
        for engine, results in runs.items():
            results.append(fresh(bench, engine))
    result = {engine: {key: statistics.median(run[key] for run in results) for key in results[0]}
              for engine, results in runs.items()}
    result["code_bytes"] = code_bytes(bench)
    result["shape"] = MEMORY_SHAPE
    return result


def report_cost(result):
    ours, theirs = result["symshape"], result[ORT]
    verdict = lambda met: "met" if met else "missed"
    print("\nP9 MiniLM, fresh processes")
    phases = ", ".join(f"{name} {ours[name]:.2f}" for name in ("parse", "passes", "jit"))
    total = ours["parse"] + ours["passes"] + ours["jit"]
    print(f"  compile time, s: {phases}, total {total:.2f}, target {COMPILE_SECONDS}: "
          f"{verdict(total <= COMPILE_SECONDS)} (weights bound in {ours['weights']:.2f}; "
          f"ONNX Runtime ready after {theirs['ready']:.2f})")
    print(f"  machine code: {result['code_bytes'] / 1024:.0f} KiB")
    print(f"  memory at {result['shape'][0]} x {result['shape'][1]}, MiB more than before the engine was loaded:")
    for name, run in (("symshape", ours), ("ONNX Runtime", theirs)):
        mib = {key: run[key] / 2**20 for key in ("ready_bytes", "ready_peak_bytes", "call_peak_bytes")}
        print(f"    {name:<14} ready {mib['ready_bytes']:.0f} (peak until then {mib['ready_peak_bytes']:.0f}), "
              f"peak of calls {mib['call_peak_bytes']:.0f}")
    met = ours["call_peak_bytes"] <= theirs["call_peak_bytes"]
    print(f"    target: the peak of calls is at most ONNX Runtime's: {verdict(met)}")


def groups(bench):
    return [speed(bench, QUICK_SHAPES if bench.quick else model.SHAPES)]
