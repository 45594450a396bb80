# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One engine and one ONNX model in a process of its own, until its first result is there.

    ready_process.py ENGINE MODEL INPUTS.npz RESULT.npz [--library=FILE] [--compile=sync|async|auto]

ENGINE is symshape, onnxruntime or openvino. INPUTS holds arrays by name. Prints JSON: seconds of
the processor and of wall time from before the engine was loaded, and bytes of resident memory
beyond what the process had then, at the end and at most.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(Path(__file__).resolve().parent)]

from fresh_process import reset_mark, resident


def run_symshape(args, inputs):
    import symshape_c
    program = symshape_c.Program(args.model, library=args.library, first=list(inputs.values()), compile=args.compile)
    return program, program(*inputs.values())


def run_onnxruntime(args, inputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(args.model, options, ["CPUExecutionProvider"])
    return session, session.run(None, inputs)


def run_openvino(args, inputs):
    import openvino
    compiled = openvino.Core().compile_model(args.model, "CPU", {"INFERENCE_NUM_THREADS": 1})
    return compiled, list(compiled(inputs).values())


ENGINES = {"symshape": run_symshape, "onnxruntime": run_onnxruntime, "openvino": run_openvino}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("model")
    parser.add_argument("inputs")
    parser.add_argument("result")
    parser.add_argument("--library")
    parser.add_argument("--compile", default="sync")
    args = parser.parse_args()
    with np.load(args.inputs) as file:
        inputs = dict(file)
    before = resident("VmRSS")
    reset_mark()
    processor, wall = time.process_time(), time.perf_counter()
    engine, results = ENGINES[args.engine](args, inputs)
    found = {"processor": time.process_time() - processor, "wall": time.perf_counter() - wall,
             "resident_bytes": resident("VmRSS") - before, "peak_bytes": resident("VmHWM") - before}
    del engine  # alive until here
    np.savez(args.result, *results)
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # what is compiled in the background is not waited for


if __name__ == "__main__":
    main()
