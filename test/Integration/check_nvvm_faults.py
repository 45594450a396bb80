# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets each call of the simulated driver fail in turn: a status, a message, nothing left behind.

    check_nvvm_faults.py add COUNT
    check_nvvm_faults.py minilm FOLDER LIBRARY

`add` fails each of the first COUNT calls of a process. `minilm` fails, in a layer of the sentence
encoder (FOLDER is that of the example), each call of the driver while a bundle is loaded, in processes
of their own, and each one while a loaded program runs: the call after it must give the right result.
An allocation that fails is tried again once what is not needed has been freed, so a run may also
succeed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import ptx_device
import symshape_c
from bundles import save
from checking import Checks
from weights_file import safetensors

FILE = Path(__file__).parent / "Inputs" / "nvvm.mlir"
ADD = ["symshape-run", str(FILE), "--entry=add", "--target=nvvm", "--input=2x3xf32=iota", "--input=2x3xf32=iota"]
OUT_OF_MEMORY = 2
MESSAGE = re.compile(r"cu[A-Z]\w+.*out of memory")


def run(command, number, trace=False):
    environment = dict(os.environ, SYMSHAPE_PTXSIM_FAIL=str(number), SYMSHAPE_PTXSIM_REPORT="1",
                       SYMSHAPE_PTXSIM_TRACE="1" if trace else "")
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def fail_process(checks, command, number):
    """A process whose call `number` of the driver fails; its status and output."""
    done = run(command, number)
    checks.that(done.returncode in (0, 1, 3), f"call {number}: a status", f"{done.returncode}\n{done.stderr}")
    checks.that(done.returncode == 0 or re.search(rf"^error: .*{MESSAGE.pattern}", done.stderr, re.M),
                f"call {number}: a message", done.stderr)
    checks.that("symshape-ptxsim: 0 leaked" in done.stderr, f"call {number}: nothing is left", done.stderr)
    return done.returncode, done.stdout


def add(checks, count):
    statuses = set()
    for number in range(1, count + 1):
        status, output = fail_process(checks, ADD, number)
        statuses.add(status)
        if status == 0:
            checks.that("[[0, 2, 4], [6, 8, 10]]" in output, f"call {number}: the result", output)
    checks.that(statuses == {0, 1, 3}, "each status occurs", str(statuses))


def load(checks, command):
    """Fails each call before the first kernel starts."""
    whole = run(command, 0, trace=True)
    first = re.search(r"^symshape-ptxsim: (\d+) cuLaunchKernel", whole.stderr, re.M)
    statuses = [fail_process(checks, command, number)[0] for number in range(1, int(first[1]) + 1)]
    checks.that(1 in statuses and 3 in statuses, "loading and running fail", str(statuses))
    print(f"{len(statuses)} calls failed before the first kernel")


def live(device):
    return {what: device.count(what) for what in ("allocations", "bytes", "host allocations", "streams", "modules")}


def call_again(checks, program, inputs, expected):
    """Fails each call of the driver in a run of a loaded program, which is then run once more."""
    device, failed = ptx_device.Device(os.environ["SYMSHAPE_CUDA_LIBRARY"]), 0
    program(*inputs)
    kept, before = live(device), device.count("calls")
    checks.close(program(*inputs)[0], expected, 1e-5, "the result")
    calls = device.count("calls") - before
    for number in range(1, calls + 1):
        device.fail_at(number, OUT_OF_MEMORY)
        try:
            checks.close(program(*inputs)[0], expected, 1e-5, f"call {number}: the result after a second try")
        except symshape_c.Error as error:
            failed += 1
            checks.that(error.status == 3 and MESSAGE.search(str(error)), f"call {number}: a status and a message",
                        f"{error.status} {error}")
        device.fail_at(0, 0)
        checks.close(program(*inputs)[0], expected, 1e-5, f"after call {number} failed, the result")
        checks.that(live(device) == kept, f"call {number}: as much is left as before", f"{kept} {live(device)}")
    print(f"{failed} of {calls} calls failed in a run")


def minilm(checks, folder, library):
    sys.argv[1:] = [folder]
    import check_minilm  # pylint: disable=import-outside-toplevel
    weights = check_minilm.make_weights(1)
    inputs = [np.array([[5, 7]]), np.array([[1, 1]])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "weights.safetensors").write_bytes(safetensors(weights))
        (folder / "layer.mlir").write_text(check_minilm.program.program(1))
        options = ["--entry=encode", f"--weights={folder}/weights.safetensors"]
        save(folder / "layer.mlir", folder / "bundle", ["--target=nvvm", *options], folder)
        load(checks, ["symshape-bundle-run", str(folder / "bundle"), "--input=1x2xi64=iota", "--input=1x2xi64=iota"])
        program = symshape_c.Program(folder / "layer.mlir", library=library, entry="encode",
                                     weights=folder / "weights.safetensors", target="nvvm")
        call_again(checks, program, inputs, check_minilm.encode(*inputs, weights, 1))


def main():
    checks = Checks()
    if sys.argv[1] == "add":
        add(checks, int(sys.argv[2]))
    else:
        minilm(checks, *sys.argv[2:])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
