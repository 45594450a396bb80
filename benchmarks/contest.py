# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contests between calls in one process, and what is said about them.

The contestants of an entry (symshape's builds, ONNX Runtime) run in turn, in many
short rounds, on the same inputs. A time is the median over the rounds; a ratio is
the median over the rounds of the ratio within the round, so that a slow phase of
the machine touches both sides. With one thread the clock is that of the thread: it
stands still while the system runs something else, and is the time on the wall
otherwise. With several it is the time on the wall.
"""

import json
import math
import os
import statistics
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import symshape_c

ORT = "onnxruntime"
ROUND_SECONDS = 2e-3  # of one contestant in one round, at least one call
QUIET_SECONDS = 30e-3  # until the threads of the contestant before no longer spin


@dataclass
class Ratio:
    """Says: time of `against` over time of `name`, and what is asked of it."""

    name: str
    against: str = ORT
    geomean: float = None  # the least that meets the target
    worst: float = None


@dataclass
class Group:
    """Entries of one kind, and the ratios that are asked of each."""

    title: str
    ratios: list
    rows: list = field(default_factory=list)
    notes: list = field(default_factory=list)


class Bench:
    """The settings of a run, and where its files go."""

    def __init__(self, build, rounds, quick, threads):
        self.build, self.rounds, self.quick, self.threads = build.resolve(), rounds, quick, threads
        self.out = self.build / "bench"
        self.out.mkdir(exist_ok=True)
        self.library = symshape_c.load(self.build / "lib" / "libSymShapeC.so")

    def compile(self, name, text, arrays=None, **options):
        """A program from its text; `arrays` maps names of weights to float32 arrays."""
        path = self.out / f"{name}.mlir"
        path.write_text(text)
        if arrays:
            options["weights"] = self.out / f"{name}.safetensors"
            save_weights(options["weights"], arrays)
        return self.load(path, **options)

    def load(self, path, **options):
        return symshape_c.Program(path, library=self.library, threads=self.threads, **options)

    def entry(self, group, label, contestants, work=None, **more):
        """Runs a contest and appends its row; `work` is in floating-point operations."""
        alone = self.threads == 1
        times = compete(contestants, self.rounds, time.thread_time if alone else time.perf_counter,
                        0 if alone else QUIET_SECONDS)
        row = {"entry": label, "us": {name: statistics.median(t) * 1e6 for name, t in times.items()}, **more}
        if work:
            row["gflops"] = {name: work / us / 1e3 for name, us in row["us"].items()}
        row["ratio"] = {}
        for ratio in group.ratios:
            if ratio.name in times and ratio.against in times:
                pairs = zip(times[ratio.against], times[ratio.name])
                row["ratio"][key_of(ratio)] = statistics.median(theirs / ours for theirs, ours in pairs)
        group.rows.append(row)
        return row


def compete(contestants, rounds, clock, pause):
    """Name to seconds per call, one number per round; `pause` seconds before each."""
    repeats = {}
    for name, call in contestants.items():
        call()
        start = clock()
        call()
        repeats[name] = max(1, min(2000, int(ROUND_SECONDS / max(clock() - start, 1e-7))))
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, call in contestants.items():
            time.sleep(pause)
            call()  # caches and pools after the other one
            count = repeats[name]
            start = clock()
            for _ in range(count):
                call()
            times[name].append((clock() - start) / count)
    return times


def key_of(ratio):
    return f"{ratio.name}/{ratio.against}"


def geomean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def summary(group):
    """For each ratio of a group: geometric mean, worst entry, and met or missed."""
    result = {}
    for ratio in group.ratios:
        key = key_of(ratio)
        rows = [row for row in group.rows if key in row["ratio"]]
        if not rows:
            continue
        worst = min(rows, key=lambda row: row["ratio"][key])
        entry = {"geomean": geomean([row["ratio"][key] for row in rows]),
                 "worst": worst["ratio"][key], "worst_entry": worst["entry"]}
        for name in ("geomean", "worst"):
            target = getattr(ratio, name)
            if target is not None:
                entry[f"{name}_target"] = target
                entry[f"{name}_verdict"] = "met" if entry[name] >= target else "missed"
        result[key] = entry
    return result


def report(group):
    """Prints the table of a group, and its summary."""
    print(f"\n{group.title}")
    names = list(dict.fromkeys(name for row in group.rows for name in row["us"]))
    keys = [key_of(ratio) for ratio in group.ratios]
    rates = any("gflops" in row for row in group.rows)
    width = 20 if rates else 13
    print(f"  {'':<26}" + "".join(f"{name:>{width}}" for name in names)
          + "".join(f"{ratio.name[:11]:>12}" for ratio in group.ratios))
    print(f"  {'':<26}" + "".join(f"{'us  GFLOP/s' if rates else 'us':>{width}}" for _ in names)
          + "".join(f"{'/' + short(ratio.against):>12}" for ratio in group.ratios))
    for row in group.rows:
        cells = ""
        for name in names:
            us = row["us"].get(name)
            cell = "" if us is None else f"{us:.1f}" if us < 1e5 else f"{us:.0f}"
            if rates:
                rate = row.get("gflops", {}).get(name)
                cell += f"{'' if rate is None else format(rate, '.1f'):>9}"
            cells += f"{cell:>{width}}"
        ratios = "".join(f"{format(row['ratio'][key], '.2f') if key in row['ratio'] else '':>12}"
                         for key in keys)
        print(f"  {row['entry']:<26}{cells}{ratios}{'  ' + row['remark'] if row.get('remark') else ''}")
    for key, entry in summary(group).items():
        line = f"  {key}: "
        parts = []
        for name in ("geomean", "worst"):
            text = f"{'geometric mean' if name == 'geomean' else 'worst'} {entry[name]:.3f}"
            if name == "worst":
                text += f" ({entry['worst_entry']})"
            if f"{name}_target" in entry:
                text += f", target {entry[name + '_target']}: {entry[name + '_verdict']}"
            parts.append(text)
        print(line + "; ".join(parts))
    for note in group.notes:
        print(f"  {note}")


def short(name):
    return {"onnxruntime": "ORT"}.get(name, name)


def aligned(array, dtype=np.float32):
    """A copy whose first element lies at a multiple of 64 bytes."""
    array = np.asarray(array, dtype)
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    result = memory[start : start + array.nbytes].view(dtype).reshape(array.shape)
    result[...] = array
    return result


def save_weights(path, weights):
    """Writes a .safetensors file of float32 arrays."""
    header, begin = {}, 0
    arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64 + 56)  # so that the data is aligned to 64 bytes
    with Path(path).open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.tobytes())


def machine():
    """Vector width, caches and cores of this machine."""
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith(("flags", "Features"))), "").split()
    vector = next((bits for flag, bits in (("avx512f", 512), ("avx2", 256)) if flag in flags), 128)
    caches = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        read = lambda name: (folder / name).read_text().strip()
        if read("type") != "Instruction":
            caches["L" + read("level")] = read("size")
    return {"architecture": os.uname().machine, "vector_bits": vector, "caches": caches,
            "cores": os.cpu_count()}
