# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model with the op `Frames` of the domain `my.audio`; needs `utils` of symshape on its path.

    write_model.py frames.onnx
"""

import sys
from pathlib import Path

from onnx_file import FLOAT, model, node

Path(sys.argv[1]).write_bytes(model([node("Frames", "signal", "frames", name="cut", domain="my.audio", window=4, hop=3)],
                                    {"signal": (FLOAT, ["length"])}, ["frames"]))
