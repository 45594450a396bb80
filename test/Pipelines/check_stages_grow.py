# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each stage of a compilation makes as much of each part of a large program as of a small one.

    check_stages_grow.py LIBRARY [--large | --decoders]

The programs are those of benchmarks/growth_programs.py, or decoders of a few layers (benchmarks/decoders.py), which
need the package of ONNX. Counted are the bytes of the program after some passes, and what a whole compilation asks
the fact engine, decides anew, takes as steps of rewrite patterns, and leaves as instructions for LLVM: these are
the same on every machine. `--large`: ten times as many parts, which takes minutes.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import growth_programs
import symshape_c
from ready_process import compile_report

MOST_GROWTH = 1.5
NONE, FEW, MANY = 3, 12, 80
LAYERS = (1, 2, 6)
PASSES = ["symshape-infer-shapes", "symshape-insert-guards", "symshape-fuse-elementwise", "one-shot-bufferize",
          "symshape-plan-memory", "symshape-lower-structured-ops"]
LIMIT = 600  # seconds
NEGLIGIBLE = {"asked": 2, "decided": 2, "steps": 100, "instructions": 8}  # of a part; of bytes: 200


def bytes_after_passes(path):
    """By pass; of what is left at the end, without texts of failures and types, which name all results."""
    done = subprocess.run(["symshape-opt", path, "--symshape-cpu", "--mlir-disable-threading",
                           *(f"--mlir-print-ir-after={name}" for name in PASSES)],
                          capture_output=True, text=True, check=True, timeout=LIMIT)
    found = {}
    for name, text in re.findall(r"// -----// IR Dump After [^(]*\((\S+)\)[^\n]*\n(.*?)(?=// -----//|\Z)", done.stderr, re.S):
        found[name] = found.get(name, 0) + len(text)
    return {**found, "the end": sum(len(line.split(" : ")[0]) for line in done.stdout.splitlines() if "llvm.mlir.global" not in line)}


def counts_of_compilation(library, path, weights):
    # Which compiles nothing before a call.
    report = json.loads(compile_report(symshape_c.Program(path, library=library, weights=weights, dynamic="never")))
    return {"asked": report["numAsked"], "decided": report["numDecided"], "steps": report["numRewriteSteps"],
            "instructions": report["numInstructions"]}


def write_chain(kind):
    def write(folder, parts):
        path, weights = folder / "program.mlir", folder / "weights.safetensors"
        path.write_text(growth_programs.KINDS[kind](parts))
        growth_programs.write_weights(weights)
        return path, path, weights if kind == "convolutions" else None
    return write


def write_decoder(folder, layers):
    import decoders
    model, path = folder / "model.onnx", folder / "model.mlir"
    model.write_bytes(decoders.Decoder(layers, 64).build())
    path.write_text(subprocess.run(["symshape-onnx", "import", model], capture_output=True, text=True, check=True).stdout)
    return path, model, None


def count(library, folder, write, parts):
    path, compiled, weights = write(folder, parts)
    return {**bytes_after_passes(path), **counts_of_compilation(library, compiled, weights)}


def main():
    library, times = symshape_c.load(sys.argv[1]), 10 if "--large" in sys.argv else 1
    kinds, sizes = {kind: write_chain(kind) for kind in growth_programs.KINDS}, (NONE, FEW * times, MANY * times)
    if "--decoders" in sys.argv:
        kinds, sizes = {"decoders": write_decoder}, LAYERS
    failures = made = 0
    with tempfile.TemporaryDirectory() as name:
        for kind, write in kinds.items():
            none, few, many = (count(library, Path(name), write, parts) for parts in sizes)
            said = []
            for what in few:
                # What a program costs at all is no part of its parts.
                short = (few[what] - none[what]) / (sizes[1] - sizes[0])
                long = (many[what] - few[what]) / (sizes[2] - sizes[1])
                grows = long > MOST_GROWTH * max(short, NEGLIGIBLE.get(what, 200))
                failures, made = failures + grows, made + 1
                said.append(f"{what} {short:.0f} to {long:.0f}{' TOO MANY' * grows}")
            print(f"{kind}, for each of {sizes[1]} and of {sizes[2]}: {', '.join(said)}", flush=True)
    print(f"{len(kinds)} kinds, {made} counts, {failures} grow")
    return 1 if failures or made < 11 * len(kinds) else 0


if __name__ == "__main__":
    sys.exit(main())
