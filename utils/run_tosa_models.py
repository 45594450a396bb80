#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run networks in TOSA, of ExecuTorch and of MediaPipe, beside PyTorch and TF Lite.

    run_tosa_models.py PROGRAMS [--build=build] [--filter=REGEX]
    run_tosa_models.py PROGRAMS --speed [--mediapipe=FOLDER] [--rounds=N] [--json=FILE]

PROGRAMS holds what tosa_torch_models.py and tosa_tflite_models.py wrote, in folders
`torch` and `tflite`: programs, and calls with their results. Each is compiled once,
and must give these results, to 1e-5 (torch) or 1e-4 (tflite) of the largest
magnitude, or twice as far as two sets of kernels of TF Lite are apart; refuse what it must; check nothing but at its entry, and only dims of its
arguments. Prints a line per network, and at the end `N passed, N failed`; exits 1
when one failed. With --speed three networks run beside TF Lite, and beside static
builds: tosa_models_speed.py.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import symshape_c  # noqa: E402

TOLERANCES = {"torch": 1e-5, "tflite": 1e-4}
REFUSED = 3
# The guards of the U-Net beside its ranges: both extents are even.
GUARDS = {"unet-ranges": ["2 must divide extent of %arg0 dim 2 (H)", "2 must divide extent of %arg0 dim 3 (W)"]}


def calls_of(data, kind):
    """Inputs, results, and what TF Lite differs from itself in these: of calls `kind`0, `kind`1, ..."""
    calls = {}
    for key in data.files:
        if found := re.fullmatch(kind + r"(\d+)_(in|out|own)(\d+)", key):
            number, role, place = found.groups()
            calls.setdefault(int(number), {"in": {}, "out": {}, "own": {}})[role][int(place)] = key
    for _, call in sorted(calls.items()):
        yield tuple([data[key] for _, key in sorted(call[role].items())] for role in ("in", "out", "own"))


def difference(result, expected):
    """The largest, as a part of the largest magnitude that is expected."""
    if result.dtype != expected.dtype or result.shape != expected.shape:
        return float("inf")
    if not result.size:
        return 0.0
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0, np.abs(result.astype(np.float64) - expected))
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0) or 1
    return float(distance.max() / largest) if not np.isnan(distance).any() else float("inf")


class Network:
    """One program and what is known of it."""

    def __init__(self, path, tolerance):
        self.path, self.tolerance = path, tolerance
        self.data = np.load(path.with_suffix(".npz"))
        self.failures, self.worst, self.counts = [], 0.0, {"run": 0, "refused": 0}

    def fail(self, why):
        self.failures.append(why)

    def check_report(self, tool):
        """Guards name dims of arguments, and no check is left in the body."""
        done = subprocess.run([str(tool), str(self.path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            return self.fail(f"symshape-report: {done.stderr[:300]}")
        dims = dict(re.findall(r"^  symbol ([^\s:]+).*: (%\w+ dim \d+)$", done.stdout, re.M))
        found = re.findall(r"^  guard: (.*)", done.stdout, re.M)
        checks = re.findall(r"^  check: (.*)", done.stdout, re.M)
        for guard in found:
            words = set(re.findall(r"[^\W\d]\w*", guard))
            unnamed = {word for word in words if re.fullmatch(r"[su]\d+", word)} - dims.keys()
            if unnamed or not words & dims.keys():
                self.fail(f"expected a guard over dims of arguments, but got: {guard.strip()}")
        if checks:
            self.fail(f"{len(checks)} checks in the body, the first: {checks[0]}")
        wanted, named = GUARDS.get(self.path.stem), [guard.splitlines()[0] for guard in found]
        if wanted and [guard for guard in named if not re.search(r"must be at (least|most)", guard)] != wanted:
            self.fail(f"expected guards {wanted}, but got {named}")
        self.guards = len(found)

    def call(self, program, inputs, outputs, own, may_refuse):
        shapes = [list(array.shape) for array in inputs]
        try:
            results = program(*inputs)
        except symshape_c.Error as error:
            if error.status != REFUSED or not may_refuse:
                self.fail(f"{shapes}: status {error.status}, {error}")
            self.counts["refused"] += 1
            return
        if not outputs:
            return self.fail(f"{shapes}: expected to be refused")
        if len(results) != len(outputs):
            return self.fail(f"{shapes}: {len(results)} results, not {len(outputs)}")
        self.counts["run"] += 1
        for place, (result, expected) in enumerate(zip(results, outputs)):
            apart = difference(result, expected)
            self.worst = max(self.worst, apart)
            if apart > max(self.tolerance, 2 * own[place] if own else 0):
                self.fail(f"{shapes}: result {place} differs by {apart:.3g} of the largest magnitude")

    def check_calls(self, library):
        try:
            program = symshape_c.Program(self.path, library=library)
        except symshape_c.Error as error:
            return self.fail(f"does not compile: {error}")
        self.seconds = program.times.parse + program.times.passes + program.times.jit
        for kind, may_refuse in (("c", False), ("o", True), ("r", True)):
            for inputs, outputs, own in calls_of(self.data, kind):
                self.call(program, inputs, outputs, own, may_refuse)

    def own(self):
        own = max((float(self.data[key]) for key in self.data.files if "_own" in key), default=0)
        return f" (TF Lite from itself {own:.2g})" if own > self.tolerance / 2 else ""

    def check(self, library, tool):
        self.guards, self.seconds = 0, 0.0
        self.check_report(tool)
        self.check_calls(library)
        print(f"{self.path.parent.name}/{self.path.stem}: {'FAILED' if self.failures else 'ok'}, "
              f"{self.counts['run']} calls ran, {self.counts['refused']} refused, {self.guards} guards, "
              f"worst {self.worst:.2g}{self.own()}, compiled in {self.seconds:.1f} s", flush=True)
        for why in self.failures:
            print(f"  {why}", flush=True)
        return not self.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--filter", default="", help="names of the networks that run")
    parser.add_argument("--speed", action="store_true", help="measure instead")
    parser.add_argument("--mediapipe", type=Path, help="the unpacked wheel (default: beside PROGRAMS)")
    parser.add_argument("--rounds", type=int, default=40, help="of the contests of --speed")
    parser.add_argument("--json", type=Path, help="where the numbers of --speed are written")
    arguments = parser.parse_args()
    if arguments.speed:
        import tosa_models_speed
        mediapipe = arguments.mediapipe or arguments.programs.parent / "mediapipe"
        return tosa_models_speed.run(arguments.programs, mediapipe, arguments.build, arguments.rounds,
                                     lambda name: re.search(arguments.filter, name), arguments.json)
    library = symshape_c.load(arguments.build / "lib" / "libSymShapeC.so")
    passed = failed = 0
    for source, tolerance in TOLERANCES.items():
        for path in sorted((arguments.programs / source).glob("*.mlir")):
            if not re.search(arguments.filter, path.stem):
                continue
            good = Network(path, tolerance).check(library, arguments.build / "bin" / "symshape-report")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
