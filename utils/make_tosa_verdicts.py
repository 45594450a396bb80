#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask the reference model of TOSA which sizes programs with open extents allow.

    make_tosa_verdicts.py PROGRAMS.mlir OUT.json [NAME]...

`infer_shapes` of tosa-tools (utils/requirements/tosa-suite.txt) binds the open extents, and
`tosa_reference_model` runs or refuses what comes out. For each program of utils/tosa_programs.py,
30 drawn sizes, where possible at least 8 that are allowed and 8 that are refused. OUT.json:

    {"NAME": {"3 1": "3", "2 3": null, ...}, ...}

the open extents of arguments, in order, and the result's shape, or null. With names, only those;
the others stay as they were. Needs about 20 minutes on two cores.
"""

import itertools
import json
import random
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tosa_programs import PROGRAMS, read_functions

TOOLS = Path(sysconfig.get_paths()["purelib"]) / "bin"
WANTED, EACH, MOST_ASKED = 30, 8, 450


class Oracle:
    def __init__(self, folder, function):
        self.folder, self.function = Path(folder), function
        (self.folder / "a.mlir").write_text(function.text.replace(f"@{function.name}(", "@main("))
        self.tool("tosa-opt", "a.mlir", "--tosa-serialize=tosa-flatbuffer-filename=a.tosa", check=True)

    def tool(self, name, *arguments, check=False):
        return subprocess.run([TOOLS / name, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=check)

    def ask(self, extents):
        """The result's shape, or None."""
        names = [f"TosaInput_{i}" for i in range(len(self.function.arguments))]
        shapes = {name: list(shape) for name, shape in zip(names, self.function.shapes(extents))}
        (self.folder / "bind.json").write_text(json.dumps({"tosa_file": str(self.folder / "a.tosa"), "shapes": shapes}))
        for old in self.folder.glob("resolved_*"):
            old.unlink()
        status = self.tool("infer_shapes", "bind.json").returncode
        resolved = list(self.folder.glob("resolved_*"))
        if status or not resolved:
            return None
        for name, array in zip(names, self.function.inputs(extents)):
            np.save(self.folder / f"{name}.npy", array)
        (self.folder / "desc.json").write_text(json.dumps({
            "tosa_file": resolved[0].name, "ifm_name": names, "ifm_file": [f"{name}.npy" for name in names],
            "ofm_name": ["TosaOutput_0"], "ofm_file": ["out.npy"], "expected_failure": False}))
        done = self.tool("tosa_reference_model", "--operator_fbs", str(TOOLS / "tosa.fbs"), "--test_desc", "desc.json",
                         "--tosa_level", "NONE")
        return None if done.returncode else np.load(self.folder / "out.npy").shape


def ask_numpy(program, function, extents):
    try:
        return program.numpy(*function.inputs(extents)).shape
    except ValueError:
        return None


def make_verdicts(name, function):
    program = PROGRAMS[name]
    candidates = list(itertools.product(*program.tried_extents()))
    random.Random(name).shuffle(candidates)
    allowed, refused = [], []
    with tempfile.TemporaryDirectory(prefix="verdicts") as folder:
        oracle = Oracle(folder, function) if program.oracle == "tosa" else None
        for extents in candidates[:MOST_ASKED]:
            if program.numpy and 0 in (ask_numpy(program, function, extents) or ()):
                continue  # refused by the specification alone
            shape = oracle.ask(extents) if oracle else ask_numpy(program, function, extents)
            (refused if shape is None else allowed).append((extents, shape))
            if min(len(allowed), len(refused)) >= EACH and len(allowed) + len(refused) >= WANTED:
                break
    # Those that nearly fit say most.
    refused.sort(key=lambda one: min((sum(a != b for a, b in zip(one[0], other)) for other, _ in allowed), default=0))
    few = min(len(allowed), len(refused), WANTED // 2)
    many = allowed if len(allowed) > len(refused) else refused
    kept = (refused if many is allowed else allowed)[:few] + many[:WANTED - few]
    print(f"{name}: {len(allowed)} allowed, {len(refused)} refused, {len(kept)} kept", flush=True)
    return {" ".join(map(str, extents)): None if shape is None else "x".join(map(str, shape))
            for extents, shape in sorted(kept)}


def main():
    programs, out, *names = sys.argv[1:]
    functions = read_functions(Path(programs))
    assert list(functions) == list(PROGRAMS), set(functions) ^ set(PROGRAMS)
    verdicts = json.loads(Path(out).read_text()) if names else {}
    with ThreadPoolExecutor(2) as pool:
        asked = names or list(PROGRAMS)
        verdicts.update(zip(asked, pool.map(lambda name: make_verdicts(name, functions[name]), asked)))
    lines = [f"{json.dumps(name)}: {json.dumps(verdicts[name], separators=(',', ':'))}" for name in PROGRAMS]
    Path(out).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
