# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a model takes until it can be called, in fresh processes, beside ONNX Runtime and OpenVINO.

For each model: `first`, from nothing to the first answer, as Python users get it (compile="auto");
`final`, to the first answer of the final code (compile="sync"), which goes into an empty cache; `warm`,
in a process that finds it there; each as processor seconds. Then `analysis`, the share of the final
code's compilation that finds out what holds of extents, and the largest stage of it. What misses its
target is named with what takes most of the time. A peer that is not installed is left out, and named.
"""

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import ready_models
from targets import ANALYSIS_SHARE, LARGE_SECONDS, READY

HERE = Path(__file__).resolve().parent
PEERS = ["onnxruntime", "openvino"]
ANALYSES = ["InferShapesPass", "DischargePass", "InsertGuardsPass"]
TOLERANCE = 1e-3  # of the largest number of a result: speed is measured here, and rounding elsewhere


class Runs:
    """Processes for one model."""

    def __init__(self, bench, model, folder):
        self.bench, self.model, self.folder = bench, model, folder
        self.path, inputs = model.write(bench)
        np.savez(folder / "inputs.npz", **inputs)

    def run(self, engine, cache="off", compile="sync", report=False):
        """What it takes, and the results; None for a peer that refuses the model."""
        command = [sys.executable, HERE / "ready_process.py", engine, self.path, self.folder / "inputs.npz",
                   self.folder / "results.npz", f"--library={self.bench.build}/lib/libSymShapeC.so", f"--compile={compile}",
                   f"--entry={self.model.entry}", *["--report"] * report]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              env={**os.environ, "SYMSHAPE_CACHE": str(cache)})
        if done.returncode and engine in PEERS:
            return None
        if done.returncode:
            sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
        with np.load(self.folder / "results.npz") as file:
            return json.loads(done.stdout), [file[name] for name in file.files]

    def median(self, engine, empties=False, **options):
        """`empties`: with an empty cache each time."""
        runs = []
        for _ in range(1 if self.bench.quick else min(3, self.bench.rounds)):
            if empties:
                shutil.rmtree(options["cache"], ignore_errors=True)
            runs.append(self.run(engine, **options))
            if not runs[-1]:
                return None, None
        found = {key: statistics.median(run[key] for run, _ in runs) for key in runs[0][0]}
        return found, runs[0][1]


def difference(results, expected):
    return max((float(np.abs(a.astype(np.float64) - b).max(initial=0) / max(1e-3, np.abs(b).max(initial=0)))
                for a, b in zip(results, expected, strict=True)), default=0.0)


def describe(report):
    """Where a compilation's time goes: the share of the analysis, and stages and passes by seconds."""
    passes = {each["name"]: each["seconds"] for each in report["passes"]}
    stages = {each["name"]: each["seconds"] for each in report["stages"]}
    return {"seconds": report["seconds"], "analysis": sum(passes.get(name, 0) for name in ANALYSES) / report["seconds"],
            "stages": stages, "passes": dict(list(passes.items())[:5]), "asked": report["numAsked"],
            "question_seconds": report["questionSeconds"], "instructions": report["numInstructions"]}


def measure(bench, model, peers):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = Runs(bench, model, folder)
        row, results = {"entry": model.name, "model_bytes": runs.path.stat().st_size}, {}
        row["first"], results["first"] = runs.median("symshape", compile="auto")
        row["final"], results["final"] = runs.median("symshape", empties=True, cache=folder / "cache")
        row["warm"], results["warm"] = runs.median("symshape", cache=folder / "cache", compile="auto")
        row["report"] = describe(runs.run("symshape", report=True)[0])
        for peer in peers:
            row[peer], results[peer] = runs.median(peer) if runs.path.suffix == ".onnx" else (None, None)
        results = {engine: found for engine, found in results.items() if found is not None}
        reference = results.get("onnxruntime", results["final"])
        row["difference"] = max(difference(found, reference) for found in results.values())
        row["most_apart"] = max(results, key=lambda engine: difference(results[engine], reference))
        return row


def run(bench):
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer)]
    chosen = [model for model in ready_models.models() if not bench.quick or model.name in ready_models.QUICK]
    rows = []
    for model in chosen:
        rows.append(measure(bench, model, peers))
        report_row(rows[-1], peers, is_first=len(rows) == 1)
        (bench.out / "ready.json").write_text(json.dumps(rows, indent=1) + "\n")  # what there is, if a run is ended
    return {"rows": rows, "missing": [peer for peer in PEERS if peer not in peers]}


def report_row(row, peers, is_first):
    columns = ["first", "final", "warm", *peers]
    if is_first:
        print(f"\nUntil the first answer, processor seconds (wall in brackets) in a process of its own; the share of the "
              f"analysis; MiB resident after it, and at most, beyond a process that has loaded the engine\n  {'':<28}"
              + "".join(f"{column:>16}" for column in columns) + f"{'analysis':>10}" +
              "".join(f"{'MiB ' + column:>18}" for column in ("final", *peers)))
    memory = "".join(f"{row[column]['resident_bytes'] / 2**20:>10.0f},{row[column]['peak_bytes'] / 2**20:>6.0f} "
                     if row[column] else f"{'':>18}" for column in ("final", *peers))
    remark = f"  {row['most_apart']} DIFFERS by {row['difference']:.1g}" if not row["difference"] <= TOLERANCE else ""
    seconds = "".join(f"{row[column]['processor']:>8.2f} ({row[column]['wall']:>5.2f})" if row[column] else f"{'refuses':>16}"
                      for column in columns)
    print(f"  {row['entry']:<28}" + seconds + f"{row['report']['analysis']:>9.0%} " + memory + remark, flush=True)


def largest(parts):
    """The part that takes most, and its share of all."""
    name = max(parts, key=parts.get)
    return f"{name} {parts[name]:.2f} s of {sum(parts.values()):.2f}"


def cause(row, what):
    """What takes most of the time of a run that misses its target."""
    if what in ("first", "warm"):
        took = row[what]
        return largest({"loading the engine": took["loaded"], "making the program": took["made"] - took["loaded"],
                        "the call": took["processor"] - took["made"]})
    name, seconds = next((pair for pair in row["report"]["passes"].items() if not pair[0].startswith("(A)")))
    return f"{largest(row['report']['stages'])}; of passes {name} {seconds:.2f}"


def report(result):
    for peer in result["missing"]:
        print(f"  left out: {peer}, which is not installed")
    rows = result["rows"]
    print(f"\n{len(rows)} models")
    for what, most in READY.items():
        missed = []
        for row in rows:
            least = LARGE_SECONDS if what == "final" and row["entry"] == ready_models.LARGE else most
            if row[what]["processor"] > least:
                missed.append(row)
        print(f"{what}: at most {most} s of the processor; {len(rows) - len(missed)} meet it, {len(missed)} miss it")
        for row in sorted(missed, key=lambda row: -row[what]["processor"]):
            print(f"  {row['entry']:<28}{row[what]['processor']:>8.2f} s: {cause(row, what)}")
    missed = [row for row in rows if row["report"]["analysis"] > ANALYSIS_SHARE]
    print(f"analysis: at most {ANALYSIS_SHARE:.0%} of a compilation; {len(rows) - len(missed)} meet it, {len(missed)} miss it")
    for row in sorted(missed, key=lambda row: -row["report"]["analysis"]):
        print(f"  {row['entry']:<28}{row['report']['analysis']:>8.0%} of {row['report']['seconds']:.2f} s; "
              f"{row['report']['asked']} questions, {row['report']['question_seconds']:.2f} s")
