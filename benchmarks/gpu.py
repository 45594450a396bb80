# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctness and speed of bundles on a GPU; see gpu.sh.

Every number is of the device alone (--kernel-time), the best of some runs, but for the
demo model, where whole calls are timed as well. A column that is empty could not be
measured here; why stands below the tables.
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "utils")]

import numpy as np

import gpu_peers

REPEAT = 20
STORED = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16, "f16": np.float16, "i64": np.int64, "i32": np.int32}
DTYPES = {"f32": "F32", "f64": "F64", "bf16": "BF16", "f16": "F16", "i64": "I64", "i32": "I32"}
# What a sum of k products may be off by, relative to the sum of their magnitudes. Tensor cores cut
# off, at each step, what is below the largest term.
BOUNDS = {"f32": 2.0**-22, "bf16": 2.0**-20}
# Tiles of products by wgmma, and what has it.
GROUPS = {"narrow": "128 x 128", "wide": "128 x 256"}
GROUPS_CAPABILITY = 90
MODEL_TOLERANCE = 1e-5
ROW_TOLERANCE = 1e-5


# What is asked of columns: of the copy of the driver, of cuBLAS by the type of elements, of static builds.
ASKED = {"general / copy": 0.85, "dynamic / static": 0.97, "f32": {"of cuBLAS": 0.85}, "bf16": {"of cuBLAS": 0.5}}


class Failed(Exception):
    """A bundle did not run."""


class Session:
    """The folder, its plan, and the time that is left."""

    def __init__(self, args):
        self.folder, self.tiny = args.folder.resolve(), args.tiny
        self.plan = json.loads((self.folder / "plan.json").read_text())
        scale = "tiny" if args.tiny else "full"
        if scale not in self.plan:
            sys.exit(f"expected a folder with {scale} sizes, but '{self.folder}' has none")
        self.sizes = self.plan[scale]
        self.runner = self.folder / "symshape-bundle-run"
        self.repeat = 2 if args.tiny else REPEAT
        self.end = time.monotonic() + 60 * args.minutes
        memory = Path("/dev/shm")
        self.scratch = Path(tempfile.mkdtemp(prefix="symshape-gpu", dir=memory if memory.is_dir() else None))
        self.wrong, self.skipped, self.tables = 0, [], []
        self.capability = None

    def has_time(self, what):
        if time.monotonic() < self.end:
            return True
        self.skipped.append(what)
        return False

    def has_groups(self, what):
        """Whether the device has wgmma: code for sm_90a is for that one alone."""
        if self.capability != GROUPS_CAPABILITY:
            gpu_peers.problems[what] = f"the device has sm_{self.capability}, and not sm_90"
        return self.capability == GROUPS_CAPABILITY

    def run(self, bundle, calls, options=(), results=1, prefix=()):
        """Makes calls, each a list of specs; returns (arrays of each call, lines of each call)."""
        (self.scratch / "calls").write_text("\n".join(" ".join(call) for call in calls) + "\n")
        outputs = [str(self.scratch / f"out{{call}}_{j}.npy") for j in range(results)]
        command = [*prefix, str(self.runner), str(self.folder / bundle), f"--calls={self.scratch}/calls",
                   *[f"--output={path}" for path in outputs], *options]
        left = max(30.0, self.end - time.monotonic() + 30)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=left, check=False)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[0]
            raise Failed(f"{bundle}: exit status {done.returncode}: {said[:300]}")
        arrays = [[np.load(path.replace("{call}", str(i))) for path in outputs] for i in range(len(calls))]
        for path in self.scratch.glob("out*.npy"):
            path.unlink()
        return arrays, done.stdout

    def kernel_seconds(self, bundle, calls, options=()):
        """The device's best seconds for each call."""
        _, text = self.run(bundle, calls, ["--kernel-time", f"--repeat={self.repeat}", *options])
        return [1e-3 * float(number) for number in re.findall(r"^kernels: .*minimum ([0-9.]+) ms$", text, re.M)]

    def expect(self, condition, what):
        if not condition:
            self.wrong += 1
            print(f"  wrong: {what}")
        return condition


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def table(session, title, heads, lines, asked=None):
    asked = {head: least for head, least in (asked or {}).items() if head in heads}
    session.tables.append({"title": title, "heads": heads, "lines": lines, "asked": asked})
    print(f"\n{title}")
    texts = [heads, *[[str(cell) for cell in line] for line in lines]]
    widths = [max(len(text[i]) for text in texts) for i in range(len(heads))]
    for text in texts:
        print("  " + "  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(text, widths))).rstrip())


def weights_file(session, bundle):
    """Random weights for a bundle, as its signature asks for them; the arrays by name, as floats."""
    signature = json.loads((session.folder / bundle / "signature.json").read_text())
    rng, header, data, values, offset = np.random.default_rng(3), {}, [], {}, 0
    for argument in signature["arguments"]:
        if "weight" not in argument:
            continue
        shape, element = argument["shape"], argument["element"]
        array = (0.1 * rng.standard_normal(shape)).astype(np.float32)
        if "norm" in argument["weight"].lower() and argument["weight"].endswith("weight"):
            array += 1
        if element == "bf16":  # the upper half of a float
            stored = (array.view(np.uint32) >> 16).astype(np.uint16)
            array = (stored.astype(np.uint32) << 16).view(np.float32)
        else:
            stored = array.astype(STORED[element])
        values[argument["weight"]] = array
        header[argument["weight"]] = {"dtype": DTYPES[element], "shape": shape,
                                      "data_offsets": [offset, offset + stored.nbytes]}
        offset += stored.nbytes
        data.append(stored)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = session.scratch / "weights.safetensors"
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in data:
            file.write(array.tobytes())
    return path, values


def difference(a, b):
    """The largest difference, relative to the larger of 1 and the magnitude; infinite where shapes differ."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return float("inf")
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        away = np.abs(x - y) / np.maximum(1, np.where(np.isfinite(y), np.abs(y), 1))
    return float(np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.nan_to_num(away, nan=np.inf)).max(initial=0))


def check_kernels(session):
    """Each kind of kernel beside the CPU and beside the simulator; in memory of NaN and without, to the same bits."""
    lines = []
    for entry in session.plan["kernels"]:
        if not session.has_time("kernels"):
            break
        name, count = entry["name"], entry["results"]
        if entry["groups"] and not session.has_groups("kernels by wgmma"):
            continue
        calls = [[f"@{path}" for path in call["inputs"]] for call in entry["calls"]]
        try:
            gpu, _ = session.run(entry["bundles"]["nvvm"], calls, ["--poison"], results=count)
            again, _ = session.run(entry["bundles"]["nvvm"], calls, results=count)
            cpu, _ = session.run(entry["bundles"]["cpu"], calls, results=count)
        except Failed as problem:
            session.expect(False, str(problem))
            continue
        away = max(difference(a, b) for x, y in zip(gpu, cpu) for a, b in zip(x, y))
        session.expect(away <= entry["tolerance"], f"{name}: {away} from the CPU")
        session.expect(all(a.tobytes() == b.tobytes() for x, y in zip(gpu, again) for a, b in zip(x, y)),
                       f"{name}: two runs differ")
        simulated = [difference(a, np.load(session.folder / path)) for call, x in zip(entry["calls"], gpu)
                     for a, path in zip(x, call["simulated"])]
        session.expect(max(simulated, default=0) <= max(entry["tolerance"], 1e-6), f"{name}: unlike the simulator")
        lines.append([name, len(calls), f"{away:.1e}", f"{max(simulated, default=float('nan')):.1e}"])
    table(session, "kernels: largest differences", ["", "calls", "from the CPU", "from the simulator"], lines)


def check_rows(session, entry):
    """The general program beside the CPU, at small sizes."""
    gpu, _ = session.run(entry["bundles"]["general"], entry["check inputs"])
    cpu, _ = session.run(entry["bundles"]["cpu"], entry["check inputs"])
    away = max(difference(a, b) for (a,), (b,) in zip(gpu, cpu))
    session.expect(away <= ROW_TOLERANCE, f"{entry['name']}: {away} from the CPU")


def measure_rows(session, copy, torch):
    lines = []
    for entry in session.sizes["rows"]:
        if not session.has_time("rows"):
            break
        name, (m, n), (odd_m, odd_n) = entry["name"], entry["size"], entry["odd"]
        bundles = entry["bundles"]
        check_rows(session, entry)
        general, odd = session.kernel_seconds(bundles["general"], [entry["inputs"], entry["odd inputs"]])
        proved, = session.kernel_seconds(bundles["proved"], [entry["inputs"]])
        static, = session.kernel_seconds(bundles["static"], [entry["inputs"]])
        compiled = gpu_peers.attempt("PyTorch", torch.seconds, name, entry["inputs"], entry["odd inputs"]) if torch else None

        def rate(seconds, elements=m * n):
            return 1e-9 * entry["bytes"] * elements / seconds if seconds else None

        lines.append([name, f"{m} x {n}", *(number(rate(s), 1) for s in (proved, general)), number(rate(odd, odd_m * odd_n), 1),
                      number(rate(static), 1), number(rate(compiled), 1), number(rate(general) / copy if copy and general else None),
                      number(static / general if general else None)])
    table(session, "rows of f32, GB/s", ["", "size", "proved", "general", "odd size", "static", "torch.compile", "general / copy",
                                "dynamic / static"], lines, ASKED)


def check_product(session, bundle, weights, values, element, m, k):
    """C = A B beside NumPy in f64."""
    rng = np.random.default_rng(m)
    a = rng.uniform(-1, 1, (m, k)).astype(np.float32)
    stored = a
    if element == "bf16":
        stored = (a.view(np.uint32) >> 16).astype(np.uint16)
        a = (stored.astype(np.uint32) << 16).view(np.float32)
        stored = stored.view(np.dtype("V2"))
    np.save(session.scratch / "a.npy", stored)
    ((actual,),), _ = session.run(bundle, [[f"@{session.scratch}/a.npy"]], [f"--weights={weights}"])
    b = values["B"].astype(np.float64)
    expected, scale = a.astype(np.float64) @ b, np.abs(a).astype(np.float64) @ np.abs(b)
    away = float((np.abs(actual - expected) / np.maximum(scale, 1e-30)).max(initial=0))
    session.expect(actual.shape == expected.shape and away <= BOUNDS[element], f"{bundle} at {m}: {away} of the magnitude")
    return away


def measure_groups(session, entry, tile, weights, values):
    """Seconds of products by four warps, in tiles of one size, for each number of rows; None where they do not run.

    Rows that are not a multiple of 16 bytes are by mma.sync all the same.
    """
    bundle, k = entry["bundles"][tile], entry["k"]
    if not session.has_groups("products by wgmma") or not session.has_time("products by wgmma"):
        return [None] * len(entry["m"])
    for m in entry["m"]:
        if m <= 1024:
            check_product(session, bundle, weights, values, "bf16", m, k)
    return session.kernel_seconds(bundle, [[f"{m}x{k}xbf16=random:{m}"] for m in entry["m"]], [f"--weights={weights}"])


def measure_products(session, cublas):
    for element in ("f32", "bf16"):
        lines = []
        for entry in session.sizes["products"]:
            if entry["element"] != element or not session.has_time(f"products of {element}"):
                continue
            n, k, sizes = entry["n"], entry["k"], entry["m"]
            weights, values = weights_file(session, entry["bundles"]["dynamic"])
            option = [f"--weights={weights}"]
            away = max(check_product(session, entry["bundles"]["dynamic"], weights, values, element, m, k)
                       for m in sizes if m <= 128)
            dynamic = session.kernel_seconds(entry["bundles"]["dynamic"],
                                             [[f"{m}x{k}x{element}=random:{m}"] for m in sizes], option)
            groups = [measure_groups(session, entry, tile, weights, values) for tile in GROUPS] if element == "bf16" else []
            m = entry["static m"]
            static, = session.kernel_seconds(entry["bundles"]["static"], [[f"{m}x{k}x{element}=random:1"]], option)
            for i, (m, seconds) in enumerate(zip(sizes, dynamic)):
                theirs = gpu_peers.attempt("cuBLAS", cublas.seconds, element, m, n, k) if cublas else None
                rate = 2e-12 * m * n * k
                is_static = m == entry["static m"]
                lines.append([f"{n} x {k}", m, number(rate / seconds if seconds else None, 3),
                              number(rate / theirs if theirs else None, 3), number(theirs / seconds if theirs and seconds else None),
                              number(static / seconds if is_static and seconds else None), f"{away:.0e}",
                              *(number(rate / group[i] if group[i] else None, 3) for group in groups)])
        heads = ["N x K", "M", "symshape", "cuBLAS", "of cuBLAS", "dynamic / static", "error"]
        heads += [f"wgmma {tile}" for tile in GROUPS.values()] if element == "bf16" else []
        table(session, f"products of {element} with sums of f32, TFLOP/s", heads, lines, {**ASKED, **ASKED[element]})


def measure_model(session, torch):
    entry, lines = session.sizes["model"], []
    theirs = gpu_peers.attempt("PyTorch's model", torch.model) if torch else None
    if not session.has_time("the model"):
        return
    weights, _ = weights_file(session, entry["bundles"]["nvvm"])
    calls = [[f"{b}x{length}xi64=random:1:0:30522", f"{b}x{length}xi64=random:2:1:2"] for b, length in entry["shapes"]]
    options = [f"--weights={weights}"]
    gpu, text = session.run(entry["bundles"]["nvvm"], calls, [*options, "--time", "--kernel-time", "--counts",
                                                               f"--repeat={session.repeat}"])
    cpu, _ = session.run(entry["bundles"]["cpu"], calls, options)
    whole = re.findall(r"^time: median ([0-9.]+) ms", text, re.M)
    device = re.findall(r"^kernels: median ([0-9.]+) ms", text, re.M)
    counts = re.findall(r"^launches: (\d+), reads: (\d+)$", text, re.M)
    for (b, length), (x,), (y,), call, kernels, (launches, reads) in zip(entry["shapes"], gpu, cpu, whole, device, counts):
        away = difference(x, y)
        session.expect(away <= MODEL_TOLERANCE, f"the model at {b} x {length}: {away} from the CPU")
        seconds = gpu_peers.attempt("PyTorch's model", theirs, b, length) if theirs else None
        lines.append([f"{b} x {length}", call, kernels, launches, reads, f"{away:.1e}", number(seconds and 1e3 * seconds, 4)])
    table(session, "MiniLM, ms", ["", "call", "kernels", "launches", "reads", "from the CPU", "PyTorch, kernels"], lines)


def sanitize(session):
    """Small calls of each kernel under compute-sanitizer."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if session.tiny or not Path(tool).exists():
        gpu_peers.problems["compute-sanitizer"] = "not there" if not session.tiny else "not with --tiny"
        return
    lines = []
    for kind in ("memcheck", "racecheck"):
        found = 0
        for entry in session.plan["kernels"]:
            if entry["groups"] and session.capability != GROUPS_CAPABILITY:
                continue
            if not session.has_time(f"compute-sanitizer {kind}"):
                break
            calls = [[f"@{path}" for path in call["inputs"]] for call in entry["calls"][:4]]
            try:
                session.run(entry["bundles"]["nvvm"], calls, results=entry["results"],
                            prefix=[tool, f"--tool={kind}", "--error-exitcode=9"])
            except Failed as problem:
                found += 1
                session.expect(False, f"{kind}: {problem}")
        lines.append([kind, found])
    table(session, "compute-sanitizer", ["", "kernels with faults"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="what gpu_bundles.py made")
    parser.add_argument("--tiny", action="store_true", help="small sizes, for a simulator")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables to this file as well")
    parser.add_argument("--minutes", type=float, default=9.5, help="begin nothing after this time")
    args = parser.parse_args()
    session = Session(args)
    path = os.environ.get("SYMSHAPE_CUDA_LIBRARY") or "libcuda.so.1"
    driver = gpu_peers.Driver(path)
    session.capability = driver.capability()
    cublas = None if session.tiny else gpu_peers.attempt("cuBLAS", gpu_peers.Cublas, driver)
    torch = None if session.tiny else gpu_peers.attempt("PyTorch", gpu_peers.Torch)
    count = 1 << (12 if session.tiny else 28)
    seconds = gpu_peers.attempt("copies", driver.copy_seconds, count)
    copy = 2e-9 * count / seconds if seconds else None  # each byte is read and written
    print(f"{driver.name()}; copies on the device: {number(copy, 1)} GB/s")
    try:
        check_kernels(session)
        measure_rows(session, copy, torch)
        measure_products(session, cublas)
        measure_model(session, torch)
        sanitize(session)
    except (Failed, subprocess.TimeoutExpired) as problem:
        session.expect(False, str(problem)[:400])
    finally:
        shutil.rmtree(session.scratch, ignore_errors=True)
    for name, problem in gpu_peers.problems.items():
        print(f"\nnot measured: {name}: {problem}", end="")
    for what in sorted(set(session.skipped)):
        print(f"\nno time was left: {what}", end="")
    if args.json:
        args.json.write_text(json.dumps({"device": driver.name(), "copy": copy, "wrong": session.wrong,
                                         "tables": session.tables}))
    print(f"\n{session.wrong} results are wrong" if session.wrong else "\nall results are right")
    return 1 if session.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
