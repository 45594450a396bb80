#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Export PyTorch modules with open extents as TOSA, with what PyTorch computes.

    tosa_torch_models.py FOLDER [--filter=REGEX] [--small]

Needs utils/requirements/tosa-models-torch.txt. ExecuTorch writes each as a
flatbuffer, which tosa-opt prints. FOLDER gets NAME.mlir and NAME.npz, with arrays
of calls `cN_inK`, `cN_outK` that the module must give, `oN_...` outside of the
declared ranges, which may be refused instead, and `rN_inK` that PyTorch refuses.
A flatbuffer has no ranges: `unet-ranges` is the program of `unet` with its ranges
declared again. `unet-weights.npz` is for other engines. With --small, fewer and
smaller calls: those of test/Integration/Inputs/tosa-models.
"""

import argparse
import itertools
import logging
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# How many calls a module gets, and what is tried for one extent beside its ends.
CALLS, SMALL_CALLS, SMALL_RANGE = 10, 4, 4
INSIDE = [1, 2, 3, 5, 7, 8, 12, 16, 31, 64]


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


class Unet(nn.Module):
    """Down by a convolution with a stride, up by a resize, and joined."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(3, 8, 3, padding=1)
        self.down = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.channels = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.narrow = nn.Conv2d(16, 8, 1)
        self.leave = nn.Conv2d(16, 2, 1)

    def forward(self, image):
        fine = self.enter(image).relu()
        coarse = F.relu6(self.channels(self.down(fine).relu()))
        wide = F.interpolate(self.narrow(coarse), scale_factor=2, mode="bilinear")
        return self.leave(torch.cat([fine, wide], 1)).sigmoid()


def convolution():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())


# Ranges of the names that stand for extents; `2*h` is an even one.
RANGES = {"B": (1, 16), "T": (2, 64), "S": (1, 64), "H": (4, 32), "W": (4, 32), "h": (2, 32), "w": (2, 32)}

# Name, module, and the extents of each argument.
MODULES = {
    "relu": (lambda: Function(torch.relu), ["B T"]),
    "add": (lambda: Function(torch.add), ["B T", "B T"]),
    "add-row": (lambda: Function(torch.add), ["B T", "1 T"]),
    "softmax": (lambda: nn.Softmax(-1), ["B T"]),
    "cat": (lambda: Function(lambda x, y: torch.cat([x, y])), ["B 7", "S 7"]),
    "conv-batch": (convolution, ["B 3 12 10"]),
    "conv-image": (convolution, ["2 3 H W"]),
    "linear": (lambda: nn.Linear(16, 32), ["B T 16"]),
    "matmul": (lambda: Function(torch.bmm), ["B T 16", "B 16 5"]),
    "view": (lambda: nn.Flatten(), ["B 3 4"]),
    "slice": (lambda: Function(lambda x: x[:, 1:3]), ["B 7"]),
    "pad": (lambda: Function(lambda x: F.pad(x, (1, 2))), ["B T"]),
    "mean": (lambda: Function(lambda x: x.mean(1)), ["B T"]),
    "mean-image": (lambda: nn.AdaptiveAvgPool2d(1), ["2 3 H W"]),
    "double-batch": (lambda: nn.UpsamplingNearest2d(scale_factor=2), ["B 3 12 10"]),
    "double-image": (lambda: nn.UpsamplingNearest2d(scale_factor=2), ["2 3 H W"]),
    "repeat": (lambda: Function(lambda x: x.repeat(1, 2)), ["B T"]),
    "expand": (lambda: Function(lambda x, y: x.expand(y.shape[0], 7) + 0), ["1 7", "B 2"]),
    "full": (lambda: Function(lambda x: x + torch.full((x.shape[0], 7), 2.0)), ["B 7"]),
    "unet": (Unet, ["B 3 2*h 2*w"]),
}


def shapes_for(arguments, values):
    """Extents of the arguments; `values` are of the names in them."""
    return [[eval(extent, {}, values) for extent in text.split()] for text in arguments]


def names_in(arguments):
    return sorted(set(re.findall(r"[A-Za-z]", " ".join(arguments))))


def sizes_inside(arguments, rng, small):
    """Calls in the ranges: the ends of each, and others, drawn."""
    names, calls = names_in(arguments), SMALL_CALLS if small else CALLS
    ranges = [(low, min(high, low + SMALL_RANGE) if small else high) for low, high in map(RANGES.get, names)]
    tuples = list(itertools.product(*(sorted({low, high, *(v for v in INSIDE if low <= v <= high)})
                                      for low, high in ranges)))
    if len(tuples) > calls:
        drawn = rng.permutation(len(tuples) - 2)[:calls - 2] + 1
        tuples = [tuples[0], tuples[-1], *(tuples[i] for i in drawn)]
    return [shapes_for(arguments, dict(zip(names, values))) for values in tuples]


def sizes_around(arguments):
    """Calls where one extent of one argument is another, and where a name is 0 or 1."""
    names = names_in(arguments)
    usual = dict(zip(names, (3, 4, 5)))
    for name, value in itertools.product(names, (0, 1)):
        yield shapes_for(arguments, {**usual, name: value})
    for number, text in enumerate(arguments):
        for axis in range(len(text.split())):
            shapes = shapes_for(arguments, usual)
            shapes[number][axis] += 1
            yield shapes


def is_inside(arguments, shapes):
    """Whether these extents are those of some values in the ranges."""
    values = {}
    for extent, actual in zip(" ".join(arguments).split(), sum(shapes, [])):
        if extent.isdigit():
            if int(extent) != actual:
                return False
            continue
        name, factor = extent[-1], 2 if extent.startswith("2*") else 1
        low, high = RANGES[name]
        if values.setdefault(name, actual) != actual or actual % factor or not low <= actual // factor <= high:
            return False
    return True


def export(module, arguments, path):
    """Writes `module` as TOSA."""
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.backends.arm.tosa.specification import TosaSpecification
    from executorch.exir import to_edge_transform_and_lower
    dims = {name: torch.export.Dim(name, min=RANGES[name][0], max=RANGES[name][1]) for name in names_in(arguments)}
    dynamic = [{axis: eval(extent, {}, dims) for axis, extent in enumerate(text.split()) if not extent.isdigit()}
               for text in arguments]
    if isinstance(module, Function):
        dynamic = [tuple(dynamic)]  # of the one argument of `forward`, a tuple
    example = shapes_for(arguments, {name: 5 + i for i, name in enumerate(names_in(arguments))})
    program = torch.export.export(module, tuple(torch.randn(shape) for shape in example),
                                  dynamic_shapes=tuple(dynamic), strict=False)
    with tempfile.TemporaryDirectory() as folder:
        specification = TosaSpecification.create_from_string("TOSA-1.1+FP+shape")
        target = TosaCompileSpec(specification).dump_intermediate_artifacts_to(folder)
        to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(target)])
        parts = list(Path(folder).glob("*_tag*.tosa"))
        if len(parts) != 1:
            raise ValueError(f"expected one program, but got {len(parts)}")
        empty = Path(folder) / "empty.mlir"
        empty.write_text("module {}\n")
        tool = Path(sys.executable).parent / "tosa-opt"
        subprocess.run([str(tool), str(empty), f"--tosa-deserialize=tosa-flatbuffer-filename={parts[0]}",
                        "--mlir-print-elementsattrs-with-hex-if-larger=16", "-o", str(path)], check=True)


def record(module, arguments, path, small):
    """Runs PyTorch on all calls and writes what it gives; how many of each kind."""
    rng = np.random.default_rng(0)
    data, counts = {}, {"c": 0, "o": 0, "r": 0}
    inside = sizes_inside(arguments, rng, small)
    for shapes in inside + [shapes for shapes in sizes_around(arguments) if shapes not in inside]:
        inputs = [rng.random(shape, np.float32) * 2 - 1 for shape in shapes]
        tensors = [torch.from_numpy(array) for array in inputs]
        kind = "c" if is_inside(arguments, shapes) else "o"
        try:
            output = module(*tensors)
        except RuntimeError:
            if kind == "c":
                raise
            kind = "r"
        for number, array in enumerate(inputs):
            data[f"{kind}{counts[kind]}_in{number}"] = array if kind != "r" else np.zeros_like(array)
        if kind != "r":
            data[f"{kind}{counts[kind]}_out0"] = output.numpy()
        counts[kind] += 1
    np.savez_compressed(path, **data)
    return counts


def declare_ranges(text):
    """The U-Net with the ranges that its flatbuffer has lost."""
    symbols = ", ".join(f'#symshape.symbol<"{name}", range = [{low}, {high}]>'
                        for name, low, high in (("B", 1, 16), ("H", 4, 64), ("W", 4, 64)))
    text = text.replace('{tosa.tensor_name = "image"}', "{symshape.shape = #symshape.shape<[B, 3, H, W]>}")
    return re.sub(r"(func\.func .*\)) \{", rf"\1 attributes {{symshape.symbols = [{symbols}]}} {{", text, count=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="", help="names of the modules that are exported")
    parser.add_argument("--small", action="store_true", help="for the tests that need no PyTorch")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, (make, extents) in MODULES.items():
        if not re.search(arguments.filter, name):
            continue
        torch.manual_seed(0)
        module, path = make().eval(), arguments.folder / f"{name}.mlir"
        with torch.no_grad():
            export(module, extents, path)
            counts = record(module, extents, path.with_suffix(".npz"), arguments.small)
        print(f"{name}: {counts['c']} calls, {counts['o']} outside of the ranges, {counts['r']} refused", flush=True)
        if name == "unet":
            np.savez(arguments.folder / "unet-weights.npz", **{key: value.numpy() for key, value in module.state_dict().items()})
            (arguments.folder / "unet-ranges.mlir").write_text(declare_ranges(path.read_text()))
            (arguments.folder / "unet-ranges.npz").write_bytes(path.with_suffix(".npz").read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
