# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of low precision: one program for all sizes, beside ONNX Runtime and OpenVINO.

Networks in f32 as they are, and with operands of products rounded to bf16: by
`precision="bf16"` in ours, by default in OpenVINO where the processor multiplies bf16.
Then quantised networks of Python packages, which all read from the same file. Errors are the
largest difference, as a part of the largest number of the result: from ours in f32, and of
quantised networks from ONNX Runtime's.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np
import symshape_c

import decoders
import encoders
import networks
import onnx_graphs
import peers
import run_onnx_models
from bench_onnx import label
from bench_precision import F32, ROUNDED, error_of
from contest import ORT, Group, Ratio, aligned

OPENVINO, OPENVINO_F32, OURS = "OpenVINO", "OpenVINO f32", "symshape"
ASKED, ASKED_QUANTISED = 1.1, 1.0  # of the speed of OpenVINO as it chooses, and of both peers


@dataclass
class Network:
    """`build` gives the serialised model, `inputs` arrays by name for a size."""

    build: Callable
    inputs: Callable
    sizes: list


def image(batch, height, width):
    return {"image": np.random.default_rng(0).standard_normal((batch, 3, height, width), np.float32)}


def words(batch, length):
    return {"ids": np.random.default_rng(0).integers(1, 30000, (batch, length)), "mask": np.ones((batch, length), np.int64)}


IMAGES = [(1, 64, 64), (2, 33, 65), (1, 224, 224), (4, 224, 160), (1, 320, 256), (8, 96, 96)]
PATCHES = [(1, 96, 64), (1, 224, 224), (1, 160, 224), (4, 112, 112), (1, 320, 320), (2, 224, 224)]
SENTENCES = [(1, 7), (1, 16), (1, 64), (1, 128), (1, 384), (8, 32)]
DECODER = decoders.Decoder(24, 512)
# Batch, tokens, and tokens before.
TOKENS = [(1, 1, 64), (1, 1, 512), (1, 33, 1), (1, 128, 128), (4, 1, 128), (2, 64, 33)]
NETWORKS = {
    "BERT-base": Network(lambda: encoders.build("BERT-base"), words, SENTENCES),
    "ViT-B": Network(lambda: encoders.build("ViT-B"), image, PATCHES),
    "ResNet-50": Network(lambda: networks.build("ResNet-50"), image, IMAGES),
    "MobileNetV3-Large": Network(lambda: networks.build("MobileNetV3-Large"), image, IMAGES),
    "U-Net": Network(lambda: networks.build("U-Net"), image, IMAGES),
    "decoder, 24 layers x 512": Network(DECODER.build, DECODER.call, TOKENS),
}
QUICK_NETWORKS, QUICK_SIZES = ["MobileNetV3-Large"], 2
QUANTISED = ["MiniLM of 8 bits", "smart-turn", "text2tashkeel bilstm", "text2tashkeel rawi", "text2tashkeel rawi_ensemble",
             "text2tashkeel rawi_v2", "text2tashkeel rawi_v3"]


def maker_of_calls(bench, path, programs, models):
    """A function from arrays by name to calls by engine; `models` of OpenVINO."""
    session = onnx_graphs.session(str(path), bench.threads)
    names = [info.name for info in session.get_inputs()]

    def make(inputs):
        arrays = {name: aligned(inputs[name], inputs[name].dtype) for name in names}
        calls = {name: symshape_c.Call(program, list(arrays.values())) for name, program in programs.items()}
        calls[ORT] = onnx_graphs.Bound(session, arrays)
        calls.update((name, model.call(arrays)) for name, model in models.items())
        return calls
    return make


def first_result(call):
    return call.results()[0].astype(np.float64)


def rounded(bench, name, network):
    group = Group(f"network {name}", [Ratio(ROUNDED, F32), Ratio(F32, ORT), Ratio(F32, OPENVINO_F32),
                                      Ratio(ROUNDED, OPENVINO, None, ASKED)])
    path = bench.out / f"precision-{name.replace(' ', '-')}.onnx"
    path.write_bytes(network.build())
    programs = {F32: bench.load(path), ROUNDED: bench.load(path, precision="bf16")}
    models = {OPENVINO: peers.OpenVINO(path, bench.threads), OPENVINO_F32: peers.OpenVINO(path, bench.threads, "f32")}
    make = maker_of_calls(bench, path, programs, models)
    for size in network.sizes[:QUICK_SIZES] if bench.quick else network.sizes:
        calls = make(network.inputs(*size))
        row = bench.entry(group, label(size), calls)
        exact = first_result(calls[F32])
        row["error"] = {engine: error_of(first_result(call), exact) for engine, call in calls.items() if engine != F32}
    chosen = models[OPENVINO].precision()
    worst = {engine: max(row["error"][engine] for row in group.rows) for engine in (ROUNDED, OPENVINO, OPENVINO_F32, ORT)}
    group.notes.append(f"OpenVINO computes in {chosen}; largest errors: "
                       + ", ".join(f"{engine} {error:.1e}" for engine, error in worst.items()))
    return group


def quantised(bench):
    group = Group("quantised networks", [Ratio(OURS, peer, None, ASKED_QUANTISED) for peer in (ORT, OPENVINO)])
    models = {model.name: model for model in run_onnx_models.MODELS}
    for name in QUANTISED[:1] if bench.quick else QUANTISED:
        model = models[name]
        path = bench.build / "onnx-models" / model.file
        try:
            peer = {OPENVINO: peers.OpenVINO(path, bench.threads)}
        except RuntimeError as error:
            peer = {}
            group.notes.append(f"OpenVINO refuses {name}: {str(error).strip().splitlines()[-1]}")
        make = maker_of_calls(bench, path, {OURS: bench.load(path)}, peer)
        for size in model.sizes[:QUICK_SIZES] if bench.quick else model.sizes:
            calls = make(model.inputs(*size))
            row = bench.entry(group, f"{name}, {label(size)}", calls)
            exact = first_result(calls[ORT])
            row["error"] = {engine: error_of(first_result(call), exact) for engine, call in calls.items() if engine != ORT}
    worst = {engine: max(row["error"].get(engine, 0) for row in group.rows) for engine in (OURS, OPENVINO)}
    group.notes.append("largest differences from ONNX Runtime: "
                       + ", ".join(f"{engine} {error:.1e}" for engine, error in worst.items()))
    return group


def groups(bench):
    for name in QUICK_NETWORKS if bench.quick else NETWORKS:
        yield rounded(bench, name, NETWORKS[name])
    yield quantised(bench)
