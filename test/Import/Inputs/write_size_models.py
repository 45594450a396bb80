# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes networks whose sizes go through floats, as their exporters have them: FOLDER."""

import sys
from pathlib import Path

import numpy as np

from onnx_file import FLOAT, INT64, model, node


class Network:
    def __init__(self):
        self.nodes, self.constants, self.random = [], {}, np.random.default_rng(1)

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(node(op, inputs, output, **attributes))
        return output

    def convolution(self, x, channels, filters, stride=1):
        name = f"c{len(self.nodes)}"
        self.constants[f"{name}w"] = self.random.uniform(-0.1, 0.1, (filters, channels, 3, 3)).astype(np.float32)
        self.add("Conv", f"{x} {name}w", name, pads=[1, 1, 1, 1], strides=[stride, stride])
        return self.add("Relu", name, f"{name}r")


def unet(levels=3, channels=4):
    """As tf2onnx writes upsampling: the shape to floats, times 2, and back to integers."""
    n = Network()
    n.constants |= {"two": np.array([2, 2], np.float32), "at0": np.array([0]), "at2": np.array([2]), "at4": np.array([4])}
    x, skips = n.convolution(n.add("Transpose", "x", "nchw", perm=[0, 3, 1, 2]), 3, channels), []
    for level in range(levels):
        skips.append(x)
        x = n.convolution(n.add("MaxPool", x, f"pool{level}", kernel_shape=[2, 2], strides=[2, 2]), channels, channels)
    for level, skip in enumerate(reversed(skips)):
        n.add("Shape", x, f"shape{level}")
        n.add("Cast", n.add("Slice", f"shape{level} at2 at4", f"size{level}"), f"float{level}", to=FLOAT)
        n.add("Cast", n.add("Mul", f"float{level} two", f"twice{level}"), f"whole{level}", to=INT64)
        n.add("Slice", f"shape{level} at0 at2", f"outer{level}")
        n.add("Concat", f"outer{level} whole{level}", f"wanted{level}", axis=0)
        n.add("Resize", f"{x} - - wanted{level}", f"up{level}", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        x = n.convolution(n.add("Concat", f"up{level} {skip}", f"both{level}", axis=1), 2 * channels, channels)
    n.add("Transpose", x, "y", perm=[0, 2, 3, 1])
    return model(n.nodes, {"x": (FLOAT, ["N", "H", "W", 3])}, ["y"], n.constants)


def anchors(levels=2):
    """As Ultralytics exports YOLO: ranges of floats for the places of the cells of each level."""
    n = Network()
    n.constants |= {"none": np.array(0, np.float32), "step": np.array(1, np.float32), "half": np.array(0.5, np.float32), "i2": np.array(2), "i3": np.array(3),
                    "minus": np.array([-1]), "at0": np.array([0]), "column": np.array([-1, 1]), "flat": np.array([0, 2, -1])}
    x, filters, boxes, centres = "x", 3, [], []
    for level in range(levels):
        x, filters = n.convolution(x, filters, 2, stride=2), 2
        n.add("Shape", x, f"shape{level}")
        for axis, at in (("h", "i2"), ("w", "i3")):
            n.add("Gather", f"shape{level} {at}", f"{axis}{level}")
            n.add("Cast", f"{axis}{level}", f"{axis}f{level}", to=FLOAT)
            n.add("Add", n.add("Range", f"none {axis}f{level} step", f"{axis}r{level}") + " half", f"{axis}c{level}")
            n.add("Unsqueeze", f"{axis}{level} at0", f"{axis}l{level}")
        n.add("Concat", f"hl{level} wl{level}", f"grid{level}", axis=0)
        n.add("Reshape", f"hc{level} column", f"rows{level}")
        for axis, source in (("y", f"rows{level}"), ("x", f"wc{level}")):
            n.add("Reshape", n.add("Expand", f"{source} grid{level}", f"{axis}g{level}") + " minus", f"{axis}s{level}")
            n.add("Unsqueeze", f"{axis}s{level} at0", f"{axis}u{level}")
        centres.append(n.add("Concat", f"xu{level} yu{level}", f"centres{level}", axis=0))
        boxes.append(n.add("Reshape", f"{x} flat", f"boxes{level}"))
    n.add("Concat", " ".join(boxes), "boxes", axis=2)
    n.add("Concat", " ".join(centres), "centres", axis=1)
    n.add("Add", "boxes centres", "y")
    return model(n.nodes, {"x": (FLOAT, ["N", 3, "H", "W"])}, ["y", "centres"], n.constants)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unet.onnx").write_bytes(unet())
    (folder / "anchors.onnx").write_bytes(anchors())


if __name__ == "__main__":
    main()
