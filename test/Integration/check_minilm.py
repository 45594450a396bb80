# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the encoder of examples/minilm with random weights beside NumPy.

    check_minilm.py EXAMPLE-FOLDER LAYERS

One dynamic compilation at many shapes, extents 0 and 1 among them, and a static
one. What a call allocates is counted. The published weights are not needed: the demo compares with those.
"""

import math
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks
from weights_file import safetensors

sys.path.insert(0, sys.argv[1])
import program

SHAPES = [(1, 1), (2, 7), (0, 5), (2, 0), (3, 33), (1, 130)]
STATIC = (2, 7)
TOLERANCE = 5e-6


def make_weights(layers):
    """Name to array, of the names and shapes that the program declares."""
    rng = np.random.default_rng(3)
    declared = list(program.EMBEDDING_WEIGHTS)
    for i in range(layers):
        declared += [(name, type_, f"encoder.layer.{i}.{weight}")
                     for name, type_, weight in program.LAYER_WEIGHTS]
    weights = {}
    for name, type_, weight in declared:
        offset = 1 if name.startswith("norm") and name.endswith("_w") else 0
        weights[weight] = (offset + 0.1 * rng.standard_normal(program.shape_of(type_))).astype(np.float32)
    return weights


def layer_norm(x, w, name):
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
    return centred / deviation * w[name + ".weight"] + w[name + ".bias"]


def layer(x, bias, w, prefix):
    batch, length, _ = x.shape

    def linear(v, name):
        return v @ w[prefix + name + ".weight"].T + w[prefix + name + ".bias"]

    def heads(name):
        return linear(x, f"attention.self.{name}").reshape(batch, length, 12, 32).transpose(0, 2, 1, 3)

    scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / math.sqrt(32) + bias
    e = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    context = (e / e.sum(-1, keepdims=True)) @ heads("value")
    merged = context.transpose(0, 2, 1, 3).reshape(batch, length, 384)
    x = layer_norm(linear(merged, "attention.output.dense") + x, w,
                   prefix + "attention.output.LayerNorm")
    v = linear(x, "intermediate.dense")
    erf = np.vectorize(math.erf, otypes=[np.float64])(v / math.sqrt(2))
    return layer_norm(linear(0.5 * v * (1 + erf), "output.dense") + x, w,
                      prefix + "output.LayerNorm")


def encode(ids, mask, weights, layers):
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    x = (w["embeddings.word_embeddings.weight"][ids]
         + w["embeddings.token_type_embeddings.weight"][0]
         + w["embeddings.position_embeddings.weight"][: ids.shape[1]])
    x = layer_norm(x, w, "embeddings.LayerNorm")
    bias = (1.0 - mask[:, None, None, :]) * np.finfo(np.float32).min
    for i in range(layers):
        x = layer(x, bias, w, f"encoder.layer.{i}.")
    mean = (x * mask[:, :, None]).sum(1) / np.maximum(mask.sum(1, keepdims=True), 1e-9)
    return mean / np.maximum(np.linalg.norm(mean, axis=-1, keepdims=True), 1e-12)


def allocations(path, call, options, repeat):
    run = symrun.run(path, [call], entry="encode",
                     options=options + ["--threads=1", "--verbose", f"--repeat={repeat}"])
    assert run.status == 0, run.stderr
    return int(re.search(r"allocations: .* total (\d+)", run.stderr)[1])


def main():
    layers = int(sys.argv[2])
    rng = np.random.default_rng(5)
    weights = make_weights(layers)
    calls = []
    for batch, length in SHAPES:
        mask = rng.integers(0, 2, (batch, length))
        mask[:, :1] = 1
        calls.append((rng.integers(0, 30522, (batch, length)), mask))
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "weights.safetensors").write_bytes(safetensors(weights))
        options = [f"--weights={folder}/weights.safetensors"]
        (folder / "dynamic.mlir").write_text(program.program(layers))
        (folder / "static.mlir").write_text(program.static_program(*STATIC, layers))
        expected = [encode(ids, mask, weights, layers) for ids, mask in calls]
        for way in ([], ["--guard-pages"]):
            run = symrun.run(folder / "dynamic.mlir", calls, entry="encode", options=options + way)
            if checks.ran(run, len(calls), f"dynamic {way}"):
                for (ids, _), (actual,), wanted in zip(calls, run.results, expected):
                    checks.close(actual, wanted, TOLERANCE, f"dynamic {way} at {ids.shape}")
        call = calls[SHAPES.index(STATIC)]
        more = (allocations(folder / "dynamic.mlir", call, options, 3)
                - allocations(folder / "dynamic.mlir", call, options, 1))
        checks.that(more == 2 * 2, "a call allocates its arena and its result", f"  {more}")
        run = symrun.run(folder / "static.mlir", [call], entry="encode", options=options)
        if checks.ran(run, 1, "static"):
            checks.close(run.results[0][0], encode(*call, weights, layers), TOLERANCE, "static")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
