# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of the tables in mistakes/ into a folder: such that are right, and such that are not.

    mistake_files.py FOLDER
"""

import gzip
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

from onnx_file import FLOAT, INT64, model, node
from weights_file import safetensors

# Two inputs whose rows must be as many.
ADD = """
func.func @main(%x: tensor<?x4xf32> {symshape.shape = #symshape.shape<[B, 4]>},
                %y: tensor<?x4xf32> {symshape.shape = #symshape.shape<[C, 4]>}) -> tensor<?x4xf32> {
  %r = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
"""
# A row, with what `ATTRIBUTES` declares.
ROW = """
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {ATTRIBUTES} {
  return %x : tensor<?xf32>
}
"""
# Which values of N are served, by a slice.
SLICE = """
func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<4xf32> {
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
# Many ops that a message must not print.
LONG = ADD.replace("  return", "".join(
    f"  %v{i} = arith.constant dense<{i}.0> : tensor<4xf32>\n" for i in range(300)) + "  return")


def declare(*symbols):
    return ROW.replace("ATTRIBUTES", f"symshape.symbols = [{', '.join(f'#symshape.symbol<{one}>' for one in symbols)}]")


def assume(*facts):
    texts = ", ".join(f"#symshape.fact<{json.dumps(one)}>" for one in facts)
    return ROW.replace("ATTRIBUTES", f"symshape.assume = [{texts}]")


PROGRAMS = {
    "columns": """func.func @main(%a: memref<?x4xf32, strided<[1, ?]>>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0, %c0] : memref<?x4xf32, strided<[1, ?]>>
  return %v : f32
}
""",
    "written": """func.func @main(%a: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  memref.store %z, %a[%c0] : memref<4xf32>
  return %z : f32
}
""",
    "add": ADD,
    "long": LONG,
    "slice": SLICE,
    "row": ROW.replace("    attributes {ATTRIBUTES} {", "{"),
    "scalar": "func.func @main(%n: i8) -> i8 {\n  return %n : i8\n}\n",
    "two": "func.func @first() {\n  return\n}\nfunc.func @second() {\n  return\n}\n",
    "weight": "func.func @main(%w: tensor<3xf32> {symshape.weight = \"w\"}) -> tensor<3xf32> {\n"
              "  return %w : tensor<3xf32>\n}\n",
    "empty": "",
    # Mistakes in the text.
    "comma": ADD.replace("%x, %y :", "%x %y :"),
    "twice": ADD.replace("%r = linalg", "%x = linalg"),
    "two-mains": ADD + ADD,
    "no-value": ADD.replace("ins(%x, %y", "ins(%x, %z"),
    "no-op": LONG.replace("linalg.add", "linalg.ad"),
    "no-dialect": ADD.replace("linalg.add", "linalgs.add"),
    "types": ADD.replace("return %r : tensor<?x4xf32>", "return %r : tensor<?x5xf32>"),
    "verifier": LONG.replace("tensor<?x4xf32>, tensor<?x4xf32>", "tensor<?x4xf32>, tensor<?x5xf32>")
                    .replace("%y: tensor<?x4xf32>", "%y: tensor<?x5xf32>").replace("[C, 4]", "[C, 5]"),
    "misspelt": LONG.replace("symshape.shape = #symshape.shape<[C", "symshape.shpe = #symshape.shape<[C"),
    "misspelt-function": declare('"N"').replace("symshape.symbols", "symshape.symbol"),
    "extents": ADD.replace("[C, 4]", "[C]"),
    "extent": ADD.replace("[C, 4]", "[C, 5]"),
    "brackets": ADD.replace("[C, 4]", "[C + , 4]"),
    "symbol-twice": declare('"N", range = [1, 8]', '"N", range = [1, 4]'),
    "no-symbol": declare('"M"'),
    "swapped": declare('"N", range = [8, 1]'),
    "negative": declare('"N", range = [-8, -1]'),
    "multiple": declare('"N", multiple_of = 0'),
    "policy": declare('"N", policy = sometimes'),
    "likely": declare('"N", range = [1, 8], likely = [9]'),
    "key": declare('"N", rnge = [1, 8]'),
    "fact": assume("N <= M"),
    "fact-text": assume("N <"),
    "fact-sign": assume("N =< 4"),
    "facts": assume("N <= 4", "N >= 5"),
    # 8 columns, of which an op makes 7.
    "seven": "func.func @main(%x: tensor<8xf32>, %y: tensor<7xf32>) -> tensor<?xf32> {\n"
             "  %a = tensor.cast %x : tensor<8xf32> to tensor<?xf32>\n"
             "  %b = tensor.cast %y : tensor<7xf32> to tensor<?xf32>\n"
             "  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>\n"
             "  return %r : tensor<?xf32>\n}\n",
}

PROBLEMS = {  # of symshape-prove
    "relation": "prove x <\n",
    "statement": "symbol B\nprov B >= 0\n",
    "bracket": "prove (x + 1 > x\n",
    "chain": "prove 0 <= x <= 4\n",
    "sign": "prove x =< 4\n",
    "range": "symbol x in [5, 3]\n",
    "range-text": "symbol x in 5..3\n",
    "multiple": "symbol x multiple_of 0\n",
    "residue": "symbol x residue 9 mod 8\n",
    "name": "symbol 2x\n",
    "twice": "symbol x\nsymbol x\n",
    "late": "assume x > 1\nsymbol x in [0, 4]\n",
    "contradiction": "symbol x in [1, 2]\nassume x >= 5\n",
    "pop": "pop\n",
    "solve": "solve B + L == 10\n",
    "bounds": "bounds\n",
    "words": "prove x >= 0 and y >= 0\n",
}


def write_models(folder):
    x, y = (FLOAT, ["B", 4]), (FLOAT, ["C", 4])
    models = {
        "add": model([node("Add", "x y", "z", name="plus")], {"x": x, "y": y}, ["z"]),
        "other": model([node("Relu", "x", "z")], {"x": x}, ["z"]),
        "past": model([node("Concat", "x y", "z", axis=0)],
                      {"x": (FLOAT, ["past", 4]), "y": (FLOAT, ["seq", 4])}, ["z"]),
        "attribute": model([node("Concat", "x y", "z", name="join", axes=0)], {"x": x, "y": y}, ["z"]),
        "no-attribute": model([node("Concat", "x y", "z", name="join")], {"x": x, "y": y}, ["z"]),
        "unknown-op": model([node("Ad", "x y", "z", name="plus")], {"x": x, "y": y}, ["z"]),
        "no-value": model([node("Add", "x w", "z", name="plus")], {"x": x}, ["z"]),
        "types": model([node("Add", "x y", "z", name="plus")], {"x": x, "y": (INT64, ["B", 4])}, ["z"]),
        "wrong": model([node("Relu", "x", "z", name="clip")], {"x": x}, {"z": (FLOAT, ["B", 5])}),
        "opset": model([node("Relu", "x", "z")], {"x": x}, ["z"], opset=99),
    }
    for name, data in models.items():
        (folder / f"{name}.onnx").write_bytes(data)
    (folder / "model.mlir").write_bytes(models["other"])
    (folder / "cut.onnx").write_bytes(models["add"][:-9])
    (folder / "empty.onnx").write_bytes(b"")
    (folder / "text.onnx").write_text(ADD)


def write_foreign(folder):
    """Files that are no programs."""
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0")
    (folder / "packed.mlir.gz").write_bytes(gzip.compress(ADD.encode()))
    (folder / "pickle.pt").write_bytes(b"\x80\x02\x8a\x0a")
    for name in ("module.pt", "program.pt2", "model.zip"):
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            archive.writestr("archive/data.pkl", b"\x80\x02.")
        (folder / name).write_bytes(held.getvalue())


def write_arrays(folder):
    f32 = np.float32
    np.save(folder / "x.npy", np.ones((2, 4), f32))
    np.save(folder / "f64.npy", np.ones((2, 4)))
    np.save(folder / "complex.npy", np.ones((2, 4), np.complex64))
    np.save(folder / "flat.npy", np.ones(8, f32))
    np.savez(folder / "x.npz", np.ones((2, 4), f32))
    (folder / "text.npy").write_text("1 2 3\n")
    for name, tensors in {"w": {"w": np.ones(3, f32)}, "v": {"v": np.ones(3, f32)}, "w64": {"w": np.ones(3)},
                          "w4": {"w": np.ones(4, f32)}}.items():
        (folder / f"{name}.safetensors").write_bytes(safetensors(tensors))


TEXTS = {
    "notes.txt": "hello\n",
    "calls.json": '[{"x": [1, 2], "y": [3, 4]}]\n',
    "some.calls": "2x4xf32=iota 2x4xf32=iota\n3x4xf32=iota 3x4xf32=iota\n",
    "few.calls": "2x4xf32=iota 2x4xf32=iota\n2x4xf32=iota\n",
    "words.calls": "2xf32=iota\n1 2 3\n",
    "facts.txt": "past <= 4\nsek <= 4\n",
    "no-facts.txt": "past < seq <\n",
    "never.txt": "past <= 4\npast >= 5\n",
    "events.txt": "compiled in 4 s\n",
}


def write(folder):
    folder = Path(folder)
    folder.mkdir(parents=True)
    (folder / "folder").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "letter.txt").write_text("kept\n")
    for name, program in PROGRAMS.items():
        (folder / f"{name}.mlir").write_text(program)
    for name, problem in PROBLEMS.items():
        (folder / f"{name}.prove").write_text(problem)
    kernels = (Path(__file__).parents[1] / "symshape-ptx-run" / "kernels.ptx").read_text()
    (folder / "kernels.ptx").write_text(kernels)
    (folder / "broad.ptx").write_text(kernels.replace("mul.wide.s32", "mul.broad.s32"))
    (folder / "test.sh").write_text("#!/bin/sh\nexit 0\n")
    (folder / "test.sh").chmod(0o755)
    for name, content in TEXTS.items():
        (folder / name).write_text(content)
    write_models(folder)
    write_foreign(folder)
    write_arrays(folder)


def save_bundles(folder):
    """Bundles of add.mlir: one that is right, and such that are not. Needs symshape-run."""
    folder = Path(folder)
    subprocess.run(["symshape-run", "add.mlir", "--save-bundle=bundle"], cwd=folder, check=True)

    def change(name, **fields):
        shutil.copytree(folder / "bundle", folder / name)
        path = folder / name / "manifest.json"
        manifest = json.loads(path.read_text()) | fields
        path.write_text(json.dumps(manifest))

    cpu = json.loads((folder / "bundle" / "manifest.json").read_text())["cpu"]
    change("version-9", version=9)
    change("other-cpu", cpu={**cpu, "name": "znver9", "features": ["sse99"]})
    change("other-machine", cpu={**cpu, "architecture": "pdp11"})
    change("cut-bundle")
    code = folder / "cut-bundle" / "program.o"
    code.write_bytes(code.read_bytes()[:-8])
    change("changed-bundle")
    code = folder / "changed-bundle" / "program.o"
    code.write_bytes(code.read_bytes()[:-1] + b"?")
    change("no-json")
    (folder / "no-json" / "manifest.json").write_text("version 2\n")


if __name__ == "__main__":
    write(sys.argv[1])
