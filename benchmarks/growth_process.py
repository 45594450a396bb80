# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling a program takes, in a process of its own.

    growth_process.py LIBRARY PROGRAM [WEIGHTS]

Prints JSON: the fields of symshape/Execution/CompileReport.h, seconds of the processor, and bytes of resident
memory beyond what the process had before, at most.
"""

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(Path(__file__).resolve().parent)]

import symshape_c
from fresh_process import reset_mark, resident
from ready_process import compile_report


def main():
    library, path, weights = [*sys.argv[1:], None][:3]
    program = symshape_c.Program(path, library=library, weights=weights, dynamic="never")  # compiles nothing before a call
    reset_mark()
    before, begin = resident("VmRSS"), time.process_time()
    report = json.loads(compile_report(program))
    report["processor"] = time.process_time() - begin
    report["peak_bytes"] = resident("VmHWM") - before
    print(json.dumps(report))


if __name__ == "__main__":
    main()
