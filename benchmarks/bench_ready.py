# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a model takes until it can be called, in fresh processes, beside ONNX Runtime and OpenVINO.

For each model: `first`, from nothing to the first answer, as Python users get it (compile="auto");
`final`, to the first answer of the final code (compile="sync"); `warm`, in a process after the one
that left that code in the cache; each as processor seconds. Public models come from Python packages
(utils/requirements/onnx-models.txt), networks and decoders from their generators. A peer that is not
installed is left out, and named.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import onnx

import decoders
import networks
import run_onnx_models

HERE = Path(__file__).resolve().parent
PEERS = ["onnxruntime", "openvino"]
DECODERS = {"decoder, 3 layers": (3, 64), "decoder, 12 layers": (12, 64), "decoder, 24 layers x 512": (24, 512)}
QUICK = ["silero", "MiniLM", "ResNet-18", "decoder, 3 layers"]
TOLERANCE = 1e-3  # of the largest number of a result: speed is measured here, and rounding elsewhere


@dataclass
class Model:
    """`write` gives the path of the file and the inputs of a call, by name."""

    name: str
    write: Callable


def write_public(model):
    return lambda bench: (bench.build / "onnx-models" / model.file, model.inputs(*model.sizes[0]))


def write_network(name):
    def write(bench):
        path = bench.out / f"ready-{name.replace(' ', '-')}.onnx"
        path.write_bytes(networks.build(name))
        return path, {"image": np.random.default_rng(0).standard_normal((1, 3, 64, 64), np.float32)}
    return write


def write_decoder(name):
    def write(bench):
        decoder = decoders.Decoder(*DECODERS[name])
        path = bench.out / f"ready-{name.replace(' ', '-').replace(',', '')}.onnx"
        path.write_bytes(decoder.build())
        return path, decoder.call(1, 5, 7)
    return write


def models(quick):
    found = [Model(model.name, write_public(model)) for model in run_onnx_models.MODELS]
    found += [Model(name, write_network(name)) for name in networks.NETWORKS]
    found += [Model(name, write_decoder(name)) for name in DECODERS]
    return [model for model in found if not quick or model.name in QUICK]


def in_order(path, inputs):
    """The arrays in the order of the model's inputs."""
    graph = onnx.load(path, load_external_data=False).graph
    weights = {weight.name for weight in graph.initializer}
    return {info.name: inputs[info.name] for info in graph.input if info.name not in weights}


class Runs:
    """Processes for one model."""

    def __init__(self, bench, path, inputs, folder):
        self.bench, self.path, self.folder = bench, path, folder
        np.savez(folder / "inputs.npz", **in_order(path, inputs))

    def run(self, engine, cache="off", compile="sync"):
        """What it takes, and the results; None for a peer that refuses the model."""
        command = [sys.executable, HERE / "ready_process.py", engine, self.path, self.folder / "inputs.npz",
                   self.folder / "results.npz", f"--library={self.bench.build}/lib/libSymShapeC.so", f"--compile={compile}"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              env={**os.environ, "SYMSHAPE_CACHE": str(cache)})
        if done.returncode and engine in PEERS:
            return None
        if done.returncode:
            sys.exit(f"bench: {' '.join(map(str, command))} failed\n{done.stderr}")
        with np.load(self.folder / "results.npz") as file:
            return json.loads(done.stdout), [file[name] for name in file.files]

    def median(self, engine, **options):
        runs = [self.run(engine, **options) for _ in range(1 if self.bench.quick else 3)]
        if not all(runs):
            return None, None
        found = {key: statistics.median(run[key] for run, _ in runs) for key in runs[0][0]}
        return found, runs[0][1]


def difference(results, expected):
    return max((float(np.abs(a.astype(np.float64) - b).max(initial=0) / max(1e-3, np.abs(b).max(initial=0)))
                for a, b in zip(results, expected, strict=True)), default=0.0)


def measure(bench, model, peers):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, inputs = model.write(bench)
        runs = Runs(bench, path, inputs, folder)
        row, results = {"entry": model.name, "model_bytes": path.stat().st_size}, {}
        row["first"], results["first"] = runs.median("symshape", compile="auto")
        row["final"], results["final"] = runs.median("symshape")
        runs.run("symshape", cache=folder / "cache")
        row["warm"], results["warm"] = runs.median("symshape", cache=folder / "cache", compile="auto")
        for peer in peers:
            row[peer], results[peer] = runs.median(peer)
        results = {engine: found for engine, found in results.items() if found is not None}
        reference = results.get("onnxruntime", results["final"])
        row["difference"] = max(difference(found, reference) for found in results.values())
        return row


def run(bench):
    peers = [peer for peer in PEERS if importlib.util.find_spec(peer)]
    rows = []
    for model in models(bench.quick):
        rows.append(measure(bench, model, peers))
        report_row(rows[-1], peers, is_first=len(rows) == 1)
    return {"rows": rows, "missing": [peer for peer in PEERS if peer not in peers]}


def report_row(row, peers, is_first):
    columns = ["first", "final", "warm", *peers]
    if is_first:
        print(f"\nUntil the first answer, processor seconds in a process of its own; MiB resident after it, and at most, "
              f"beyond a process that has loaded the engine\n  {'':<28}" + "".join(f"{column:>13}" for column in columns) +
              "".join(f"{'MiB ' + column:>18}" for column in ("final", *peers)))
    memory = "".join(f"{row[column]['resident_bytes'] / 2**20:>10.0f},{row[column]['peak_bytes'] / 2**20:>6.0f} "
                     if row[column] else f"{'':>18}" for column in ("final", *peers))
    remark = f"  DIFFERS by {row['difference']:.1g}" if not row["difference"] <= TOLERANCE else ""
    seconds = "".join(f"{row[column]['processor']:>13.2f}" if row[column] else f"{'refuses':>13}" for column in columns)
    print(f"  {row['entry']:<28}" + seconds + memory + remark, flush=True)


def report(result):
    for peer in result["missing"]:
        print(f"  left out: {peer}, which is not installed")
