# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arrays of rank 2 of many kinds, and a calls file per type."""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
random = np.random.default_rng(7)
TYPES = {"f32": "f4", "f64": "f8", "f16": "f2", "i64": "i8", "i16": "i2", "i1": "?", "bf16": "V2"}
for name, code in TYPES.items():
    calls = []
    for shape in [(0, 3), (1, 1), (3, 5), (4, 0)]:
        values = random.normal(scale=100, size=shape)
        for order in "CF":
            for byte_order in "<>":
                # The upper half of an f32 is a bf16; void has no byte order.
                plain = (values.astype("<f4").view("<u4") >> 16).astype("<u2").view("V2") if code == "V2" \
                    else values.astype(byte_order + code)
                array = np.asarray(plain, order=order)
                path = folder / f"{name}_{len(calls)}.in.npy"
                np.save(path, array)
                calls.append(f"@{path}")
    (folder / f"{name}.calls").write_text("\n".join(calls) + "\n")
