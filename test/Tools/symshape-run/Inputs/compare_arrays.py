# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless every output is the input, in this machine's byte order."""

import sys
from pathlib import Path

import numpy as np

count = 0
for path in Path(sys.argv[1]).glob("*.out.npy"):
    actual = np.load(path)
    source = path.name.replace("index", "i64").replace(".out.", ".in.")
    expected = np.load(path.with_name(source))
    assert actual.dtype == expected.dtype.newbyteorder("="), path
    assert actual.shape == expected.shape and np.array_equal(actual, expected), path
    count += 1
assert count == 8 * 16, count
