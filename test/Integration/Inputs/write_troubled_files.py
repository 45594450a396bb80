# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of docs/HowTo/Troubleshooting.md: write_troubled_files.py PAGE FOLDER.

A program of the page follows its name; models are those of the tests of the import.
"""

import re
import sys
from pathlib import Path

import numpy as np
import write_models
from onnx_file import FLOAT, model, node

MODELS = {name: write_models.MODELS[name] for name in ("unknown", "axes", "sequence")}
MODELS["static"] = model([node("Add", "x y", "z", name="plus")], {"x": (FLOAT, [3]), "y": (FLOAT, [4])}, ["z"])
MODELS["small"] = model([node("Conv", "image w", "z", name="edges", kernel_shape=[3, 3])], {"image": (FLOAT, [1, 1, 2, "W"])},
                        ["z"], {"w": np.zeros((2, 1, 3, 3), np.float32)})


def main():
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True)
    started = (page.parent.parent / "GettingStarted.md").read_text()
    programs = re.findall(r"^`(\S+\.mlir)`:\n\n```mlir\n(.*?)^```$", started + page.read_text(), re.M | re.S)
    for name, program in programs:
        (folder / name).write_text(program)
    for name, data in MODELS.items():
        (folder / f"{name}.onnx").write_bytes(data)
    (folder / "notes.pdf").write_bytes(b"%PDF-1.7\n")


if __name__ == "__main__":
    main()
