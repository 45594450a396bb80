# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds for what passes ask about the program of pass-statistics.mlir.

    check_statistics.py LOG

LOG is what symshape-opt --mlir-pass-statistics prints. A pass that asks more, or more that is new, has become
dearer: what is asked twice is answered from memory, and what is new is work.
"""

import re
import sys
from pathlib import Path

# pass: questions, and those that are new. Measured: 150 and 103, 131 and 100, 24 and 15.
MOST = {"symshape-discharge": (188, 129), "symshape-infer-shapes": (164, 125), "symshape-insert-guards": (30, 19)}


def main():
    parts = re.split(r"^(symshape-[\w-]+)\n", Path(sys.argv[1]).read_text(), flags=re.M)[1:]
    counts = {name: {what: int(n) for n, what in re.findall(r"\(S\) (\d+) (\S+)", text)}
              for name, text in zip(parts[::2], parts[1::2])}
    assert counts.keys() == MOST.keys(), counts.keys()
    for name, (asked, new) in MOST.items():
        one = counts[name]
        assert 0 < one["num-new"] <= one["num-asked"], (name, one)
        assert one["num-asked"] <= asked and one["num-new"] <= new, f"{name}: {one}, but at most {asked} and {new}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
