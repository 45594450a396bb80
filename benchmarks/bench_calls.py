# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python costs besides the work: the sum of two small arrays of open extents.

The package is installed from this tree into a folder of the benchmarks. In turn, in one
process: a call of a program, a prepared call, ONNX Runtime's `run` of the same model, and
NumPy's own sum.
"""

import os
import statistics
import subprocess
import sys
import time

from onnx import TensorProto, helper

from targets import CALL_MICROSECONDS

CALLS = 2000
SHAPES = [(1, 1), (4, 4), (16, 32)]


def install(bench):
    """The folder of the package, with the library of the build."""
    folder = bench.out / "python"
    wheels = bench.build / "python-wheels"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--upgrade",
                    "--no-index", f"--find-links={wheels}", "--no-deps", f"--target={folder}", ".",
                    f"--config-settings=cmake.define.SYMSHAPE_BUILD={bench.build.resolve()}"], check=True)
    return folder


def sum_model():
    """Two inputs of open extents, and their sum."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["M", "N"]) for name in "xyz"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "y"], ["z"])], "sum", values[:2], values[2:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def median_microseconds(ways, rounds):
    """Of each way to call, in turn."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                way()
            times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    return {name: statistics.median(some) for name, some in times.items()}


def run(bench):
    folder = install(bench)
    sys.path.insert(0, os.fspath(folder))
    import numpy as np
    import onnxruntime
    import symshape

    model = sum_model()
    program = symshape.loads(model, format="onnx", threads=1, compile="sync")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    rows = []
    for shape in SHAPES:
        x, y = (np.random.default_rng(seed).random(shape, np.float32) for seed in (1, 2))
        prepared = program.prepare(x, y)
        assert (program(x, y)[0] == x + y).all() and (session.run(None, {"x": x, "y": y})[0] == x + y).all()
        rows.append({"entry": "x".join(map(str, shape)), **median_microseconds({
            "symshape": lambda: program(x, y),
            "prepared": prepared,
            "onnxruntime": lambda: session.run(None, {"x": x, "y": y}),
            "numpy": lambda: x + y}, bench.rounds)})
    return {"rows": rows}


def report(result):
    print(f"\nA call from Python: the sum of two f32 arrays, us (asked of symshape: at most {CALL_MICROSECONDS})")
    print(f"{'extents':>10}{'symshape':>12}{'prepared':>12}{'onnxruntime':>14}{'numpy':>10}")
    for row in result["rows"]:
        print(f"{row['entry']:>10}{row['symshape']:12.2f}{row['prepared']:12.2f}{row['onnxruntime']:14.2f}"
              f"{row['numpy']:10.2f}")
