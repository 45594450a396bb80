# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs symshape-run from Python: arrays in, arrays out.

For the demo, the benchmarks and the numeric tests. One `run` is one process and
one compilation, whatever the number of calls.
"""

import os
import re
import subprocess
import sys
import zlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

VERSION = re.compile(r"^call \d+: version ([^,]+)", re.M)
LIVE = re.compile(r"^allocations: live (\d+),.*\n", re.M)
FILLED = 165, 90  # bytes
TIME = re.compile(r"median\s+([0-9.eE+-]+)\s*ms, minimum\s+([0-9.eE+-]+)\s*ms")


@dataclass
class Run:
    """What one process of symshape-run gave."""

    status: int
    stdout: str
    stderr: str
    results: list = field(default_factory=list)  # per call, a list of arrays
    times: list = field(default_factory=list)  # per call, (median, minimum) in ms
    versions: list = field(default_factory=list)  # per call, with --verbose
    live: int = None  # blocks that nobody released, after the last call


def run(program, calls, *, tool="symshape-run", entry="main", results=1, options=(), preexec=None):
    """As `run_once`; a share of the programs, that of the variable SYMRUN_EMPTY, is called with empty arrays as well."""
    settings = {"tool": tool, "entry": entry, "results": results, "options": options}
    run = run_once(program, calls, **settings, preexec=preexec)
    if run.status == 0 and not preexec and is_drawn(program):
        for call in emptied(calls[0] if calls else []):
            check_initialised(program, call, settings)
    return run


def is_drawn(program, variable="SYMRUN_EMPTY", salt=b""):
    """Whether the program is of the share that a variable says; always the same for one text."""
    share = float(os.environ.get(variable, 0))
    return share > 0 and zlib.crc32(Path(program).read_bytes() + salt) % 10000 < share * 10000


def is_quick(program):
    """Whether a test of what the program means, and not of its code, takes the code that serves first calls, for
    half of the time or less; none with the variable SYMSHAPE_LONG."""
    return not os.environ.get("SYMSHAPE_LONG") and is_drawn(program, "SYMRUN_QUICK", b"quick")


def emptied(call):
    """The call with 0 for each of its extents, wherever an array has that extent: axes that must agree do."""
    call = [np.asarray(array) for array in call]
    for extent in sorted({extent for array in call for extent in array.shape} - {0}):
        yield [array[tuple(slice(0 if e == extent else None) for e in array.shape)] for array in call]


def check_initialised(program, call, settings):
    """Runs a call twice, in memory that is filled with one byte and another."""
    runs = [run_once(program, [call], **settings, filled=byte) for byte in FILLED]
    check_same(f"{program} at {[array.shape for array in call]}, options {settings['options']}",
               *((run.status, [array for arrays in run.results for array in arrays], run.stderr) for run in runs))


def check_same(what, one, two):
    """Two outcomes of one call, (status, results, words): it is served or refused, with the same bits either
    way, or the test that asked fails."""
    same = one[0] == two[0] and len(one[1]) == len(two[1]) and all(a.tobytes() == b.tobytes() for a, b in zip(one[1], two[1]))
    if one[0] not in (0, 1, 2, 3) or not same:
        sys.exit(f"{what}: expected the same in filled memory, but got {one} and {two}")


def perturbed(byte):
    """Variables with which memory is filled with a byte when it is freed, and with its inverse when allocated, none
    of it kept in between."""
    return {"MALLOC_PERTURB_": str(byte), "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


def run_once(program, calls, *, tool="symshape-run", entry="main", results=1, options=(), preexec=None, filled=None):
    """Compiles `program` once and runs `entry` on each of `calls`.

    A call is a list of arrays, one per argument that is not a weight; `results`
    is the number of results of the entry. After a failure (status other than 0)
    `results` holds what was written before it. `preexec` is called in the process
    before the tool. Options of the variable SYMRUN_OPTIONS come first. Memory is
    `filled` as `perturbed` says. A share of the programs, that of the variable
    SYMRUN_QUICK, gets code that is made quickly, as `is_quick` says.
    """
    with tempfile.TemporaryDirectory(prefix="symrun") as name:
        folder = Path(name)
        lines = []
        for i, call in enumerate(calls):
            for j, array in enumerate(call):
                np.save(folder / f"in{i}_{j}.npy", np.asarray(array))
            lines.append(" ".join(f"@{folder}/in{i}_{j}.npy" for j in range(len(call))))
        (folder / "calls.txt").write_text("\n".join(lines) + "\n")
        command = [str(tool), str(program), f"--entry={entry}", f"--calls={folder}/calls.txt"]
        command += [f"--output={folder}/out{{call}}_{j}.npy" for j in range(results)]
        options = [*os.environ.get("SYMRUN_OPTIONS", "").split(), *options]
        verbose = ["--verbose"] * ("--verbose" not in options)
        # The code that is tested is that which serves most calls.
        if Path(tool).name == "symshape-run" and not any(option.startswith("--compile") for option in options):
            on_host = not any(option.startswith("--target") for option in options)
            options.append("--compile=quick" if on_host and is_quick(program) else "--compile=sync")
        done = subprocess.run(command + verbose + options, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, preexec_fn=preexec,
                              env={**os.environ, **(perturbed(filled) if filled else {})})
        run = Run(done.returncode, done.stdout, done.stderr)
        for i in range(len(calls)):
            paths = [folder / f"out{i}_{j}.npy" for j in range(results)]
            if all(path.exists() for path in paths):
                run.results.append([np.load(path) for path in paths])
        live = LIVE.search(run.stderr)
        run.live = int(live[1]) if live else None
        run.versions = VERSION.findall(run.stderr)
        run.times = [(float(a), float(b)) for a, b in TIME.findall(done.stdout)]
        return run


def largest_difference(actual, expected):
    """The largest absolute difference; infinite when shapes differ.

    NaN equals NaN, and an infinity equals itself.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return float("inf")
    if actual.size == 0:
        return 0.0
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(actual - expected))
    return float("inf") if np.isnan(difference).any() else float(difference.max())
