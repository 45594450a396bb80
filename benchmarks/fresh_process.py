# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One engine in a process of its own: seconds until ready, and bytes of memory.

    fresh_process.py --engine=symshape|onnxruntime --build=BUILD BATCH LENGTH

Prints JSON. Bytes are resident memory beyond that of the process before the engine
was loaded: when it is ready, at most until then, and at most in calls.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "examples" / "minilm"), str(Path(__file__).resolve().parent)]

import model

CALLS = 3


def resident(field):
    """VmRSS (now) or VmHWM (the most since the mark was reset), in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.M)[1]) * 1024


def reset_mark():
    Path("/proc/self/clear_refs").write_text("5")


def start_symshape(args, weights):
    import program
    import symshape_c

    compiled = symshape_c.Program(program.FILE, library=args.build / "lib" / "libSymShapeC.so",
                                  entry="encode", weights=weights)
    times = {name: getattr(compiled.times, name) for name, _ in compiled.times._fields_}
    return (lambda ids, mask: compiled(ids, mask)[0]), times


def start_onnxruntime(args, weights):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = args.threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(args.build / "bench" / "minilm.onnx"), options,
                                           ["CPUExecutionProvider"])
    return (lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})[0]), {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=["symshape", "onnxruntime"], required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("shape", type=int, nargs=2)
    args = parser.parse_args()
    ids, mask, _ = model.inputs_of_shape(*args.shape)
    weights = model.weights_file(args.build)
    before = resident("VmRSS")
    reset_mark()
    begin = time.perf_counter()
    start = start_symshape if args.engine == "symshape" else start_onnxruntime
    call, result = start(args, weights)
    result["ready"] = time.perf_counter() - begin
    result["ready_bytes"] = resident("VmRSS") - before
    result["ready_peak_bytes"] = resident("VmHWM") - before
    reset_mark()
    for _ in range(CALLS):
        call(ids, mask)
    result["call_peak_bytes"] = resident("VmHWM") - before
    print(json.dumps(result))


if __name__ == "__main__":
    main()
