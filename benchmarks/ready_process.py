# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One engine and one ONNX model in a process of its own, until its first result is there.

    ready_process.py ENGINE MODEL INPUTS.npz RESULT.npz [--library=FILE] [--compile=sync|async|auto]
                     [--entry=NAME] [--report]

ENGINE is symshape, onnxruntime or openvino. INPUTS holds arrays by name. Prints JSON: seconds of
the processor and of wall time from before the engine was loaded, those of the processor until the
engine was loaded and until the program was made, and bytes of resident memory beyond what the
process had once the engine was loaded, at the end and at most; and what that took. With --report
instead where the time of a compilation goes: the fields of symshape/Execution/CompileReport.h.
"""

import argparse
import ctypes
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(Path(__file__).resolve().parent)]

from fresh_process import reset_mark, resident


# Each loads an engine, and gives what takes the inputs of the first call and makes what is called then.


def load_symshape(args):
    import symshape_c
    library = symshape_c.load(args.library)

    def make(inputs):
        # A report compiles for itself; for `never`, nothing is compiled before a call.
        program = symshape_c.Program(args.model, library=library, entry=args.entry, first=list(inputs.values()),
                                     compile=args.compile, dynamic="never" if args.report else "always")
        return program, lambda: [] if args.report else program(*inputs.values())
    return make


def load_onnxruntime(args):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3

    def make(inputs):
        session = onnxruntime.InferenceSession(args.model, options, ["CPUExecutionProvider"])
        return session, lambda: session.run(None, inputs)
    return make


def load_openvino(args):
    import openvino
    core = openvino.Core()
    # Numbers of 32 bits, as they are in the model: it would choose 16 on some processors.
    options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}

    def make(inputs):
        compiled = core.compile_model(args.model, "CPU", options)
        return compiled, lambda: list(compiled(inputs).values())
    return make


ENGINES = {"symshape": load_symshape, "onnxruntime": load_onnxruntime, "openvino": load_openvino}


def compile_report(program):
    """What compiling it once more takes, as text."""
    function = program.library.symshape_compile_report
    function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    text = function(program.handle)
    if not text:
        raise program.error()
    return text.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("model")
    parser.add_argument("inputs")
    parser.add_argument("result")
    parser.add_argument("--library")
    parser.add_argument("--compile", default="sync")
    parser.add_argument("--entry", default="main")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    with np.load(args.inputs) as file:
        inputs = dict(file)
    bare = resident("VmRSS")
    processor, wall = time.process_time(), time.perf_counter()
    make = ENGINES[args.engine](args)
    loaded, until_loaded = resident("VmRSS"), time.process_time() - processor
    reset_mark()
    engine, call = make(inputs)
    until_made = time.process_time() - processor
    results = call()
    found = {"processor": time.process_time() - processor, "wall": time.perf_counter() - wall, "loaded": until_loaded,
             "made": until_made, "engine_bytes": loaded - bare,
             "resident_bytes": resident("VmRSS") - loaded, "peak_bytes": resident("VmHWM") - loaded}
    if args.report:
        found = json.loads(compile_report(engine))
    del engine, call  # alive until here
    np.savez(args.result, *results)
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # what is compiled in the background is not waited for


if __name__ == "__main__":
    main()
